import HearthModel

/// What an emulator's clock and its machine say at one time.
struct ClockReading {
    /// The time in UTC, which may go back.
    let time: Timestamp
    /// How far a test has moved the clock from the machine's; part of `time`.
    var step = Duration.zero
    /// How long the machine has been up, which never goes back.
    let uptime: Duration
}

/// Gives the backend a time that never stands still and never goes back.
///
///     now = the clock's time, or the last time + uptime since, less a 4,000th, if that is later
///
/// The clock may be behind what the backend has told: somebody set the clock back, or a crash made
/// the emulator begin at the bound of `MomentReserve`. The backend could wait there for the clock, but a
/// client reckons that the backend's time goes on as its own does, and promises times by that. So
/// the backend's time goes on, slightly slower than the clock, until the clock has caught up. How far
/// the time is ahead is kept too, since clients also reckon while the emulator is away.
///
/// The 4,000th is half of what a daemon takes off for clocks that run fast (`PromisedClock`).
struct SteadyClock: Sendable {
    /// How far the time was ahead of the machine's clock at the last reading, or in an earlier run.
    ///
    /// Negative while a test has moved the clock back. The next run may have another step of the clock, or none.
    private(set) var ahead: Duration
    private var last: Timestamp
    private var uptime: Duration?

    /// Goes on where an earlier run ended.
    ///
    /// - Parameters:
    ///   - last: The last time that the earlier run may have given.
    ///   - ahead: How far the earlier run was ahead of the machine's clock.
    init(after last: Timestamp, ahead: Duration) {
        self.last = last
        self.ahead = ahead
    }

    /// The time at a reading of the clock; the backend's next moments follow it.
    mutating func time(at reading: ClockReading) -> Timestamp {
        let machine = reading.time.advanced(by: .zero - reading.step)
        if let uptime {
            let passed = max(reading.uptime - uptime, .zero)
            self.uptime = uptime + passed
            last = max(reading.time, last.advanced(by: passed - passed / 4_000))
        } else {
            uptime = reading.uptime
            last = max(reading.time, machine.advanced(by: ahead), last)
        }
        ahead = last.since(machine)
        return last
    }
}
