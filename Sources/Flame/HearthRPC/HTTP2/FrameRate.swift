/// How often a client did something that costs the server more than the client.
struct FrameRate {
    private let countMax: Int
    private let span: Duration
    private var beganAt = Duration.zero
    private var count = 0

    /// Allows `countMax` times in a span.
    init(_ countMax: Int, in span: Duration) {
        self.countMax = countMax
        self.span = span
    }

    /// Counts one more time.
    ///
    /// - Parameter now: The time since any moment, always the same one.
    /// - Throws: `enhanceYourCalm` with the reason, if that was too often.
    mutating func count(at now: Duration, _ reason: String) throws(HTTP2Fault) {
        if now - beganAt >= span {
            beganAt = now
            count = 0
        }
        count += 1
        if count > countMax { throw HTTP2Fault(.enhanceYourCalm, reason) }
    }
}
