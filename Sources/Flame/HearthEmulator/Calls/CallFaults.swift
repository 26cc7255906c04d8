import HearthModel

/// What goes wrong with one call.
struct CallFaults {
    /// How long the call waits before it begins.
    private(set) var delay = Duration.zero
    /// Why the call is not made.
    private(set) var refusal: HearthError?
    /// Whether the call is made and its answer lost.
    private var losesAnswer = false
    /// How much later at most than a write stream breaks its batches are applied; `nil` if it does not
    /// break so.
    private(set) var lateness: Duration?
    /// How long each message of the answer takes.
    private(set) var messageDelay = Duration.zero
    private var messageCountLeft: Int?

    /// A call that all this befalls.
    init(_ kinds: [Fault.Kind]) {
        for kind in kinds {
            switch kind {
            case .delay(let duration): delay += duration
            case .refuse(let error): refusal = refusal ?? error
            case .loseAnswer: losesAnswer = true
            case .applyLate(let duration): lateness = duration
            case .cutStream(let count): messageCountLeft = min(count, messageCountLeft ?? count)
            case .slowStream(let duration): messageDelay += duration
            }
        }
    }

    /// A message is about to leave.
    ///
    /// - Returns: Whether it may; if not, the stream breaks here.
    mutating func sends() -> Bool {
        if losesAnswer { return false }
        guard let left = messageCountLeft else { return true }
        messageCountLeft = left - 1
        return left > 0
    }

    /// What a client is told whose answer was lost.
    static let lost = HearthError(
        code: .unavailable, message: "The answer was lost, as the test wished.")
}
