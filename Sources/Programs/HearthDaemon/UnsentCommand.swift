import ArgumentParser
import HearthEngine
import HearthModel
import HearthServer

/// `hearthd unsent`: what would be lost with a folder of databases, without a running daemon.
struct UnsentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unsent",
        abstract: "Tell of writes in a store folder that the backend never got.",
        discussion: """
            Prints a line for each database that has any, and nothing if none has. The folder is the \
            configured one, store.folder of hearthd.toml; --folder names another, and --config FILE \
            another configuration.
            """)

    @Option(
        help: ArgumentHelp(
            "The folder of the databases, if not the configured one.", valueName: "folder"))
    var folder: String?

    /// The outer command.
    ///
    /// If both commands have a flag, the parser gives the flag to the outer command, wherever the
    /// flag stands on the command line.
    @ParentCommand var daemon: HearthDaemonCommand

    func run() throws {
        guard let folder = folder ?? daemon.readConfiguration().storeFolder else { return }
        for flaw in StoreFolder.flaws(in: folder) {
            print(ControlCharacters.escaped("\(flaw). Writes may wait in its databases."))
        }
        for file in StoreFolder.databases(in: folder) {
            let line: String?
            do throws(StoreError) {
                line = try Self.line(for: file)
            } catch {
                line = Self.line(forUnreadable: file, error)
            }
            if let line { print(ControlCharacters.escaped(line)) }
        }
    }

    /// A store that cannot be read may have its writes in a log, which the next start takes up.
    private static func line(forUnreadable file: StoredDatabase, _ error: StoreError) -> String {
        guard let outlook = file.outlook() else {
            return "\(file.path): cannot be read, so writes may wait in it. \(error)"
        }
        return "\(file.key): the database is damaged (\(outlook.reason)). The next start of the "
            + "daemon saves \(outlook.waitingCount) unsent writes and \(outlook.rejectedCount) "
            + "rejected ones; others may be lost (\(file.path))"
    }

    private static func line(for file: StoredDatabase) throws(StoreError) -> String? {
        let (waiting, rejected) = try file.counts()
        // A daemon that was killed leaves accepted writes in the intake log alone.
        guard try !file.lacksGroups() else {
            return "\(file.key): at least \(waiting) unsent writes, \(rejected) rejected ones, and "
                + "more in the intake log, which the next start of the daemon takes up "
                + "(\(file.path))"
        }
        guard waiting > 0 || rejected > 0 else { return nil }
        return "\(file.key): \(waiting) unsent writes, \(rejected) rejected ones (\(file.path))"
    }
}
