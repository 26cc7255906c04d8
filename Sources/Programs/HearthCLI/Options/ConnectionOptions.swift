import ArgumentParser
import Hearth

/// What every command takes: which daemon, which database, how to print.
struct ConnectionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The daemon's socket, if not $HEARTH_SOCKET or the machine's.", valueName: "path"),
        completion: .file())
    var socket: String?

    @Option(
        help: ArgumentHelp(
            "The database, if not the daemon's default.", valueName: "project[/database]"),
        completion: CompletionSubject.database.kind)
    var database: String?

    @Flag(help: "Print JSON, one object a line. What it holds, each command's help says.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print results and errors only.")
    var quiet = false

    func validate() throws {
        if databaseParts.count > 2 || databaseParts.contains("") {
            throw ValidationError("--database takes PROJECT or PROJECT/DATABASE.")
        }
    }

    private var databaseParts: [String] {
        guard let database else { return [] }
        return database.utf8.split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false
        ).map { String(decoding: $0, as: UTF8.self) }
    }

    /// What the library needs to know.
    var settings: FirestoreSettings {
        let parts = databaseParts
        return FirestoreSettings(
            socketPath: socket, projectID: parts.first,
            databaseID: parts.count == 2 ? parts[1] : "(default)", programName: "hearth",
            connectTimeout: DaemonVigil.connectTimeout)
    }
}
