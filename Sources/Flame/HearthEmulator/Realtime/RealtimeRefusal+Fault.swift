import HearthBackend
import HearthModel

/// Refusals that a test wishes for.
extension RealtimeRefusal {
    /// A refusal in the words of the protocol, with the reason that clients know.
    ///
    /// `FaultWish` takes these words beside the names of Firestore's codes.
    private static let words: [(word: Status, code: StatusCode, reason: String)] = [
        (.permissionDenied, .permissionDenied, denied.reason),
        (.dataStale, .aborted, stale.reason),
        (.unavailable, .unavailable, "The service is unavailable"),
        (.tooBig, .resourceExhausted, tooLarge.reason),
        (.failed, .invalidArgument, "Refused, as the test wished."),
    ]

    /// The error that a word of the protocol stands for; `nil` for another word.
    static func error(named name: String) -> HearthError? {
        words.first { utf8Equals($0.word.rawValue, name) }
            .map { HearthError(code: $0.code, message: $0.reason) }
    }

    /// The refusal that says the same as an error; `failed` where the protocol has no word.
    init(fault error: HearthError) {
        let known = Self.words.first { $0.code == error.code }
        self.init(known?.word ?? .failed, error.message)
    }
}
