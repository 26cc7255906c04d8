import ArgumentParser
import HearthEmulator
import HearthModel
import HearthServer
import Logging

/// `hearthd emulate`: the other side, for trying things out without Google's.
struct EmulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "emulate",
        abstract: "Serve google.firestore.v1 as Firestore does, for development and tests.",
        discussion: "Believes every caller and answers any database of any project.")

    @Option(
        help: ArgumentHelp(
            "Where to serve; may be given more than once.", valueName: "host:port|unix:path"))
    var firestore: [String] = ["127.0.0.1:8080"]

    @Option(help: ArgumentHelp("A folder that outlives the process.", valueName: "folder"))
    var data: String?

    @Option(name: .customLong("log.level"), help: "The least important messages that are logged.")
    var logLevel: String?

    /// The parser gives a flag that both commands have to the outer one, wherever it stands.
    @ParentCommand var daemon: HearthDaemonCommand

    func run() async throws {
        let logger = Daemon.logger(level: logLevel ?? daemon.flags.logLevel ?? "notice")
        do {
            let emulator = try Emulator(
                configuration: EmulatorConfiguration(
                    firestore: firestore.map { text throws(HearthError) in
                        try EmulatorAddress(text)
                    },
                    dataFolder: data),
                logger: logger)
            let signals = Signals()
            let stopping = Task {
                await signals.stopRequested()
                emulator.shutdown()
            }
            defer { stopping.cancel() }
            try await emulator.run()
        } catch let error as HearthError {
            Terminal.complain("hearthd emulate: \(error.message)")
            throw ExitCode.failure
        }
    }
}
