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
        if let database, DatabaseName(database) == nil {
            throw ValidationError(DatabaseName.complaint)
        }
    }

    /// What the library needs to know.
    var settings: FirestoreSettings {
        let name = database.flatMap(DatabaseName.init)
        return FirestoreSettings(
            socketPath: socket, projectID: name?.project,
            databaseID: name?.database ?? "(default)", programName: "hearth",
            connectTimeout: DaemonVigil.connectTimeout)
    }
}
