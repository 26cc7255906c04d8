import ArgumentParser
import HearthModel
import HearthSQLite
import HearthServer

/// `hearthd`: keeps the cache of this machine and speaks with the backend.
struct HearthDaemonCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hearthd",
        abstract: """
            An offline-first Cloud Firestore and Realtime Database for every program on this machine.
            """,
        discussion: """
            Reads its configuration from a file, the folder conf.d beside it, and flags, which win. \
            Every key of the file is a flag of the same name. Wrong values are told and left out; \
            the daemon starts all the same.
            """,
        version: HearthServer.version,
        subcommands: [
            EmulateCommand.self, UnsentCommand.self, RestoreCommand.self, ForkCommand.self,
        ])

    @Option(help: "The configuration file.")
    var config: String?

    @Flag(
        help: """
            Check the configuration and the files that it names, and exit: 0 if nothing would fail at \
            the start, 78 if not.
            """)
    var check = false

    @Flag(
        help: ArgumentHelp(
            "Print hearthd.toml, with every key and its default, and exit.", visibility: .hidden))
    var printDefaults = false

    @OptionGroup(title: "Configuration")
    var flags: ConfigurationFlags

    func run() async throws {
        if printDefaults { return print(ConfigurationText.whole, terminator: "") }
        let (configuration, problems) = readConfiguration()
        if check {
            let all = problems + StartCheck(configuration).problems()
            for problem in all { Terminal.complain(problem.description) }
            guard all.isEmpty else { throw ExitCode(78) }
            return
        }
        let (whole, missing) = await Self.completed(configuration)
        let (path, values) = (config, flags.values)
        let daemon = Daemon(
            configuration: whole, problems: problems, missingProject: missing
        ) {
            Self.readAgain(at: path, values, after: configuration)
        }
        await daemon.run()
    }

    /// The configuration with the project that it left out, or with why none is known.
    private static func completed(
        _ configuration: ServerConfiguration
    ) async -> (ServerConfiguration, missingProject: String?) {
        guard configuration.database == nil else { return (configuration, nil) }
        do throws(HearthError) {
            var configuration = configuration
            let project = try await ProjectSearch(configuration).project()
            configuration.database = DatabaseID(
                project: project, database: configuration.databaseName)
            return (configuration, nil)
        } catch {
            return (configuration, error.message)
        }
    }

    /// The configuration of files and flags, and what is wrong with them.
    func readConfiguration() -> (ServerConfiguration, [ConfigurationProblem]) {
        Self.readConfiguration(at: config, flags.values)
    }

    /// The configuration for a reload, judged as `--check` judges a configuration.
    ///
    /// - Parameter started: The configuration of the start. What fails in it now as well, such as a
    ///   key that is gone, is no fault of the new one: an urgent change of a right must not wait for
    ///   the key.
    private static func readAgain(
        at path: String?, _ flags: [String: String], after started: ServerConfiguration
    ) -> (ServerConfiguration, [ConfigurationProblem]) {
        let (configuration, problems) = readConfiguration(at: path, flags, isAgain: true)
        let known = Set(StartCheck(started).problems())
        let found = StartCheck(configuration).problems().filter { !known.contains($0) }
        return (configuration, problems + found)
    }

    private static func readConfiguration(
        at path: String?, _ flags: [String: String], isAgain: Bool = false
    ) -> (ServerConfiguration, [ConfigurationProblem]) {
        var layers: [ConfigurationLayer] = []
        var problems: [ConfigurationProblem] = []
        if let path = path ?? Daemon.defaultConfigurationPath {
            (layers, problems) = ConfigurationFiles.read(path, isAgain: isAgain)
        }
        layers.append(ConfigurationLayer(flags: flags))
        let joined = ServerConfiguration.join(layers, in: Daemon.surroundings)
        return (joined.configuration, problems + joined.problems)
    }
}
