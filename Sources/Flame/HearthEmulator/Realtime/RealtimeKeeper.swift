import HearthBackend
import HearthEngine
import HearthModel
import HearthSQLite

/// Keeps the trees of the Realtime Database in a folder.
///
/// One row for each leaf, and one for each priority of a node with children. The column `path`
/// holds the path's keys, each followed by the byte 1. No key holds the byte 1, so all rows at and
/// below a place lie next to each other.
final class RealtimeKeeper {
    /// The file inside the folder.
    static let fileName = "realtime.sqlite"
    private static let schemaVersion: Int64 = 1

    /// One tree as the folder holds it.
    struct Kept {
        let namespace: RealtimeNamespace
        let root: Node
        let settings: NamespaceSettings
        let rules: String?
    }

    private let file: KeptFile
    private var numbers: [RealtimeNamespace: Int64] = [:]

    /// Opens the file in a folder that is there.
    ///
    /// - Throws: `HearthError` if another process uses the file, or the file cannot be read or
    ///   written.
    init(folder: String) throws(HearthError) {
        file = try KeptFile(path: "\(folder)/\(Self.fileName)")
        try Self.makeSchema(file)
    }

    /// Frees the file for other processes. The keeper can write nothing after that.
    func close() {
        file.close()
    }

    /// All trees that a request has ever named.
    ///
    /// - Throws: `dataLoss` for a row that cannot be read, `unavailable` if the disk fails.
    func namespaces() throws(HearthError) -> [Kept] {
        let rows = try file.use { connection throws(StoreError) in
            try connection.statement(
                "SELECT id, name, write_limit, is_strict, rules FROM namespaces ORDER BY name"
            ).map { row in
                let rules = row.isNull(4) ? nil : String(decoding: row.bytes(4), as: UTF8.self)
                return (row.int(0), row.text(1) ?? "", row.text(2) ?? "", row.bool(3), rules)
            }
        }
        var found: [Kept] = []
        for (number, name, limit, isStrict, rules) in rows {
            guard let namespace = RealtimeNamespace(name) else { throw Self.damaged }
            numbers[namespace] = number
            var settings = NamespaceSettings()
            if let limit = NamespaceSettings.WriteSizeLimit(rawValue: limit) {
                settings.defaultWriteSizeLimit = limit
            }
            settings.strictTriggerValidation = isStrict
            found.append(
                Kept(
                    namespace: namespace, root: try root(of: number), settings: settings,
                    rules: rules))
        }
        return found
    }

    /// Writes changes, in one transaction that survives a power cut.
    ///
    /// - Throws: `unavailable` if the disk fails; then no change is written.
    func save(_ saves: [(RealtimeNamespace, RealtimeBackend.Save)]) throws(HearthError) {
        let known = numbers
        do throws(HearthError) {
            try file.transaction { () throws(HearthError) in
                for (namespace, save) in saves { try write(save, in: try number(of: namespace)) }
            }
        } catch {
            numbers = known
            throw error
        }
    }
}

/// Rows.
extension RealtimeKeeper {
    private func write(_ save: RealtimeBackend.Save, in number: Int64) throws(HearthError) {
        switch save {
        case .node(let place, let node) where place.isPriority:
            try writePriority(node.leaf, at: place.path, in: number)
        case .node(let place, let node):
            try remove(place.path, in: number)
            try insert(node, at: Self.bytes(place.path), in: number)
        case .rules(let text):
            try run(
                "UPDATE namespaces SET rules = ? WHERE id = ?", Array(text.utf8), number)
        case .settings(let settings):
            try run(
                "UPDATE namespaces SET write_limit = ?, is_strict = ? WHERE id = ?",
                settings.defaultWriteSizeLimit.rawValue, settings.strictTriggerValidation, number)
        }
    }

    private func run<each Parameter: Bindable>(
        _ text: StaticString, _ values: repeat each Parameter
    ) throws(HearthError) {
        try file.use { connection throws(StoreError) in
            try connection.statement(text).bind(repeat each values).run()
        }
    }

    private func remove(_ path: RealtimePath, in number: Int64) throws(HearthError) {
        let first = Self.bytes(path)
        guard !first.isEmpty else {
            return try run("DELETE FROM nodes WHERE namespace = ?", number)
        }
        try run(
            "DELETE FROM nodes WHERE namespace = ? AND path >= ? AND path < ?", number, first,
            first.dropLast() + [2])
    }

    private func insert(_ node: Node, at path: [UInt8], in number: Int64) throws(HearthError) {
        if node.isEmpty { return }
        if node.leaf != nil || node.priority != nil {
            try run(
                "INSERT OR REPLACE INTO nodes (namespace, path, value, priority) VALUES (?, ?, ?, ?)",
                number, path, Self.bytes(node.leaf), Self.bytes(node.priority))
        }
        for child in node.children {
            try insert(child.node, at: path + Array(child.key.text.utf8) + [1], in: number)
        }
    }

    private func writePriority(
        _ priority: LeafValue?, at path: RealtimePath, in number: Int64
    ) throws(HearthError) {
        let path = Self.bytes(path)
        try run(
            """
            INSERT INTO nodes (namespace, path, value, priority) VALUES (?, ?, NULL, ?)
            ON CONFLICT DO UPDATE SET priority = excluded.priority
            """,
            number, path, Self.bytes(priority))
        try run(
            """
            DELETE FROM nodes WHERE namespace = ? AND path = ? AND value IS NULL
            AND priority IS NULL
            """, number, path)
    }

    private func root(of number: Int64) throws(HearthError) -> Node {
        let rows = try file.use { connection throws(StoreError) in
            try connection.statement(
                "SELECT path, value, priority FROM nodes WHERE namespace = ? ORDER BY path"
            ).bind(number).map { row in
                (
                    path: row.bytes(0), value: row.isNull(1) ? nil : row.bytes(1),
                    priority: row.isNull(2) ? nil : row.bytes(2)
                )
            }
        }
        var root = Node.empty
        // A priority can be set only on a node that exists, so the priorities of nodes with
        // children come last.
        for row in rows {
            guard let value = try Self.leaf(row.value) else { continue }
            root = root.setting(
                Self.path(row.path), to: Node(value, priority: try Self.leaf(row.priority)))
        }
        for row in rows where row.value == nil {
            let path = Self.path(row.path)
            root = root.setting(
                path, to: root.node(at: path).settingPriority(try Self.leaf(row.priority)))
        }
        return root
    }

    private func number(of namespace: RealtimeNamespace) throws(HearthError) -> Int64 {
        if let number = numbers[namespace] { return number }
        let settings = NamespaceSettings()
        let made = try file.use { connection throws(StoreError) in
            try connection.statement(
                "INSERT INTO namespaces (name, write_limit, is_strict) VALUES (?, ?, ?) RETURNING id"
            ).bind(
                namespace.name, settings.defaultWriteSizeLimit.rawValue,
                settings.strictTriggerValidation
            ).map { $0.int(0) }
        }
        guard let number = made.first else { throw Self.damaged }
        numbers[namespace] = number
        return number
    }

    private static func bytes(_ path: RealtimePath) -> [UInt8] {
        path.keys.flatMap { Array($0.text.utf8) + [1] }
    }

    private static func path(_ bytes: [UInt8]) -> RealtimePath {
        RealtimePath(
            bytes.split(separator: 1).map {
                ChildKey(unchecked: String(decoding: $0, as: UTF8.self))
            })
    }

    private static func bytes(_ leaf: LeafValue?) -> [UInt8]? {
        guard let leaf else { return nil }
        var bytes: [UInt8] = []
        NodeWriter.write(leaf, to: &bytes)
        return bytes
    }

    private static func leaf(_ bytes: [UInt8]?) throws(HearthError) -> LeafValue? {
        guard let bytes else { return nil }
        guard let leaf = (try? Node(json: bytes))?.leaf else { throw damaged }
        return leaf
    }

    private static let damaged = HearthError(
        code: .dataLoss, message: "\(fileName) holds a row that cannot be read.")

    private static func makeSchema(_ file: KeptFile) throws(HearthError) {
        let version = try file.use { connection throws(StoreError) in
            try connection.number("PRAGMA user_version") ?? 0
        }
        guard version <= schemaVersion else {
            throw HearthError(
                code: .failedPrecondition,
                message: "\(fileName) was written by a newer version of Hearth.")
        }
        if version == schemaVersion { return }
        try file.transaction { () throws(HearthError) in
            try file.use { connection throws(StoreError) in
                try connection.execute(schema)
            }
        }
    }

    private static let schema = """
        CREATE TABLE namespaces (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, write_limit TEXT NOT NULL,
            is_strict INTEGER NOT NULL, rules BLOB
        ) STRICT;
        CREATE TABLE nodes (
            namespace INTEGER NOT NULL, path BLOB NOT NULL, value BLOB, priority BLOB,
            PRIMARY KEY (namespace, path)
        ) STRICT, WITHOUT ROWID;
        PRAGMA user_version = \(schemaVersion);
        """
}
