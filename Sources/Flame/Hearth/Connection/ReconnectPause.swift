/// How long to wait before the next attempt to reach the daemon.
///
/// The first attempt after a lost connection comes at once, because systemd keeps the socket of a
/// restarting daemon open. Then the pauses double up to `longest`. Each pause varies at random, so
/// that the programs of a machine do not connect all at once.
struct ReconnectPause: Sendable {
    /// The second pause.
    var initial = Duration.milliseconds(50)
    /// The longest pause.
    var longest = Duration.seconds(2)
    private var attempt = 0

    /// Pauses of the usual length, unless told otherwise.
    init(initial: Duration = .milliseconds(50), longest: Duration = .seconds(2)) {
        self.initial = initial
        self.longest = longest
    }

    /// A session has begun: the pauses start again from the first.
    mutating func reset() {
        attempt = 0
    }

    /// The pause before the next attempt.
    mutating func next(using random: inout some RandomNumberGenerator) -> Duration {
        defer { attempt += 1 }
        if attempt == 0 { return .zero }
        let base = min(initial * (1 << min(attempt - 1, 16)), longest)
        return base * Double.random(in: 0.5...1.5, using: &random)
    }
}
