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
            the daemon starts all the same. A file that cannot be read may have access rules: until it \
            is mended, only root and the daemon's own user may do anything.
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
        let source = source
        let (configuration, problems) = source.read()
        if check {
            let all = problems + StartCheck(configuration).problems()
            for problem in all { Terminal.complain(problem.description) }
            guard all.isEmpty else { throw ExitCode(78) }
            return
        }
        let (whole, missing) = await Self.completed(configuration)
        let daemon = Daemon(
            configuration: whole, problems: problems, missingProject: missing
        ) {
            source.readAgain(after: configuration)
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

    /// Where the configuration is from.
    private var source: ConfigurationSource {
        ConfigurationSource(file: config, flags: flags.values, in: Daemon.surroundings)
    }

    /// The configuration of files and flags, without what is wrong with them.
    func readConfiguration() -> ServerConfiguration { source.read().0 }
}
