/// How often a client did something that costs the server more than the client.
///
/// Spans follow each other and do not slide, so twice the count can pass across the edge of two.
/// That is as it should be: the count bounds what a client may cause, and a span that slides would
/// have to remember every time.
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
        guard allows(at: now) else { throw HTTP2Fault(.enhanceYourCalm, reason) }
    }

    /// Counts one more time, if that is not too often.
    mutating func allows(at now: Duration) -> Bool {
        if now - beganAt >= span {
            beganAt = now
            count = 0
        }
        guard count < countMax else { return false }
        count += 1
        return true
    }

    /// Counts from nothing again, because the client's frames so far served a purpose.
    mutating func forgive() { count = 0 }
}
