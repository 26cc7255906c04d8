import Glibc
import HearthEngine
import HearthFirestore
import HearthModel
import HearthTestSupport
import Testing

@testable import HearthSQLite
@testable import HearthStore

struct MigrationTests {
    @Test(arguments: 1..<Schema.version)
    func `an older file is brought to this program's schema, with what it holds`(from: Int) throws {
        let folder = TemporaryFolder()
        let configuration = StoreBench.configuration(in: folder)
        do {
            let connection = try OldSchema.make(configuration, at: from)
            try connection.execute("UPDATE store SET last_batch = 7, version = 3")
        }
        let store = try SQLiteStore(configuration)
        #expect(try store.setting("PRAGMA user_version") == "\(Schema.version)")
        #expect(store.version == StoreVersion(3))
        #expect(store.migratedFrom == from)
        let globals = try store.transaction { transaction throws(StoreError) in
            try transaction.globals()
        }
        #expect(globals.lastBatchID == BatchID(7))
    }

    @Test func `the first page tells which schemas are read`() throws {
        let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let file = try #require(fopen("/\(root)/README.md", "re"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = fread(&bytes, 1, bytes.count, file)
        let text = String(decoding: bytes[..<count], as: UTF8.self)
        #expect(text.contains("(schemas 1 to \(Schema.version - 1) of Firestore's)"))
    }

    @Test(arguments: 1...Schema.version)
    func `a document of every schema is read in the encoding that it was stored in`(from: Int)
        throws
    {
        let folder = TemporaryFolder()
        let configuration = StoreBench.configuration(in: folder)
        let document = found("a/b", everyValue, at: 7)
        do {
            let connection = try OldSchema.make(configuration, at: from)
            func blob(_ bytes: [UInt8]) -> String {
                "x'" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'"
            }
            let content = try DocumentReader(database: StoreBench.database).content(of: document)
            let (name, readAt) = (
                PathKey.name(of: key("a/b")), TimeBytes.bytes(of: document.readAt)
            )
            try connection.execute(
                """
                INSERT INTO collections (id, path, collection_group)
                    VALUES (1, \(blob(PathKey.bytes(of: path("a")))), 'a');
                INSERT INTO remote_documents
                    (collection, name, kind, has_committed, read_at, version, content)
                    VALUES (1, \(blob(name)), 2, 0, \(blob(readAt)), NULL, \(blob(content)));
                """)
        }
        let read = try SQLiteStore(configuration).transaction { transaction throws(StoreError) in
            try transaction.remoteDocument(key("a/b"))
        }
        #expect(read == document)
    }

    @Test func `a store of an earlier program gets a name of its own, and keeps it`() throws {
        let folder = TemporaryFolder()
        let configuration = StoreBench.configuration(in: folder)
        try OldSchema.make(configuration, at: 9)
        func name(_ configuration: StoreConfiguration) throws -> String {
            try SQLiteStore(configuration).transaction { transaction throws(StoreError) in
                var globals = try transaction.globals()
                let name = globals.daemon
                globals.daemon = "another"
                globals.sequenceNumber += 1
                try transaction.setGlobals(globals)
                return name
            }
        }
        let first = try name(configuration)
        #expect(first.utf8.count == 16)
        #expect(try name(configuration) == first)
        let other = TemporaryFolder()
        #expect(try name(StoreBench.configuration(in: other)) != first)
    }

    @Test func `a bundle of an earlier program is loaded whole`() throws {
        let folder = TemporaryFolder()
        let configuration = StoreBench.configuration(in: folder)
        let createdAt = TimeBytes.bytes(of: version(3)).map {
            ($0 < 16 ? "0" : "") + String($0, radix: 16)
        }
        do {
            let connection = try OldSchema.make(configuration, at: 16)
            try connection.execute("INSERT INTO bundles VALUES ('b', x'\(createdAt.joined())', 1)")
        }
        let begun = BegunBundle(
            record: BundleRecord(id: "c", createdAt: version(4), version: 1), documentCount: 5,
            queryCount: 2)
        do {
            let store = try SQLiteStore(configuration)
            try store.transaction { transaction throws(StoreError) in
                let (loaded, left) = (try transaction.bundle("b"), try transaction.begunBundles())
                #expect(loaded == BundleRecord(id: "b", createdAt: version(3), version: 1))
                #expect(left.isEmpty)
                try transaction.setBegunBundle(begun)
            }
        }
        // A process that dies behind the first slice leaves the note.
        let left = try SQLiteStore(configuration).transaction { transaction throws(StoreError) in
            try transaction.begunBundles()
        }
        #expect(left == [begun])
    }

    @Test func `where markers lie is kept for each user`() throws {
        let folder = TemporaryFolder()
        let configuration = StoreBench.configuration(in: folder)
        let eras = [
            MarkerEra(from: BatchID(3), in: ResourcePath(["marks"])),
            MarkerEra(from: BatchID(9), in: nil),
        ]
        let ann = UserID("ann")
        do {
            let store = try SQLiteStore(configuration)
            try store.transaction { transaction throws(StoreError) in
                try transaction.setMarkerEras(eras, of: ann)
            }
        }
        let store = try SQLiteStore(configuration)
        try store.transaction { transaction throws(StoreError) in
            let (known, unknown) = (
                try transaction.markerEras(of: ann),
                try transaction.markerEras(of: .unauthenticated)
            )
            #expect(known == eras)
            #expect(unknown.isEmpty)
        }
    }

    @Test func `of a new file, or one of this schema, no change is told`() throws {
        let folder = TemporaryFolder()
        let configuration = StoreBench.configuration(in: folder)
        for _ in 1...2 { #expect(try SQLiteStore(configuration).migratedFrom == nil) }
    }

    @Test func `an old file and a new one have the same tables`() throws {
        let folder = TemporaryFolder()
        let tables = """
            SELECT group_concat(sql, ';') FROM (SELECT sql FROM sqlite_schema ORDER BY name)
            """
        let old = try Connection(path: "\(folder.path)/old.db", isReadOnly: false)
        for version in 1...Schema.version {
            try Migrations(content: FirestoreContent(database: StoreBench.database)).run(
                on: old, to: version)
        }
        let new = try Connection(path: "\(folder.path)/new.db", isReadOnly: false)
        try Migrations(content: FirestoreContent(database: StoreBench.database)).run(on: new)
        #expect(try old.text(tables) == new.text(tables))
    }

    @Test func `a later program's file is refused and left alone`() throws {
        let folder = TemporaryFolder()
        let configuration = StoreBench.configuration(in: folder)
        do {
            let store = try SQLiteStore(configuration)
            try store.maintain("PRAGMA user_version = 999")
        }
        #expect(throws: StoreError.self) { _ = try SQLiteStore(configuration) }
        let connection = try Connection(path: configuration.path, isReadOnly: true)
        #expect(try connection.number("PRAGMA user_version") == 999)
    }

    @Test func `a step that fails leaves the file as it was`() throws {
        let folder = TemporaryFolder()
        let connection = try Connection(path: "\(folder.path)/hearth.db", isReadOnly: false)
        try Migrations(content: FirestoreContent(database: StoreBench.database)).run(
            on: connection, to: 1)
        try connection.execute("CREATE TABLE index_state (in_the_way)")
        #expect(throws: StoreError.self) {
            try Migrations(content: FirestoreContent(database: StoreBench.database)).run(
                on: connection)
        }
        #expect(try connection.number("PRAGMA user_version") == 1)
        let columns = "SELECT count(*) FROM pragma_table_info('index_configuration')"
        #expect(try connection.number(columns) == 0)
    }
}
