import Glibc
import HearthTestSupport
import Synchronization

/// A command line at a terminal, with what a person would see.
final class TerminalRun: Sendable {
    private static let lastNumber = Mutex(0)

    private let world: World
    private let process: ChildProcess
    private let name: String

    /// Types a line to a shell whose terminal is ours, in the world's folder.
    ///
    /// - Parameter columns: How many characters a line of the terminal has.
    init(_ world: World, _ machine: Machine, _ line: String, columns: Int = 80) throws {
        let number = Self.lastNumber.withLock { number in
            number += 1
            return number
        }
        self.world = world
        name = "terminal-\(number)"
        let folder = world.folder.path
        let programs = try ChildProcess.buildFolder()
        process = try ChildProcess(
            "/usr/bin/script",
            [
                "--quiet", "--return", "--command",
                "stty cols \(columns) && cd \(folder) && \(line)", "/dev/null",
            ],
            log: "\(folder)/\(name).log", input: "/dev/null", output: "\(folder)/\(name).log",
            environment: [
                "PATH=\(programs):/usr/bin:/bin", "SHELL=/bin/sh", "TERM=xterm",
                "HEARTH_SOCKET=\(machine.socketPath)",
            ])
    }

    /// Everything that was sent to the terminal up to now.
    var sent: String { world.log(name) }

    /// The lines that stand on the terminal: of a line that was written over, the last text.
    var lines: [String] {
        sent.split(separator: "\r\n").map { line in
            String(line.split(separator: "\r\u{1B}[K", omittingEmptySubsequences: false).last ?? "")
        }
    }

    /// Returns the exit status of the line when it has ended.
    func exitStatus() -> Int32 { process.exitStatus() }
}
