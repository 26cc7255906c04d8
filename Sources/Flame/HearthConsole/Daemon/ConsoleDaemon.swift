import Hearth
import HearthModel
import Synchronization

/// The daemon's databases, each with a connection of the console's own that stays.
final class ConsoleDaemon: Sendable {
    /// Where the daemon listens.
    let socketPath: String
    private let open = Mutex<[String: any ConsoleDatabase]>([:])

    /// Connects when something is asked.
    init(socketPath: String) {
        self.socketPath = socketPath
    }

    /// The database that a question names.
    func database(_ question: ConsoleQuestion) throws(HearthError) -> any ConsoleDatabase {
        try database(try question.needed("db"))
    }

    /// The Firestore database that a question names.
    func firestore(
        _ question: ConsoleQuestion
    ) throws(HearthError) -> (firestore: Firestore, id: DatabaseID) {
        let name = try question.needed("db")
        guard let firestore = try database(name) as? Firestore, let id = Self.id(name) else {
            throw .argument("\(PathError.brief(name)) is no Firestore database.")
        }
        return (firestore, id)
    }

    /// The instance of the Realtime Database that a question names.
    func instance(_ question: ConsoleQuestion) throws(HearthError) -> Database {
        let name = try question.needed("db")
        guard let instance = try database(name) as? Database else {
            throw .argument("\(PathError.brief(name)) is no instance of the Realtime Database.")
        }
        return instance
    }

    /// A database by its name: `project/database`, or the address of an instance.
    func database(_ name: String) throws(HearthError) -> any ConsoleDatabase {
        if let database = open.withLock({ $0[name] }) { return database }
        let database = try make(name)
        return try open.withLock { open throws(HearthError) in
            if let other = open[name] { return other }
            guard open.count < ConsoleLimits.databaseCountMax else {
                throw .tooMany("databases")
            }
            open[name] = database
            return database
        }
    }

    private func make(_ name: String) throws(HearthError) -> any ConsoleDatabase {
        if DatabaseSettings.isInstanceURL(name) {
            return Database(
                settings: DatabaseSettings(
                    socketPath: socketPath, url: name, programName: Self.programName,
                    connectTimeout: ConsoleLimits.connectTimeout))
        }
        guard let id = Self.id(name) else {
            throw .argument(
                "\"db\" is PROJECT/DATABASE, or the address of an instance of the Realtime Database."
            )
        }
        return Firestore(
            settings: FirestoreSettings(
                socketPath: socketPath, projectID: id.project, databaseID: id.database,
                programName: Self.programName, connectTimeout: ConsoleLimits.connectTimeout))
    }

    private static let programName = "hearth console"

    private static func id(_ name: String) -> DatabaseID? {
        let parts = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let id = DatabaseID(
            project: String(Substring(parts[0])), database: String(Substring(parts[1])))
        return id.isPossible ? id : nil
    }

    /// Asks a question that concerns no database. The question goes through the daemon's default
    /// Firestore database, or through the default instance if there is no such database.
    func general<Answer: Sendable>(
        _ ask: @Sendable (any ConsoleDatabase) async throws -> Answer
    ) async throws -> Answer {
        do {
            return try await ask(standard("", .firestore))
        } catch let error as FirestoreError where error.code == .failedPrecondition {
            return try await ask(standard(" ", .realtime))
        }
    }

    private enum Service { case firestore, realtime }

    private func standard(_ name: String, _ service: Service) -> any ConsoleDatabase {
        open.withLock { open in
            if let database = open[name] { return database }
            let database: any ConsoleDatabase =
                switch service {
                case .firestore:
                    Firestore(
                        settings: FirestoreSettings(
                            socketPath: socketPath, programName: Self.programName,
                            connectTimeout: ConsoleLimits.connectTimeout))
                case .realtime:
                    Database(
                        settings: DatabaseSettings(
                            socketPath: socketPath, programName: Self.programName,
                            connectTimeout: ConsoleLimits.connectTimeout))
                }
            open[name] = database
            return database
        }
    }
}
