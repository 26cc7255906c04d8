import CSQLite
import Glibc
import HearthBackend
import HearthModel
import HearthProtocol
import SwiftProtobuf

/// Keeps a backend in a folder.
///
/// One row for each version of each document: the newest is the document, the others are its past,
/// and all of them together are the change log from which clients resume. Nothing is written twice.
final class Keeper {
    /// The file inside the folder.
    static let fileName = "firestore.sqlite"
    private static let schemaVersion: Int64 = 1

    /// Names this history of data.
    let identity: UInt64
    /// The newest moment of any commit.
    let clock: SnapshotVersion

    private let connection: SQLiteConnection
    private var databases: [DatabaseID: Int64] = [:]

    /// Opens a folder, which is made if it is missing.
    ///
    /// - Throws: `HearthError` if another process uses it, or it cannot be read or written.
    init(folder: String) throws(HearthError) {
        try Self.make(folder)
        connection = try SQLiteConnection(path: "\(folder)/\(Self.fileName)")
        for pragma in [
            "locking_mode=EXCLUSIVE", "journal_mode=WAL", "synchronous=FULL", "cache_size=-8192",
        ] {
            try connection.run("PRAGMA \(pragma)")
        }
        try Self.makeSchema(connection)
        identity = UInt64(bitPattern: try Self.meta("identity", connection) ?? 0)
        clock = SnapshotVersion(
            Timestamp(microseconds: try Self.meta("clock", connection) ?? 0))
    }

    /// Brings all documents and their past into a backend.
    func restore(into backend: inout Backend) throws(HearthError) {
        var found: [(Int64, DatabaseID, SnapshotVersion)] = []
        try connection.run("SELECT id, project, name, history_start FROM databases") { row in
            found.append(
                (
                    row.integer(0), DatabaseID(project: row.text(1), database: row.text(2)),
                    SnapshotVersion(Timestamp(microseconds: row.integer(3)))
                ))
        }
        for (number, database, historyStart) in found {
            databases[database] = number
            backend.restore(
                try versions(of: number), in: database, historyStart: historyStart)
        }
    }

    /// The rules of projects that were given some.
    func rules() throws(HearthError) -> [KeptRules] {
        var found: [KeptRules] = []
        try connection.run("SELECT project, source FROM rules ORDER BY project") { row in
            found.append(KeptRules(project: row.text(0), source: row.text(1)))
        }
        return found
    }

    /// Frees the folder for others. Nothing can be written after that.
    func close() {
        connection.close()
    }

    /// Writes what has changed, in one transaction that survives a power cut.
    func save(
        _ saves: [(DatabaseID, BackendAction.Save)], rules: [KeptRules] = [],
        clock: SnapshotVersion
    ) throws(HearthError) {
        let known = databases
        do throws(HearthError) {
            try connection.transaction { () throws(HearthError) in
                for (database, save) in saves { try write(save, in: try number(of: database)) }
                for rules in rules {
                    try connection.run(
                        "INSERT OR REPLACE INTO rules (project, source) VALUES (?, ?)",
                        .text(rules.project), .text(rules.source))
                }
                try connection.run(
                    "UPDATE meta SET value = ? WHERE key = 'clock'",
                    .integer(clock.timestamp.microseconds))
            }
        } catch {
            databases = known
            throw error
        }
    }
}

extension Keeper {
    private func write(_ save: BackendAction.Save, in database: Int64) throws(HearthError) {
        switch save {
        case .version(let document):
            try connection.run(
                "INSERT INTO versions (database, path, version, created, fields) "
                    + "VALUES (?, ?, ?, ?, ?)",
                .integer(database), .text(document.key.path.string),
                .integer(document.version.timestamp.microseconds),
                .integer(document.createdAt.timestamp.microseconds), try Self.fields(of: document))
        case .forget(let key, let moment):
            let path = SQLiteConnection.Parameter.text(key.path.string)
            let before = SQLiteConnection.Parameter.integer(moment.timestamp.microseconds)
            try connection.run(
                "DELETE FROM versions WHERE database = ?1 AND path = ?2 AND version < ("
                    + "SELECT max(version) FROM versions "
                    + "WHERE database = ?1 AND path = ?2 AND version <= ?3)",
                .integer(database), path, before)
            try connection.run(
                "DELETE FROM versions WHERE database = ? AND path = ? AND version <= ? "
                    + "AND fields IS NULL",
                .integer(database), path, before)
        case .historyStart(let moment):
            try connection.run(
                "UPDATE databases SET history_start = ? WHERE id = ?",
                .integer(moment.timestamp.microseconds), .integer(database))
        }
    }

    private func versions(of database: Int64) throws(HearthError) -> [Document] {
        var result: [Document] = []
        try connection.run(
            "SELECT path, version, created, fields FROM versions WHERE database = ? "
                + "ORDER BY path, version", .integer(database)
        ) { row throws(HearthError) in
            result.append(try Self.document(row))
        }
        return result
    }

    private func number(of database: DatabaseID) throws(HearthError) -> Int64 {
        if let known = databases[database] { return known }
        try connection.run(
            "INSERT INTO databases (project, name) VALUES (?, ?)", .text(database.project),
            .text(database.database))
        var number: Int64 = 0
        try connection.run("SELECT last_insert_rowid()") { number = $0.integer(0) }
        databases[database] = number
        return number
    }

    private static func document(_ row: SQLiteConnection.Row) throws(HearthError) -> Document {
        guard let path = try? ResourcePath(parsing: row.text(0)), let key = DocumentKey(path)
        else { throw damaged("a document's name") }
        let version = SnapshotVersion(Timestamp(microseconds: row.integer(1)))
        guard let blob = row.blob(3) else { return .missing(key, at: version) }
        do {
            let proto = try FirestoreCodec.read(ProtoMapValue.self, from: blob)
            return .found(
                key, at: version, try codec.decode(proto.fields),
                createdAt: SnapshotVersion(Timestamp(microseconds: row.integer(2))))
        } catch {
            throw damaged("the fields of \(key)")
        }
    }

    private static func fields(
        of document: Document
    ) throws(HearthError) -> SQLiteConnection.Parameter {
        guard document.isFound else { return .null }
        do throws(CodecError) {
            var proto = ProtoMapValue()
            proto.fields = try codec.encode(document.fields)
            return .blob(FirestoreCodec.bytes(of: proto))
        } catch {
            throw HearthError(code: .internalError, message: "\(document.key): \(error)")
        }
    }

    /// Fields hold no names but in references, which are whole; so any database will do.
    private static let codec = FirestoreCodec(database: DatabaseID(project: "kept"))

    private static func damaged(_ part: String) -> HearthError {
        HearthError(
            code: .dataLoss,
            message: "The emulator's folder is damaged: it cannot read \(part). Move the file "
                + "\(fileName) away to begin anew.")
    }
}

extension Keeper {
    private static func make(_ folder: String) throws(HearthError) {
        var path = folder.hasPrefix("/") ? "" : "."
        for part in folder.split(separator: "/") {
            path += "/\(part)"
            if mkdir(path, 0o755) != 0, errno != EEXIST {
                throw HearthError(
                    code: .unavailable,
                    message: "Cannot make the folder \(path): \(String(cString: strerror(errno))).")
            }
        }
    }

    private static func makeSchema(_ connection: SQLiteConnection) throws(HearthError) {
        try connection.transaction { () throws(HearthError) in
            for sql in [
                "CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL)",
                "CREATE TABLE IF NOT EXISTS databases (id INTEGER PRIMARY KEY, "
                    + "project TEXT NOT NULL, name TEXT NOT NULL, "
                    + "history_start INTEGER NOT NULL DEFAULT 0, UNIQUE (project, name))",
                "CREATE TABLE IF NOT EXISTS versions (database INTEGER NOT NULL, "
                    + "path TEXT NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL, "
                    + "fields BLOB, UNIQUE (database, path, version))",
                "CREATE TABLE IF NOT EXISTS rules (project TEXT PRIMARY KEY, "
                    + "source TEXT NOT NULL)",
            ] {
                try connection.run(sql)
            }
            for (key, value) in [
                ("schema", schemaVersion), ("identity", Int64.random(in: .min ... .max)),
                ("clock", 0),
            ] {
                try connection.run(
                    "INSERT OR IGNORE INTO meta (key, value) VALUES (?, ?)", .text(key),
                    .integer(value))
            }
        }
        guard try meta("schema", connection) == schemaVersion else {
            throw HearthError(
                code: .failedPrecondition,
                message: "The folder's \(fileName) was made by a newer emulator.")
        }
    }

    private static func meta(
        _ key: String, _ connection: SQLiteConnection
    ) throws(HearthError) -> Int64? {
        var value: Int64?
        try connection.run("SELECT value FROM meta WHERE key = ?", .text(key)) {
            value = $0.integer(0)
        }
        return value
    }
}
