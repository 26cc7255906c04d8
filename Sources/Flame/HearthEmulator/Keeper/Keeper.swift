import Glibc
import HearthBackend
import HearthEngine
import HearthModel
import HearthProtocol
import HearthSQLite
import SwiftProtobuf

/// Keeps a backend in a folder.
///
/// The table holds one row for each version of each document. A document's newest row is the
/// document; the older rows are its past. All rows together are the change log, from which clients
/// resume. No change is written twice.
final class Keeper {
    /// The file inside the folder.
    static let fileName = "firestore.sqlite"
    private static let schemaVersion: Int64 = 1
    /// More than anybody moves a clock by, so that no damaged folder leads beyond all times.
    private static let aheadMax = Duration.seconds(100 * 366 * 86_400)

    /// A random number that names this folder's history of data.
    let identity: UInt64
    /// The newest moment that an earlier run may have named: of a commit, or up to the noted bound.
    let clock: SnapshotVersion
    /// How far an earlier run's time was ahead of the machine's clock.
    let ahead: Duration

    private let file: KeptFile
    private var databases: [DatabaseID: Int64] = [:]

    /// Opens a folder, and makes a missing folder.
    ///
    /// - Throws: `HearthError` if another process uses the folder, or the folder cannot be read or
    ///   written.
    init(folder: String) throws(HearthError) {
        try Self.make(folder)
        file = try KeptFile(path: "\(folder)/\(Self.fileName)")
        try Self.makeSchema(file)
        identity = UInt64(bitPattern: try Self.meta("identity", file) ?? 0)
        let committed = try Self.meta("clock", file) ?? 0
        let told = try Self.meta("told", file) ?? 0
        clock = SnapshotVersion(Timestamp(microseconds: max(committed, told)))
        let noted = Duration.microseconds(try Self.meta("ahead", file) ?? 0)
        ahead = min(max(noted, .zero - Self.aheadMax), Self.aheadMax)
    }

    /// Brings all documents and their past into a backend.
    ///
    /// - Throws: `dataLoss` for a row that cannot be read, `unavailable` if the disk fails.
    func restore(into backend: inout Backend) throws(HearthError) {
        let found = try file.use { connection throws(StoreError) in
            try connection.statement("SELECT id, project, name, history_start FROM databases").map {
                ($0.int(0), $0.text(1) ?? "", $0.text(2) ?? "", $0.int(3))
            }
        }
        for (number, project, name, historyStart) in found {
            let database = DatabaseID(project: project, database: name)
            databases[database] = number
            backend.restore(
                try versions(of: number), in: database,
                historyStart: SnapshotVersion(Timestamp(microseconds: historyStart)))
        }
    }

    /// The kept rules of all projects.
    func rules() throws(HearthError) -> [KeptRules] {
        try file.use { connection throws(StoreError) in
            try connection.statement("SELECT project, source FROM rules ORDER BY project").map {
                KeptRules(project: $0.text(0) ?? "", source: $0.text(1) ?? "")
            }
        }
    }

    /// Frees the folder for other processes. The keeper can write nothing after that.
    func close() {
        file.close()
    }

    /// Notes up to where answers may name moments, so that a later run goes on from there.
    ///
    /// - Parameter isLast: Whether this is the note of a good end, which may lower the bound. No other note does,
    ///   because the notes of two turns may come in any order.
    /// - Throws: `unavailable` if the disk fails; then the earlier note stays.
    func note(_ time: NotedTime, isLast: Bool = false) throws(HearthError) {
        let ahead = time.ahead.components
        let microseconds = ahead.seconds * 1_000_000 + ahead.attoseconds / 1_000_000_000_000
        try file.use { connection throws(StoreError) in
            let told = isLast ? 0 : try Self.meta("told", connection) ?? 0
            try connection.statement(
                "INSERT OR REPLACE INTO meta (key, value) VALUES ('told', ?), ('ahead', ?)"
            ).bind(max(told, time.bound.timestamp.microseconds), microseconds).run()
        }
    }

    /// Writes changes, in one transaction that survives a power cut.
    ///
    /// - Parameters:
    ///   - rules: Projects' new rules.
    ///   - clock: The newest moment of any commit.
    /// - Throws: `unavailable` if the disk fails; then no change is written.
    func save(
        _ saves: [(DatabaseID, BackendAction.Save)], rules: [KeptRules] = [],
        clock: SnapshotVersion
    ) throws(HearthError) {
        let known = databases
        do throws(HearthError) {
            try file.transaction { () throws(HearthError) in
                for (database, save) in saves { try write(save, in: try number(of: database)) }
                try file.use { connection throws(StoreError) in
                    for rules in rules {
                        try connection.statement(
                            "INSERT OR REPLACE INTO rules (project, source) VALUES (?, ?)"
                        ).bind(rules.project, rules.source).run()
                    }
                    try connection.statement("UPDATE meta SET value = ? WHERE key = 'clock'")
                        .bind(clock.timestamp.microseconds).run()
                }
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
            let fields = try Self.fields(of: document)
            try file.use { connection throws(StoreError) in
                try connection.statement(
                    """
                    INSERT INTO versions (database, path, version, created, fields)
                    VALUES (?, ?, ?, ?, ?)
                    """
                ).bind(
                    database, document.key.path.string, document.version.timestamp.microseconds,
                    document.createdAt.timestamp.microseconds, fields
                ).run()
            }
        case .forget(let key, let moment):
            let (path, before) = (key.path.string, moment.timestamp.microseconds)
            try file.use { connection throws(StoreError) in
                try connection.statement(
                    """
                    DELETE FROM versions WHERE database = ?1 AND path = ?2 AND version < (
                        SELECT max(version) FROM versions
                        WHERE database = ?1 AND path = ?2 AND version <= ?3)
                    """
                ).bind(database, path, before).run()
                try connection.statement(
                    """
                    DELETE FROM versions WHERE database = ? AND path = ? AND version <= ?
                        AND fields IS NULL
                    """
                ).bind(database, path, before).run()
            }
        case .historyStart(let moment):
            try file.use { connection throws(StoreError) in
                try connection.statement("UPDATE databases SET history_start = ? WHERE id = ?")
                    .bind(moment.timestamp.microseconds, database).run()
            }
        }
    }

    /// A row of `versions`.
    private struct Version {
        let path: String
        let version: Int64
        let created: Int64
        let fields: [UInt8]?
    }

    private func versions(of database: Int64) throws(HearthError) -> [Document] {
        let rows = try file.use { connection throws(StoreError) in
            let statement = try connection.statement(
                """
                SELECT path, version, created, fields FROM versions WHERE database = ?
                ORDER BY path, version
                """)
            return try statement.bind(database).map {
                Version(
                    path: $0.text(0) ?? "", version: $0.int(1), created: $0.int(2),
                    fields: $0.isNull(3) ? nil : $0.bytes(3))
            }
        }
        return try rows.map { row throws(HearthError) in try Self.document(row) }
    }

    private func number(of database: DatabaseID) throws(HearthError) -> Int64 {
        if let known = databases[database] { return known }
        let number = try file.use { connection throws(StoreError) in
            try connection.statement("INSERT INTO databases (project, name) VALUES (?, ?)")
                .bind(database.project, database.database).run()
            return connection.lastInsertedID
        }
        databases[database] = number
        return number
    }

    private static func document(_ row: Version) throws(HearthError) -> Document {
        guard let path = try? ResourcePath(parsing: row.path), let key = DocumentKey(path)
        else { throw damaged("a document's name") }
        let version = SnapshotVersion(Timestamp(microseconds: row.version))
        guard let fields = row.fields else { return .missing(key, at: version) }
        do {
            let proto = try FirestoreCodec.read(ProtoMapValue.self, from: fields)
            return .found(
                key, at: version, try codec.decode(proto.fields),
                createdAt: SnapshotVersion(Timestamp(microseconds: row.created)))
        } catch {
            throw damaged("the fields of \(key)")
        }
    }

    /// The bytes of a document's fields; `nil` if there is none.
    private static func fields(of document: Document) throws(HearthError) -> [UInt8]? {
        guard document.isFound else { return nil }
        do throws(CodecError) {
            return try codec.mapBytes(document.fields)
        } catch {
            throw HearthError(code: .internalError, message: "\(document.key): \(error)")
        }
    }

    /// The codec for fields, of any database.
    ///
    /// Fields hold names only in references, and a reference holds its full name.
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

    private static func makeSchema(_ file: KeptFile) throws(HearthError) {
        try file.transaction { () throws(HearthError) in
            try file.use { connection throws(StoreError) in
                try connection.execute(
                    """
                    CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL);
                    CREATE TABLE IF NOT EXISTS databases (id INTEGER PRIMARY KEY,
                        project TEXT NOT NULL, name TEXT NOT NULL,
                        history_start INTEGER NOT NULL DEFAULT 0, UNIQUE (project, name));
                    CREATE TABLE IF NOT EXISTS versions (database INTEGER NOT NULL,
                        path TEXT NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL,
                        fields BLOB, UNIQUE (database, path, version));
                    CREATE TABLE IF NOT EXISTS rules (project TEXT PRIMARY KEY,
                        source TEXT NOT NULL);
                    """)
                for (key, value) in [
                    ("schema", schemaVersion), ("identity", Int64.random(in: .min ... .max)),
                    ("clock", 0),
                ] {
                    try connection.statement(
                        "INSERT OR IGNORE INTO meta (key, value) VALUES (?, ?)"
                    )
                    .bind(key, value).run()
                }
            }
        }
        guard try meta("schema", file) == schemaVersion else {
            throw HearthError(
                code: .failedPrecondition,
                message: "The folder's \(fileName) was made by a newer emulator.")
        }
    }

    private static func meta(_ key: String, _ file: KeptFile) throws(HearthError) -> Int64? {
        try file.use { connection throws(StoreError) in try meta(key, connection) }
    }

    private static func meta(_ key: String, _ connection: Connection) throws(StoreError) -> Int64? {
        try connection.statement("SELECT value FROM meta WHERE key = ?").bind(key)
            .first { $0.int(0) }
    }
}
