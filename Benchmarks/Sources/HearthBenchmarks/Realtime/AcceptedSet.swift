import ArgumentParser
import Hearth

/// Sets nodes of a Realtime Database, each awaited until it is durable.
struct AcceptedSet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "accepted-set")

    @OptionGroup var target: Target
    @Option(help: "How many write at a time.") var writers = 1
    @Option(help: "What else the name says.") var note = ""

    func run() async throws {
        let database = target.connectInstance("bench-set")
        let each = max(1, target.count / writers)
        try await Measurement.take(operations: each * writers, target.daemon) {
            $0 = try await latencies(tasks: writers, each: each) { writer, step in
                let place = database.reference(withPath: "bench/w\(writer)-\(step % 1_000)")
                try await place.setValue(Sample.data(step), until: .accepted)
            }
        }.report("accepted set, \(writers) writers\(note)")
    }
}

/// Puts writes in the queue of an instance whose daemon does not send them.
struct SetFill: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "set-fill")

    @OptionGroup var target: Target

    func run() async throws {
        let database = target.connectInstance("bench-fill")
        let count = target.count
        let writers = min(128, count)
        let before = Measurement.residentBytes(of: target.daemon)
        try await Measurement.take(operations: count, target.daemon) {
            $0 = try await latencies(tasks: writers, each: count / writers) { writer, step in
                let place = database.reference(withPath: "queued/k\(writer * 10_000 + step)")
                try await place.setValue(Sample.data(step), until: .accepted)
            }
        }.report("fill an instance's queue with \(count), \(writers) writers")
        let growth = Measurement.residentBytes(of: target.daemon) - before
        Measurement.reportBytes(
            "memory of a queued set, of \(count)", daemon: growth / max(count, 1), program: 0)
    }
}

/// Waits until the backend has answered all of an instance's queue.
struct SetDrain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "set-drain")

    @OptionGroup var target: Target

    func run() async throws {
        let database = target.connectInstance("bench-drain")
        try await Measurement.take(operations: target.count, target.daemon) { _ in
            try await database.waitForPendingWrites()
        }.report("acknowledge an instance's queue of \(target.count)")
    }
}
