/// The clock that a client waits by. Tests replace the clock to save the waits.
protocol ClientClock: Sendable {
    /// Time since some fixed moment.
    var now: Duration { get }

    /// Waits for a signal, for a socket, or until a time; with `nil` for a time, waits for ever.
    func wait(_ wake: WakePipe, until: Duration?, socket: (descriptor: Int32, toWrite: Bool)?)
}

/// The machine's clock.
struct SystemClock: ClientClock {
    private let start = ContinuousClock.now

    var now: Duration { start.duration(to: .now) }

    func wait(_ wake: WakePipe, until: Duration?, socket: (descriptor: Int32, toWrite: Bool)?) {
        wake.wait(for: socket, atMost: until.map { max(.zero, $0 - now) })
    }
}
