package import HearthModel

/// The faults that befall one call on purpose.
package struct CallFaults: Sendable {
    /// How long the call waits before it begins.
    package var delay = Duration.zero
    /// Why the call is not made.
    package var refusal: HearthError?
    /// Whether the service makes the call and the answer is lost.
    package var losesAnswer = false
    /// The longest delay before a broken stream's requests take effect; `nil` for no such fault.
    package var lateness: Duration?
    /// How long each message of the answer takes.
    package var messageDelay = Duration.zero
    /// How many messages leave before the stream breaks; `nil` for a stream without this fault.
    package var messageCountLeft: Int?

    /// A call that nothing befalls.
    package init() {}

    /// A message is about to leave.
    ///
    /// - Returns: Whether the message may leave; if not, the stream breaks here.
    package mutating func sends() -> Bool {
        if losesAnswer { return false }
        guard let left = messageCountLeft else { return true }
        messageCountLeft = left - 1
        return left > 0
    }

    /// The error for a client whose answer was lost.
    package static let lost = HearthError(
        code: .unavailable, message: "The answer was lost, as the test wished.")
}

/// The source of faults on purpose. A server without such faults has no source.
package protocol CallFaultSource: Sendable {
    /// The faults of a call that begins now; `nil` for none.
    ///
    /// Called once for each call, on any thread.
    func take(_ method: CallMethod) -> CallFaults?
}
