import ArgumentParser
import Hearth

/// Measures a running daemon. Each measurement prints one line of JSON.
@main
struct HearthBenchmarks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "HearthBenchmarks",
        subcommands: [CachedGet.self, AcceptedWrite.self, WriteToListener.self, Listener.self])
}

/// What every measurement needs.
struct Target: ParsableArguments {
    @Option(help: "The daemon's socket.") var socket: String
    @Option(help: "The daemon's process, whose CPU time is counted.") var daemon: Int32
    @Option(help: "How many operations.") var count = 20_000

    func connect(_ name: String) -> Firestore {
        Firestore(settings: FirestoreSettings(socketPath: socket, programName: name))
    }
}

/// Reads one document over and over from the cache.
struct CachedGet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "cached-get")

    @OptionGroup var target: Target
    @Option(help: "How many requests are under way at a time.") var inFlight = 1

    func run() async throws {
        let firestore = target.connect("bench-get")
        let documents = (0..<1_000).map { firestore.document("bench/doc\($0)") }
        for start in stride(from: 0, to: documents.count, by: 500) {
            let batch = firestore.batch()
            for document in documents[start..<start + 500] {
                _ = batch.setData(Sample.data(start), forDocument: document)
            }
            _ = try await batch.commit(until: .accepted)
        }
        let each = target.count / inFlight
        let measured = try await Measurement.take(operations: each * inFlight, target.daemon) {
            latencies in
            try await withThrowingTaskGroup(of: [UInt64].self) { group in
                for worker in 0..<inFlight {
                    group.addTask {
                        var taken: [UInt64] = []
                        taken.reserveCapacity(each)
                        for step in 0..<each {
                            let document = documents[(worker * 97 + step * 31) % documents.count]
                            let start = Clock.nanoseconds
                            _ = try await document.getDocument(source: .cache)
                            taken.append(Clock.nanoseconds - start)
                        }
                        return taken
                    }
                }
                for try await taken in group { latencies += taken }
            }
        }
        measured.report("cached get, \(inFlight) in flight")
    }
}

/// Writes documents, each awaited until it is durable.
struct AcceptedWrite: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "accepted-write")

    @OptionGroup var target: Target
    @Option(help: "How many write at a time.") var writers = 1

    func run() async throws {
        let firestore = target.connect("bench-write")
        let each = target.count / writers
        let measured = try await Measurement.take(operations: each * writers, target.daemon) {
            latencies in
            try await withThrowingTaskGroup(of: [UInt64].self) { group in
                for writer in 0..<writers {
                    group.addTask {
                        var taken: [UInt64] = []
                        taken.reserveCapacity(each)
                        for step in 0..<each {
                            let document = firestore.document("bench/w\(writer)-\(step % 1_000)")
                            let start = Clock.nanoseconds
                            _ = try await document.setData(Sample.data(step), until: .accepted)
                            taken.append(Clock.nanoseconds - start)
                        }
                        return taken
                    }
                }
                for try await taken in group { latencies += taken }
            }
        }
        measured.report("accepted write, \(writers) writers")
    }
}
