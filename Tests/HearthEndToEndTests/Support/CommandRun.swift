import HearthTestSupport
import Synchronization

/// What a run of `hearth` came to.
struct CommandRun {
    private static let lastNumber = Mutex(0)

    /// Its exit status.
    let status: Int32
    /// What it printed.
    let output: [String]
    /// What it complained of.
    let complaints: [String]

    /// Runs a command against a machine's daemon, to its end.
    ///
    /// - Parameters:
    ///   - input: What it reads from standard input.
    ///   - launcher: A program with arguments that starts the command, for example as another user.
    init(
        _ world: World, _ machine: Machine, _ arguments: [String], input: String = "",
        launcher: [String] = []
    ) throws {
        let number = Self.lastNumber.withLock { number in
            number += 1
            return number
        }
        let path = world.write(input, to: "command-\(number).input")
        let process = try ChildProcess(
            "hearth", arguments + ["--socket", machine.socketPath],
            log: "\(world.folder.path)/command-\(number).log", input: path,
            output: "\(world.folder.path)/command-\(number)-output.log", launcher: launcher)
        status = process.exitStatus()
        output = Self.lines(world.log("command-\(number)-output"))
        complaints = Self.lines(world.log("command-\(number)"))
    }

    /// How a command ends that may succeed later.
    static let tryAgainStatus: Int32 = 10

    private static func lines(_ text: String) -> [String] {
        text.split(separator: "\n").map(String.init)
    }
}
