import ArgumentParser
import Glibc
import Hearth

/// A node of many small children.
enum ManyChildren {
    static let path = "bench/children"

    /// Writes all of them, so that the daemon knows the whole node.
    static func write(_ count: Int, to database: Database) async throws {
        let children = Dictionary(uniqueKeysWithValues: (0..<count).map { ("k\($0)", child($0)) })
        try await database.reference(withPath: path).setValue(children, until: .accepted)
    }

    /// Listens to the whole node until the iterator goes.
    static func values(of database: Database) -> DatabaseEventSequence<DataSnapshot>.Iterator {
        database.reference(withPath: path).values.makeAsyncIterator()
    }

    /// Waits until a listener is shown so many children.
    static func wait(
        for count: Int, in values: inout DatabaseEventSequence<DataSnapshot>.Iterator
    ) async throws {
        while let shown = try await values.next(), Int(shown.childrenCount) != count {}
    }

    static func child(_ number: Int) -> [String: any Sendable] {
        ["number": number, "name": "Room number \(number)", "isOpen": number.isMultiple(of: 2)]
    }
}

/// Changes one child of many under a listener to the value of all.
struct ChangeUnderValue: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "change-under-value")

    @OptionGroup var target: Target
    @Option(help: "How many children there are.") var children = 10_000

    func run() async throws {
        let database = target.connectInstance("bench-change")
        try await ManyChildren.write(children, to: database)
        let listener = target.connectInstance("bench-value")
        var values = ManyChildren.values(of: listener)
        _ = try await values.next()
        try await Measurement.take(operations: target.count, target.daemon) { latencies in
            for step in 1...target.count {
                let key = "k\(step * 37 % children)"
                let start = Clock.nanoseconds
                try await database.reference(withPath: "\(ManyChildren.path)/\(key)/number")
                    .setValue(children + step, until: .accepted)
                while let shown = try await values.next(),
                    shown.childSnapshot(forPath: "\(key)/number").value as? Int != children + step
                {}
                latencies.append(Clock.nanoseconds - start)
            }
        }.report("change under a value listener of \(children) children")
    }
}

/// Lets new programs load many children, one program after another.
struct LoadChildren: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "load-children")

    @OptionGroup var target: Target
    @Option(help: "How many children there are.") var children = 10_000

    func run() async throws {
        let database = target.connectInstance("bench-children")
        try await ManyChildren.write(children, to: database)
        let before = Measurement.ownBytes(of: target.daemon)
        var programs: [Child] = []
        var (programCPU, programBytes) = (0.0, 0)
        let measurement = try await Measurement.take(
            operations: target.count, target.daemon
        ) { latencies in
            for _ in 0..<target.count {
                let program = try Child(["children-loader"] + target.words(count: children))
                let fields = try program.readLine().split(separator: " ")
                guard fields.count == 3, let time = UInt64(fields[0]),
                    let seconds = Double(fields[1]), let bytes = Int(fields[2])
                else { throw ValidationError("A loader said something else than its figures.") }
                latencies.append(time)
                programCPU += seconds
                programBytes += bytes
                programs.append(program)
            }
        }
        measurement.with(clientCPU: programCPU)
            .report("load \(children) children by a new program")
        let growth = Measurement.ownBytes(of: target.daemon) - before
        Measurement.reportBytes(
            "memory of \(children) children loaded", daemon: growth / max(target.count, 1),
            program: programBytes / max(target.count, 1))
    }
}

/// A new program: loads the children, prints its time, its CPU time and the growth of its memory, and
/// listens on.
struct ChildrenLoader: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "children-loader", shouldDisplay: false)

    @OptionGroup var target: Target

    func run() async throws {
        let database = target.connectInstance("bench-loader")
        let (start, bytes) = (Clock.nanoseconds, Measurement.ownBytes(of: getpid()))
        let cpu = Measurement.cpuSeconds(of: getpid())
        var values = ManyChildren.values(of: database)
        try await ManyChildren.wait(for: target.count, in: &values)
        let time = Clock.nanoseconds - start
        Child.say(
            "\(time) \(Measurement.cpuSeconds(of: getpid()) - cpu) "
                + "\(Measurement.ownBytes(of: getpid()) - bytes)")
        while readLine() != nil {}  // Until our parent is gone.
    }
}
