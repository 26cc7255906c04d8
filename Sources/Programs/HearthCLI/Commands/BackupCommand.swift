import ArgumentParser
import Hearth
import Synchronization

/// `hearth backup`.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Write cache and queue of all databases of the daemon into a file.",
        discussion: """
            The daemon goes on meanwhile. Each database is in the file as it was at one moment, with \
            every write that was accepted before. The file can be read by its owner alone, and \
            replaces a file of the same name once it is whole. Only root and the daemon's own user \
            may do this, and whom the access rules let administer and read all of every database. \
            Put it back with `hearth restore`. JSON: path, bytes, databases.
            """)

    @Argument(help: "Where to write.", completion: .file())
    var file: String
    @OptionGroup var connection: OperatorOptions

    /// What has come so far.
    private struct Progress: Sendable {
        var byteCount = 0
        var databases: [String] = []
    }

    func run() async throws {
        let session = try await OperatorSession.open(connection, patience: .seconds(5))
        let (path, isShown) = (file, !connection.quiet && !connection.json)
        let progress = Mutex(Progress())
        try await session.attempt("back up") {
            let output = try PrivateFile(path)
            try await session.database.takeDaemonBackup { part in
                try output.append(part.bytes)
                let byteCount = progress.withLock { progress in
                    progress.byteCount += part.bytes.count
                    if !part.database.isEmpty, progress.databases.last != part.database {
                        progress.databases.append(part.database)
                    }
                    return progress.byteCount
                }
                Self.show(byteCount, of: part, isShown: isShown)
            }
            try output.finish()
        }
        if isShown, Terminal.isOurs(.error) { Terminal.order("\r\u{1B}[K", to: .error) }
        tell(progress.withLock { $0 })
    }

    private static func show(_ byteCount: Int, of part: DaemonBackupPart, isShown: Bool) {
        guard isShown, Terminal.isOurs(.error) else { return }
        let bar = ProgressBar(
            label: "backing up, MiB", total: max(1, part.byteCountExpected >> 20),
            width: Terminal.width(.error))
        Terminal.order("\r\u{1B}[K" + bar.line(done: byteCount >> 20, rate: nil), to: .error)
    }

    private func tell(_ progress: Progress) {
        if connection.json {
            Terminal.print(
                Report().with("path", file).with("bytes", progress.byteCount)
                    .with("databases", .array(progress.databases.map(ValueLiteral.string))).line)
        } else if !connection.quiet {
            let count = Quantity.count(progress.databases.count, "database", "databases")
            let size = Quantity.bytes(progress.byteCount)
            Terminal.print("backed up \(count), \(size), to \(file)")
        }
    }
}
