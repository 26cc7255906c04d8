package import HearthModel

/// What goes wrong with one call on purpose.
package struct CallFaults: Sendable {
    /// How long the call waits before it begins.
    package var delay = Duration.zero
    /// Why the call is not made.
    package var refusal: HearthError?
    /// Whether the call is made and its answer lost.
    package var losesAnswer = false
    /// How much later at most than a stream breaks what it brought is done; `nil` if it does not break so.
    package var lateness: Duration?
    /// How long each message of the answer takes.
    package var messageDelay = Duration.zero
    /// How many messages leave before the stream breaks; `nil` if it does not break so.
    package var messageCountLeft: Int?

    /// A call that nothing befalls.
    package init() {}

    /// A message is about to leave.
    ///
    /// - Returns: Whether it may; if not, the stream breaks here.
    package mutating func sends() -> Bool {
        if losesAnswer { return false }
        guard let left = messageCountLeft else { return true }
        messageCountLeft = left - 1
        return left > 0
    }

    /// What a client is told whose answer was lost.
    package static let lost = HearthError(
        code: .unavailable, message: "The answer was lost, as the test wished.")
}

/// Who lets calls go wrong. A server that never does has none.
package protocol CallFaultSource: Sendable {
    /// What goes wrong with a call that begins now; `nil` if nothing does. Called once for each call, on
    /// any thread.
    func take(_ method: CallMethod) -> CallFaults?
}
