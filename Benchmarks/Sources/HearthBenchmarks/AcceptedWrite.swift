import ArgumentParser
import Hearth

/// Writes documents, each awaited until it is durable.
struct AcceptedWrite: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "accepted-write")

    @OptionGroup var target: Target
    @Option(help: "How many write at a time.") var writers = 1
    @Option(help: "What else the name says.") var note = ""

    func run() async throws {
        let firestore = target.connect("bench-write")
        let each = max(1, target.count / writers)
        try await Measurement.take(operations: each * writers, target.daemon) {
            $0 = try await latencies(tasks: writers, each: each) { writer, step in
                let document = firestore.document("bench/w\(writer)-\(step % 1_000)")
                _ = try await document.setData(Sample.data(step), until: .accepted)
            }
        }.report("accepted write, \(writers) writers\(note)")
    }
}

/// Puts batches in the queue of a daemon that does not send them.
struct QueueFill: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "queue-fill")

    @OptionGroup var target: Target
    @Flag(help: "Switch the network off before.") var offline = false

    func run() async throws {
        let firestore = target.connect("bench-fill")
        if offline { try await firestore.disableNetwork() }
        let count = target.count
        let writers = min(128, count)
        try await Measurement.take(operations: count, target.daemon) {
            $0 = try await latencies(tasks: writers, each: count / writers) { writer, step in
                let document = firestore.document("queued/d\(writer * 10_000 + step)")
                _ = try await document.setData(Sample.data(step), until: .accepted)
            }
        }.report("fill the queue with \(count), \(writers) writers")
    }
}

/// Lets a daemon send its queue, and waits until the backend has answered all of it.
struct QueueDrain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "queue-drain")

    @OptionGroup var target: Target

    func run() async throws {
        let firestore = target.connect("bench-drain")
        try await Measurement.take(operations: target.count, target.daemon) { _ in
            try await firestore.enableNetwork()
            try await firestore.waitForPendingWrites()
        }.report("acknowledge a queue of \(target.count)")
    }
}
