import HearthEngine
import HearthModel
import HearthRealtime

/// Increments over a link that breaks again and again. Seconds after a break the service goes on
/// with the messages that it had received, and only then notes the end of the connection.
///
/// All of it happens on a manual clock, by seeds.
package struct RealtimeCountStory {
    /// How it ended.
    package struct Ending: Sendable {
        /// What the increments add up to at the service.
        package let total: Int64
        /// How often the link was cut.
        package let cutCount: Int
        /// How many requests the service did for a connection that the daemon had lost.
        package let lateCount: Int
        /// Writes that were lost, or were applied otherwise than once.
        package let faults: [String]
    }

    private var random: SeededRandom
    private var clock = ManualClock()
    private let service = SimulatedService(daemonCount: 1)
    private let ledger = RealtimeLedger()
    private let daemon: SimulatedDaemon
    private var (cutCount, lateCount) = (0, 0)

    /// Lets a program add one `increments` times, while the link is cut `cuts` times.
    package static func run(seed: UInt64, increments: Int, cuts: Int) -> Ending {
        var story = RealtimeCountStory(seed: seed)
        for number in 1...increments {
            story.increment()
            if number.isMultiple(of: increments / cuts) { story.cut() }
        }
        story.settle()
        let root = story.service.root
        var total: Int64 = 0
        if case .integer(let number)? = root.child("total").leaf { total = number }
        let faults = story.ledger.faults(in: root, isOnce: true) { _, _ in false }
        return Ending(
            total: total, cutCount: story.cutCount, lateCount: story.lateCount,
            faults: faults + story.daemon.faults)
    }

    private init(seed: UInt64) {
        guard let instance = RealtimeDriver.instance else { preconditionFailure("No instance") }
        random = SeededRandom(seed: seed)
        daemon = SimulatedDaemon(
            0, service, ledger,
            RealtimeEngine.Configuration(instance: instance, fence: "fences"),
            on: RealtimeMemoryStore(), at: clock.now)
    }

    private mutating func increment() {
        let part = RealtimeChange.Part(
            WritePath("total"), UnresolvedNode(.increment(.integer(1))))
        daemon.write(ledger.add(part, by: 0), at: clock.now)
        if Int.random(in: 0..<3, using: &random) == 0 {
            work(Int.random(in: 1...8, using: &random))
        }
    }

    /// The service serves some requests, and the daemon hears some answers.
    private mutating func work(_ count: Int) {
        for _ in 0..<count {
            if let id = service.busy.last { service.serve(id, at: clock.now) }
            if Bool.random(using: &random), let event = service.takeNews(for: 0) {
                daemon.take(.upstream(event), at: clock.now)
            }
        }
    }

    /// The link breaks, and for some seconds the service goes on with the messages that it has.
    private mutating func cut() {
        cutCount += 1
        daemon.cut(at: clock.now)
        let lateAfter = Int.random(in: 2...8, using: &random)
        for second in 1...10 {
            pass(.seconds(1))
            if second == lateAfter { finishBroken() }
            exchange()
        }
    }

    /// The service does what the lost connections had carried, and notes their ends.
    private mutating func finishBroken() {
        for id in service.broken {
            while service.broken.contains(id) {
                lateCount += 1
                service.serve(id, at: clock.now)
            }
        }
    }

    /// What can be done on the connection that stands is done.
    private func exchange() {
        while true {
            if let event = service.takeNews(for: 0) {
                daemon.take(.upstream(event), at: clock.now)
            } else if let id = service.busy.first(where: { !service.broken.contains($0) }) {
                service.serve(id, at: clock.now)
            } else {
                return
            }
        }
    }

    /// Time passes, and the timers run out that are due.
    private mutating func pass(_ duration: Duration) {
        let end = clock.now.advanced(by: duration)
        while let next = daemon.nextTimer(besides: []), next.at <= end {
            clock.advance(to: max(clock.now, next.at))
            daemon.fire(next.timer, at: clock.now)
        }
        clock.advance(to: end)
    }

    private mutating func settle() {
        for _ in 0..<60 where daemon.isWaiting(among: [.unauthenticated]) {
            finishBroken()
            exchange()
            pass(.seconds(5))
        }
    }
}
