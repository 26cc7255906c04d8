/// How much was written to one tree in the minute that runs.
struct WriteRate: Sendable {
    private var minute: Int64 = 0
    private var writeCount = 0
    private var byteCount = 0

    /// Counts a write.
    ///
    /// - Parameter now: Milliseconds since 1970.
    /// - Returns: Whether the limits allow the write; if not, the write does not count.
    mutating func take(_ byteCount: Int, at now: Int64, _ limits: HostedLimits) -> Bool {
        if minute != now / 60_000 {
            self = WriteRate()
            minute = now / 60_000
        }
        guard writeCount < limits.minuteWriteCountMax,
            self.byteCount + byteCount <= limits.minuteWriteByteCountMax
        else { return false }
        writeCount += 1
        self.byteCount += byteCount
        return true
    }
}
