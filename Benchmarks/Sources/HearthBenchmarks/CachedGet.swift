import ArgumentParser
import Hearth

/// Reads a thousand documents over and over from the cache.
struct CachedGet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "cached-get")

    @OptionGroup var target: Target
    @Option(help: "How many requests are under way at a time, in each process.") var inFlight = 1
    @Option(help: "How many processes read.") var processes = 1
    @Flag(help: "Read the fields of each document too.") var withFields = false

    func run() async throws {
        let firestore = target.connect("bench-get")
        for start in stride(from: 0, to: HotDocuments.count, by: 500) {
            let batch = firestore.batch()
            for index in start..<start + 500 {
                let document = firestore.document(HotDocuments.path(index))
                _ = batch.setData(Sample.data(index), forDocument: document)
            }
            _ = try await batch.commit(until: .accepted)
        }
        let each = target.count / processes
        let name =
            "cached get\(withFields ? " with its fields" : ""), \(inFlight) in flight, "
            + "\(processes) processes"
        // From the second time on a program reads in memory that the daemon shares.
        _ = try await HotDocuments.read(
            firestore, inFlight: 1, count: 3 * HotDocuments.count, withFields: false)
        if processes == 1 {
            try await Measurement.take(operations: each, target.daemon) {
                $0 = try await HotDocuments.read(
                    firestore, inFlight: inFlight, count: each, withFields: withFields)
            }.report(name)
            return
        }
        let children = try (0..<processes).map { _ in
            try Child(
                ["reader"] + target.words(count: each) + ["--in-flight", "\(inFlight)"]
                    + (withFields ? ["--with-fields"] : []))
        }
        for child in children { _ = try child.readLine() }  // It is connected.
        try await Measurement.take(operations: each * processes, target.daemon) { latencies in
            for child in children { try child.writeLine("go") }
            for child in children {
                latencies += try child.readLine().split(separator: " ").compactMap { UInt64($0) }
            }
        }.report(name)
    }
}

/// A process that reads when it is told to, and prints its quantiles.
struct Reader: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "reader", shouldDisplay: false)

    @OptionGroup var target: Target
    @Option var inFlight = 1
    @Flag var withFields = false

    func run() async throws {
        let firestore = target.connect("bench-reader")
        _ = try await HotDocuments.read(
            firestore, inFlight: 1, count: 3 * HotDocuments.count, withFields: false)
        Child.say("ready")
        guard readLine() == "go" else { return }
        let taken = try await HotDocuments.read(
            firestore, inFlight: inFlight, count: target.count, withFields: withFields
        ).sorted()
        let quantiles = (0..<100).map { "\(taken[taken.count * $0 / 100])" }
        Child.say(quantiles.joined(separator: " "))
    }
}

/// The documents that are read.
enum HotDocuments {
    static let count = 1_000

    static func path(_ index: Int) -> String { "bench/doc\(index % count)" }

    static func read(
        _ firestore: Firestore, inFlight: Int, count: Int, withFields: Bool
    ) async throws -> [UInt64] {
        let documents = (0..<self.count).map { firestore.document(path($0)) }
        return try await latencies(tasks: inFlight, each: max(1, count / inFlight)) { task, step in
            let document = documents[(task * 97 + step * 31) % documents.count]
            let snapshot = try await document.getDocument(source: .cache)
            if withFields { _ = snapshot.data() }
        }
    }
}
