import HearthServer
import Synchronization

/// Where the daemon's configuration is from: a file, the folder beside the file, and flags.
final class ConfigurationSource: Sendable {
    private let path: String?
    private let isNamed: Bool
    private let flags: ConfigurationLayer
    private let surroundings: Surroundings
    /// The layers of files that count: of the start, or of the last reload that was not refused.
    private let counting = Mutex<[ConfigurationLayer]>([])

    /// Reads nothing yet.
    ///
    /// - Parameter file: The file that somebody named; `nil` for the usual file, which may be missing.
    init(file: String?, flags: [String: String], in surroundings: Surroundings) {
        path = file ?? surroundings.configurationFolder.map { $0 + "/hearthd.toml" }
        isNamed = file != nil
        self.flags = ConfigurationLayer(flags: flags)
        self.surroundings = surroundings
    }

    /// The configuration for a start, and what is wrong. Blocks on the disk.
    func read() -> (ServerConfiguration, [ConfigurationProblem]) {
        let (layers, configuration, problems) = read(after: nil)
        counting.withLock { $0 = layers }
        return (configuration, problems)
    }

    /// The configuration for a reload, judged as `--check` judges a configuration. Blocks on the disk.
    ///
    /// If nothing is wrong, the files of this configuration count from now on.
    ///
    /// - Parameter started: The configuration of the start. A fault that the configuration of the
    ///   start has now as well, such as a key that is gone, is no fault of the new configuration:
    ///   an urgent change of a right must not wait for the key.
    func readAgain(
        after started: ServerConfiguration
    ) -> (ServerConfiguration, [ConfigurationProblem]) {
        let (layers, configuration, wrong) = read(after: counting.withLock { $0 })
        let known = Set(StartCheck(started, isReload: true).problems())
        let found = StartCheck(configuration, isReload: true).problems()
        let problems = wrong + found.filter { !known.contains($0) }
        if problems.isEmpty { counting.withLock { $0 = layers } }
        return (configuration, problems)
    }

    private func read(
        after counting: [ConfigurationLayer]?
    ) -> (
        layers: [ConfigurationLayer], configuration: ServerConfiguration,
        problems: [ConfigurationProblem]
    ) {
        var layers: [ConfigurationLayer] = []
        var problems: [ConfigurationProblem] = []
        if let path {
            (layers, problems) = ConfigurationFiles.read(
                path, mayBeMissing: !isNamed, after: counting)
        }
        let joined = ServerConfiguration.join(
            layers + [flags], unread: problems.map(\.origin), in: surroundings)
        return (layers, joined.configuration, problems + joined.problems)
    }
}
