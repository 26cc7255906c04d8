import ArgumentParser
import Glibc
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
        var values = database.reference(withPath: ManyChildren.path).values.makeAsyncIterator()
        while let shown = try await values.next(), Int(shown.childrenCount) != children {}
    }
}

/// Listens to many children that a daemon has on disk since before its start.
struct RestartedChildren: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "restarted-children")

    @OptionGroup var target: Target
    @Option(help: "How many children there are.") var children = 100_000

    func run() async throws {
        let database = target.connectInstance("bench-restarted")
        let place = database.reference(withPath: ManyChildren.path)
        let daemonBefore = Measurement.cpuSeconds(of: target.daemon)
        let clientBefore = Measurement.cpuSeconds(of: getpid())
        let start = Clock.nanoseconds
        var added = place.events(.childAdded).makeAsyncIterator()
        var values = place.values.makeAsyncIterator()
        _ = try await added.next()
        let first = Clock.nanoseconds - start
        while let shown = try await values.next(), Int(shown.childrenCount) != children {}
        let all = Clock.nanoseconds - start
        for (name, time) in [("first", first), ("all", all)] {
            Measurement(
                operations: 1, seconds: Double(time) / 1e9,
                daemonCPU: Measurement.cpuSeconds(of: target.daemon) - daemonBefore,
                clientCPU: Measurement.cpuSeconds(of: getpid()) - clientBefore, latencies: [time]
            ).report("\(name) of \(children) children after a restart")
        }
    }
}
