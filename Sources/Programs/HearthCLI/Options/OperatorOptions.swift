import ArgumentParser
import Hearth

/// What commands take that look after a database of either kind.
struct OperatorOptions: ParsableArguments {
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var choice: InstanceOption

    func validate() throws {
        if connection.database != nil, choice.instance != nil {
            throw ValidationError("--database and --instance exclude each other.")
        }
    }

    /// Whether one database is meant, rather than whatever the daemon has.
    var namesOne: Bool { connection.database != nil || choice.instance != nil }

    /// Whether results come as JSON.
    var json: Bool { connection.json }

    /// Whether only results and errors are printed.
    var quiet: Bool { connection.quiet }

    /// The path of the daemon's socket.
    var socketPath: String { connection.settings.socketPath }

    /// The daemon's own instance of the Realtime Database, or the named one.
    var instance: Database { Database(settings: choice.settings(socket: connection.socket)) }

    /// The database that is named; the daemon's own Firestore database if none is.
    var database: any OperatedDatabase {
        choice.instance == nil ? Firestore(settings: connection.settings) : instance
    }

    /// A database that the daemon has named.
    func database(of status: DaemonStatus) -> any OperatedDatabase {
        if let url = status.instanceURL {
            return Database(
                settings: DatabaseSettings(
                    socketPath: socketPath, url: url, programName: "hearth",
                    connectTimeout: DaemonVigil.connectTimeout))
        }
        return Firestore(
            settings: FirestoreSettings(
                socketPath: socketPath, projectID: status.projectID,
                databaseID: status.databaseID, programName: "hearth",
                connectTimeout: DaemonVigil.connectTimeout))
    }
}
