import ArgumentParser
import Hearth

/// Has a daemon cache many children, all of which the backend has.
struct CacheChildren: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "cache-children")

    @OptionGroup var target: Target
    @Option(help: "How many children there are.") var children = 100_000

    func run() async throws {
        let database = target.connectInstance("bench-cache")
        try await ManyChildren.write(children, to: database)
        try await database.waitForPendingWrites()
        var values = ManyChildren.values(of: database)
        try await ManyChildren.wait(for: children, in: &values)
    }
}

/// Listens to many children that a daemon has on disk since before its start.
struct RestartedChildren: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "restarted-children")

    @OptionGroup var target: Target
    @Option(help: "How many children there are.") var children = 100_000

    func run() async throws {
        let database = target.connectInstance("bench-restarted")
        let beginning = Measurement.Beginning(target.daemon)
        var added = database.reference(withPath: ManyChildren.path).events(.childAdded)
            .makeAsyncIterator()
        var values = ManyChildren.values(of: database)
        _ = try await added.next()
        let first = beginning.measurement()
        try await ManyChildren.wait(for: children, in: &values)
        let all = beginning.measurement()
        for (name, measurement) in [("first", first), ("all", all)] {
            measurement.report("\(name) of \(children) children after a restart")
        }
    }
}
