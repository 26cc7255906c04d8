import ArgumentParser
import HearthBackend
import HearthCLI
import HearthConsole
import HearthEmulator
import HearthModel
import HearthServer
import Logging

/// `hearthd emulate`: the other side, for trying things out without Google's.
struct EmulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "emulate",
        abstract: "Serve Firestore and the Realtime Database, for development and tests.",
        discussion: """
            Serves google.firestore.v1 by gRPC and REST, and the Realtime Database by REST and its \
            protocol, at the same addresses. Believes every caller and answers any database of any \
            project. Files of documents are JSON, as REST shows them or plain \
            (`{"rooms/hall": {"seats": 80}}`), or bundles. With rules, who does not present \
            itself as the owner may do only what they allow.

            Browsers may ask for it under this machine's hosts alone, so that no web page can let \
            its own name lead here.

            Faults can be changed at any time: GET, POST or DELETE /emulator/v1/hearth/faults.
            """)

    @Option(
        help: ArgumentHelp(
            "Where to serve; may be given more than once.", valueName: "host:port|unix:path"))
    var firestore: [String] = ["127.0.0.1:8080"]

    @Option(
        help: ArgumentHelp(
            "Where to serve besides, for clients that look for the Realtime Database at a port of its "
                + "own; may be given more than once.", valueName: "host:port|unix:path"))
    var realtime: [String] = []

    @Option(
        help: ArgumentHelp(
            "How often a stream of the Realtime Database's REST shows that it lives.",
            valueName: "seconds"), transform: WholeNumber.positive)
    var keepAlive: Int = 30

    @Option(
        help: ArgumentHelp(
            "How long a client of the Realtime Database's protocol may be silent before the emulator "
                + "gives it up.", valueName: "seconds"), transform: WholeNumber.positive)
    var silence: Int = 60

    @Option(
        help: ArgumentHelp(
            "The folder that keeps data and rules from one start to the next. Without it, all is "
                + "gone at the end.", valueName: "folder"))
    var data: String?

    @Option(
        help: ArgumentHelp(
            "Security rules of all projects that are given none of their own by PUT. What was given "
                + "stays in the data folder and wins.", valueName: "file"))
    var rules: String?

    @Option(
        help: ArgumentHelp(
            "Data to begin with, if there is none: documents, or a folder as Firebase's tools export "
                + "it, whose trees fill empty ones.", valueName: "file|folder"))
    var seed: [String] = []

    @Option(
        help: ArgumentHelp(
            "Show data, requests and rules in a browser, at a port of 127.0.0.1. The log names a "
                + "file that only you can read; it lets one browser in, once.",
            valueName: "host:port"))
    var console: String?

    @Option(
        name: .customLong("import"),
        help: ArgumentHelp(
            "Data to bring in at each start, in place of trees that are there.",
            valueName: "file|folder"))
    var imports: [String] = []

    @Option(
        help: ArgumentHelp(
            "Where to write all data at the end: documents to a file that ends in .json or .bundle, "
                + "documents and trees to a folder as Firebase's tools export it.",
            valueName: "file|folder"))
    var exportOnExit: String?

    @Option(
        help: ArgumentHelp(
            "Where requests for :export and :import may have files written and read. Without it, none.",
            valueName: "folder"))
    var files: String?

    @Option(
        help: ArgumentHelp(
            "A host beside this machine's own by which browsers may ask for the emulator, and whose "
                + "pages may clear it and give it rules and faults; may be given more than once.",
            valueName: "name"))
    var webHost: [String] = []

    @Option(
        help: ArgumentHelp(
            "The database of documents whose file names none.",
            valueName: "projects/p/databases/d"))
    var database = "projects/demo/databases/(default)"

    @Option(
        help: ArgumentHelp(
            "What goes wrong: Commit:delay=200ms*3, any:refuse=UNAVAILABLE, Commit:loseAnswer, "
                + "Write:applyLate=5000ms, Listen:cutStream=5, RunQuery:slowStream=50ms. In the "
                + "Realtime Database, Realtime.Put:refuse=datastale, Realtime.Connect:noPong and "
                + "Realtime.Connect:foreignHost=NAME besides; Connect, Auth, Listen, Get, Put, Merge "
                + "and OnDisconnect can fail.",
            valueName: "method:kind=value*calls"))
    var fault: [String] = []

    @Option(
        help: ArgumentHelp("How far the clock is ahead; may be negative.", valueName: "seconds"),
        transform: WholeNumber.parse(in: Int.min...Int.max))
    var clockStep: Int = 0

    @Flag(help: "Refuse queries that production would not run without a composite index.")
    var requireIndexes = false

    @Flag(
        help: """
            Refuse what the hosted Realtime Database would besides: answers of more than 256 MiB, and \
            more than 60,000 writes or 64 MiB to one tree in a minute.
            """)
    var limits = false

    @Argument(
        help: ArgumentHelp(
            "With --require-indexes, the indexes that are declared: a firestore.indexes.json.",
            valueName: "file"))
    var indexes: String?

    @Option(name: .customLong("log.level"), help: "The least important messages that are logged.")
    var logLevel: String?

    /// The outer command.
    ///
    /// If both commands have a flag, the parser gives the flag to the outer command, wherever the
    /// flag stands on the command line.
    @ParentCommand var daemon: HearthDaemonCommand

    func validate() throws {
        guard indexes == nil || requireIndexes else {
            throw ValidationError("A file of indexes counts only with --require-indexes.")
        }
        if let console {
            do throws(HearthError) {
                _ = try ConsolePort(console)
            } catch {
                throw ValidationError("--console: \(error.message)")
            }
        }
    }

    func run() async throws {
        let level = Logger.Level(rawValue: logLevel ?? daemon.flags.values["log.level"] ?? "notice")
        let logger = Daemon.logger(threshold: LogThreshold(level ?? .info))
        do {
            let emulator = try Emulator(configuration: try configuration, logger: logger)
            if let rules { try Self.load(rules, into: emulator) }
            let signals = Signals()
            let stopping = Task {
                await signals.stopRequested()
                emulator.shutdown()
            }
            defer { stopping.cancel() }
            SpareMemory.beginReturning()
            try await run(emulator, logger)
        } catch let error as HearthError {
            Terminal.complain("hearthd emulate: \(error.message)")
            throw ExitCode.failure
        }
    }

    /// Runs the emulator, and a console beside it if one was asked for.
    private func run(_ emulator: Emulator, _ logger: Logger) async throws {
        guard let port = try console.map({ text throws(HearthError) in try ConsolePort(text) }),
            let desk = emulator.desk
        else { return try await emulator.run() }
        let addresses = ServingAddresses(firestore)
        let count = firestore.count
        let source = EmulatorSource(desk: desk, addresses: addresses)
        let console = try await Console.start(source, port: port.number)
        do {
            try await emulator.run { bound in
                addresses.became(bound.prefix(count).map(\.description))
                logger.notice(
                    "console ready",
                    metadata: ["address": "\(console.address)", "file": "\(console.entryPath)"])
            }
        } catch {
            await console.end()
            throw error
        }
        await console.end()
    }

    private var configuration: EmulatorConfiguration {
        get throws(HearthError) {
            var addresses: [EmulatorAddress] = []
            for text in firestore { addresses.append(try EmulatorAddress(text)) }
            var configuration = EmulatorConfiguration(firestore: addresses, dataFolder: data)
            for text in realtime { configuration.realtime.append(try EmulatorAddress(text)) }
            configuration.realtimeTimes.keepAlive = .seconds(keepAlive)
            configuration.realtimeTimes.silence = .seconds(silence)
            if requireIndexes { configuration.settings.indexes = try IndexFile.read(indexes) }
            if limits { configuration.realtimeLimits = HostedLimits() }
            configuration.seeds = seed
            configuration.imports = imports
            configuration.exportPath = exportOnExit
            configuration.filesFolder = files
            configuration.hostNames = webHost
            configuration.database = try EmulatorConfiguration.database(database)
            configuration.faults = fault
            configuration.clockStep = .seconds(clockStep)
            configuration.keepsRequests = console != nil
            return configuration
        }
    }

    private static func load(_ path: String, into emulator: Emulator) throws(HearthError) {
        let source = try RulesFile.read(path)
        do throws(HearthError) {
            try emulator.setRules(source)
        } catch {
            throw HearthError(code: error.code, message: "\(path): \(error.message)")
        }
    }
}
