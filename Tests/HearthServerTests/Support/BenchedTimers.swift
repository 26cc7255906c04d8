/// The timers that an engine on a bench has set; a test says which fires.
struct BenchedTimers<Timer: Equatable> {
    private var timers: [Timer] = []

    /// Sets a timer, if it is not set.
    mutating func schedule(_ timer: Timer) {
        if !timers.contains(timer) { timers.append(timer) }
    }

    /// Forgets a timer.
    mutating func cancel(_ timer: Timer) {
        timers.removeAll { $0 == timer }
    }

    /// Takes one of the timers, whatever the number; `nil` if none is set.
    mutating func take(_ number: UInt8) -> Timer? {
        timers.isEmpty ? nil : timers.remove(at: Int(number) % timers.count)
    }
}
