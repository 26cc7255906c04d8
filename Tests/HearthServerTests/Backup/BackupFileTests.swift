import HearthEngine
import HearthModel
import HearthTestSupport
import Testing

@testable import HearthSQLite
@testable import HearthServer
@testable import HearthStore

/// What is taken for a backup, and what is not.
struct BackupFileTests {
    private let bench = BackupBench()

    init() throws { try bench.fill() }

    private func check(_ bytes: [UInt8]) throws(BackupError) -> [BackupEntry] {
        try BackupRestore.check(try BackupBench.file(of: bytes)).entries
    }

    @Test func `a backup names every store and file with its size`() throws {
        let entries = try check(try bench.backup())
        #expect(
            entries.map(\.subject.description) == [
                "\(BackupBench.database)", "https://demo.firebaseio.com", "kept places",
            ])
        #expect(entries.allSatisfy { $0.byteCount > 0 })
        #expect(bench.folder.files.sorted() == ["firestore", "kept-places.json", "realtime"])
    }

    @Test(arguments: UInt64(1)...40)
    func `a backup that is damaged at a place of chance is refused, and the target unharmed`(
        seed: UInt64
    ) throws {
        var chance = SeededGenerator(seed: seed)
        var bytes = try bench.backup()
        let place = Int.random(in: bytes.indices, using: &chance)
        switch seed % 5 {
        case 0: bytes.removeSubrange(place...)
        case 1: bytes.remove(at: place)
        case 2: bytes.insert(UInt8.random(in: 0...255, using: &chance), at: place)
        case 3: bytes.append(UInt8.random(in: 0...255, using: &chance))
        default: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &chance)
        }
        let target = BackupBench()
        try target.fill(batches: 5...6)
        let before = target.contents
        #expect(throws: BackupError.self) {
            try target.restore(bytes, .init(queue: .hold, replacesUnsent: true))
        }
        #expect(target.contents == before)
    }

    @Test func `blocks that changed places, or are of another backup, are refused`() throws {
        let bytes = try bench.backup([.keptPlaces])
        func header(_ salt: UInt64) -> [UInt8] {
            let header = BackupHeader(
                salt: salt, time: .init(seconds: 1_000, nanoseconds: 0), machine: "here",
                daemonVersion: "1")
            return BackupHeader.magic
                + BackupBlock(kind: .header, bytes: header.fields).encoded(number: 0, salt: 0)
        }
        try #require(bytes.starts(with: header(99)))
        // The blocks of another salt, behind this one's header.
        #expect(throws: BackupError.self) { try check(header(98) + bytes[header(98).count...]) }
        let whole = try check(bytes)
        #expect(whole.map(\.subject) == [.keptPlaces])
    }

    // MARK: Hostile files, whose checksums are right

    private static let header = BackupHeader(
        salt: 7, time: Timestamp(seconds: 1, nanoseconds: 0), machine: "", daemonVersion: "")

    private static func file(_ blocks: [BackupBlock]) -> [UInt8] {
        var bytes =
            BackupHeader.magic
            + BackupBlock(kind: .header, bytes: header.fields).encoded(number: 0, salt: 0)
        for (index, block) in blocks.enumerated() {
            bytes += block.encoded(number: UInt64(index + 1), salt: header.salt)
        }
        return bytes
    }

    private static func end(_ count: Int64) -> BackupBlock {
        var fields = BackupFields()
        fields.append(count)
        return BackupBlock(kind: .end, bytes: fields.bytes)
    }

    private static func entry(
        _ kind: Int64, _ group: String, _ name: String, byteCount: Int64
    ) -> BackupBlock {
        var fields = BackupFields()
        fields.append(kind)
        fields.append(group)
        fields.append(name)
        fields.append(0)
        fields.append(byteCount)
        return BackupBlock(kind: .entry, bytes: fields.bytes)
    }

    @Test(arguments: [
        (1, "..", "x"), (1, "demo", "../../etc"), (1, "demo/..", "x"), (1, "", ""),
        (2, "../..", "x"), (2, "host", "../x"), (2, String(repeating: "h", count: 3_000), "x"),
        (9, "demo", "x"),
        (-1, "demo", "x"),
    ])
    func `an entry that names no database is refused`(entry: (Int, String, String)) throws {
        let bytes = Self.file([
            Self.entry(Int64(entry.0), entry.1, entry.2, byteCount: 0),
            BackupBlock(kind: .entryEnd, bytes: []), Self.end(1),
        ])
        #expect(throws: BackupError.self) { try check(bytes) }
    }

    @Test(arguments: [Int64.max, -1, 1 << 60, 17])
    func `a size that an entry does not have is refused before room is taken`(byteCount: Int64)
        throws
    {
        let bytes = Self.file([
            Self.entry(4, "", "", byteCount: byteCount),
            BackupBlock(kind: .data, bytes: Array("[]".utf8)),
            BackupBlock(kind: .entryEnd, bytes: []), Self.end(1),
        ])
        #expect(throws: BackupError.self) { try check(bytes) }
    }

    @Test func `a length that no block has is refused before it is read`() throws {
        var bytes = Self.file([])
        bytes += [BackupBlock.Kind.data.rawValue, 255, 255, 255, 255]
        #expect(throws: BackupError.self) { try check(bytes) }
        #expect(throws: BackupError.self) { try check([]) }
        #expect(throws: BackupError.self) { try check(BackupHeader.magic) }
        let twice = [
            Self.entry(4, "", "", byteCount: 0), BackupBlock(kind: .entryEnd, bytes: []),
            Self.entry(4, "", "", byteCount: 0), BackupBlock(kind: .entryEnd, bytes: []),
            Self.end(2),
        ]
        #expect(throws: BackupError.self) { try check(Self.file(twice)) }
    }

    /// A store that SQLite would work with, and that is none of ours.
    @Test(arguments: [
        "CREATE TRIGGER t AFTER UPDATE ON store BEGIN DELETE FROM mutations; END",
        // The name of a table of statistics, but for one letter.
        "CREATE TRIGGER sqliteXstat1 AFTER UPDATE ON store BEGIN DELETE FROM mutations; END",
        """
        DROP INDEX mutation_queues_by_sent;
        CREATE INDEX mutation_queues_by_sent ON mutation_queues (user, sent)
        """,
        """
        DROP INDEX mutation_queues_by_sent;
        CREATE UNIQUE INDEX mutation_queues_by_sent ON mutation_queues (sent, user)
        """,
        """
        DROP INDEX mutation_queues_by_sent;
        CREATE INDEX mutation_queues_by_sent ON mutation_queues (sent, user) WHERE sent > 0
        """,
        "CREATE VIEW v AS SELECT * FROM store",
        "DROP TABLE promises",
        "ALTER TABLE mutations ADD COLUMN more TEXT",
        "PRAGMA user_version = 0", "PRAGMA user_version = 9999",
        "UPDATE store SET database = 'projects/other/databases/d'",
    ])
    func `a database that is no store of this program is refused`(change: String) throws {
        try Connection(path: bench.path, isReadOnly: false).execute(change)
        let bytes = try bench.backup([.store(.firestore(BackupBench.database))])
        let target = BackupBench()
        try target.fill(batches: 5...6)
        let before = target.contents
        #expect(throws: BackupError.self) {
            try target.restore(bytes, .init(queue: .keep, replacesUnsent: true))
        }
        #expect(target.contents == before)
    }

    @Test func `stores that are none leave neither a folder nor a lock behind`() throws {
        let blocks = (0..<20).flatMap { number in
            [
                Self.entry(1, "demo-\(number)", "(default)", byteCount: 0),
                BackupBlock(kind: .entryEnd, bytes: []),
            ]
        }
        let target = BackupBench()
        let bytes = Self.file(blocks + [Self.end(20)])
        #expect(throws: BackupError.self) { try target.restore(bytes) }
        #expect(target.folder.files.isEmpty)
    }
}
