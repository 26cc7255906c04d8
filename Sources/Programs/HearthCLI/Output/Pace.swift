/// How fast something goes at present: by what was done in the last seconds, not since its start.
struct Pace {
    /// How far back the present reaches.
    static let window = Duration.seconds(5)
    /// Shorter spans tell nothing.
    private static let spanMin = Duration.milliseconds(100)

    private var samples: [(elapsed: Duration, done: Int)] = []

    /// Notes how much is done, after some time.
    mutating func note(_ done: Int, after elapsed: Duration) {
        samples.append((elapsed, done))
        // The newest sample older than the window stays: the samples must span the whole window.
        while samples.count > 2, elapsed - samples[1].elapsed >= Self.window {
            samples.removeFirst()
        }
    }

    /// How many things are done in a second; `nil` if it is too early to tell.
    var rate: Double? {
        guard let first = samples.first, let last = samples.last,
            last.elapsed - first.elapsed >= Self.spanMin
        else { return nil }
        return max(
            0, Double(last.done - first.done) / ((last.elapsed - first.elapsed) / .seconds(1)))
    }
}
