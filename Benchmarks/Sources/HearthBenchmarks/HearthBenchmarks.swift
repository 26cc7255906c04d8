import ArgumentParser
import Hearth

/// Measures a running daemon. Each measurement prints one line of JSON.
@main
struct HearthBenchmarks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "HearthBenchmarks",
        subcommands: [
            CachedGet.self, AcceptedWrite.self, QueueFill.self, QueueDrain.self,
            WriteToListeners.self, Reader.self, Listeners.self, AcceptedSet.self, SetFill.self,
            SetDrain.self, ChangeUnderValue.self, LoadChildren.self, ChildrenLoader.self,
            SetToListeners.self, NodeListeners.self, CacheChildren.self, RestartedChildren.self,
        ])
}

/// What every measurement needs.
struct Target: ParsableArguments {
    @Option(help: "The daemon's socket.") var socket: String
    @Option(help: "The daemon's process, whose CPU time is counted.") var daemon: Int32
    @Option(help: "How many operations.") var count = 20_000

    func connect(_ name: String) -> Firestore {
        Firestore(settings: FirestoreSettings(socketPath: socket, programName: name))
    }

    /// The daemon's own instance of the Realtime Database.
    func connectInstance(_ name: String) -> Database {
        Database(settings: DatabaseSettings(socketPath: socket, programName: name))
    }

    /// The words that hand these options to a child process.
    func words(count: Int) -> [String] {
        ["--socket", socket, "--daemon", "\(daemon)", "--count", "\(count)"]
    }
}

/// Runs `body` `count` times in each of so many tasks and gathers how long each took.
///
/// - Returns: Nanoseconds.
func latencies(
    tasks: Int, each: Int,
    _ body: @escaping @Sendable (_ task: Int, _ step: Int) async throws -> Void
) async throws -> [UInt64] {
    try await withThrowingTaskGroup(of: [UInt64].self) { group in
        for task in 0..<tasks {
            group.addTask {
                var taken: [UInt64] = []
                taken.reserveCapacity(each)
                for step in 0..<each {
                    let start = Clock.nanoseconds
                    try await body(task, step)
                    taken.append(Clock.nanoseconds - start)
                }
                return taken
            }
        }
        var all: [UInt64] = []
        for try await taken in group { all += taken }
        return all
    }
}
