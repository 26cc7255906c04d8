import HearthEngine
import HearthFirestore
import HearthModel
import HearthSQLite

/// Where an entry stands in an index. Collection 0 with no value is before every entry.
struct IndexPlace: Hashable {
    /// Before every entry.
    static let start = IndexPlace(collection: 0, value: [])

    let collection: Int64
    let value: [UInt8]

    static func < (left: Self, right: Self) -> Bool {
        left.collection == right.collection
            ? compareBytes(left.value, right.value) < 0 : left.collection < right.collection
    }
}

/// An entry on its way into an index: first into a sorted run, then with the other runs' into place.
struct IndexEntry {
    let place: IndexPlace
    /// The row of the document that is listed.
    let document: Int64
}

/// The name of a block in the table `index_runs`.
///
/// Shape: index, 24 bits of the run's number, 16 of the block's in it. So a run's blocks are in a row.
struct RunBlockID: Hashable {
    private static let blockBits: Int64 = 16
    private static let runBits: Int64 = 24

    let rawValue: Int64

    init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    /// The first block of an index's run.
    init(_ index: IndexID, run: Int64) {
        rawValue = (index.rawValue << Self.runBits + run) << Self.blockBits
    }

    /// Which run of its index the block is of.
    var run: Int64 { rawValue >> Self.blockBits & (1 << Self.runBits - 1) }

    /// The next block of the run.
    var next: RunBlockID { RunBlockID(rawValue: rawValue + 1) }

    /// The first block of the index's next run.
    var nextRun: RunBlockID {
        RunBlockID(rawValue: (rawValue >> Self.blockBits + 1) << Self.blockBits)
    }

    /// The names of all blocks of an index.
    static func all(of index: IndexID) -> Range<Int64> {
        let next = IndexID(index.rawValue + 1)
        return RunBlockID(index, run: 0).rawValue..<RunBlockID(next, run: 0).rawValue
    }
}

/// Some entries of a run, in order, as the table `index_runs` keeps them.
///
/// Shape: for each entry the document, the collection and the length of the value as varints, then
/// the value.
struct RunBlock {
    /// As much as a page takes in one piece.
    private static let byteCountMax = 4_000

    private(set) var bytes: [UInt8] = []
    private var offset = 0

    /// Takes a block as it was stored.
    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private init() {}

    /// Sorts entries into blocks.
    static func blocks(of entries: [IndexEntry]) -> [RunBlock] {
        var blocks: [RunBlock] = []
        var block = RunBlock()
        for entry in entries.sorted(by: { $0.place < $1.place }) {
            let end = block.bytes.count
            block.append(entry)
            guard block.bytes.count > byteCountMax, end > 0 else { continue }
            block.bytes.removeSubrange(end...)
            blocks.append(block)
            block = RunBlock()
            block.append(entry)
        }
        if !block.bytes.isEmpty { blocks.append(block) }
        return blocks
    }

    /// The next entry; `nil` at the end.
    mutating func next() throws(StoreError) -> IndexEntry? {
        if offset == bytes.count { return nil }
        let document = try number()
        let collection = try number()
        let count = try number()
        guard count >= 0, count <= bytes.count - offset else { throw Self.damage }
        let value = Array(bytes[offset..<offset + Int(count)])
        offset += Int(count)
        return IndexEntry(
            place: IndexPlace(collection: collection, value: value), document: document)
    }

    private static var damage: StoreError { .damaged("a run of an index") }

    private mutating func append(_ entry: IndexEntry) {
        append(entry.document)
        append(entry.place.collection)
        append(Int64(entry.place.value.count))
        bytes += entry.place.value
    }

    private mutating func append(_ number: Int64) {
        var rest = UInt64(bitPattern: number)
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    private mutating func number() throws(StoreError) -> Int64 {
        var result: UInt64 = 0
        var shift: UInt64 = 0
        while offset < bytes.count, shift < 64 {
            let byte = bytes[offset]
            offset += 1
            result |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return Int64(bitPattern: result) }
            shift += 7
        }
        throw Self.damage
    }
}

/// The tables `index_runs` and `index_changes`.
extension SQLiteTransaction {
    /// Stores entries as a run of their own.
    func appendRun(_ entries: [IndexEntry], of index: IndexID) throws(StoreError) {
        if entries.isEmpty { return }
        let names = RunBlockID.all(of: index)
        let last = try connection.statement(
            "SELECT id FROM index_runs WHERE id >= ? AND id < ? ORDER BY id DESC LIMIT 1"
        ).bind(names.lowerBound, names.upperBound).first { $0.int(0) }
        var name = last.map { RunBlockID(rawValue: $0).nextRun } ?? RunBlockID(index, run: 0)
        let statement = try connection.statement("INSERT INTO index_runs VALUES (?, ?)")
        for block in RunBlock.blocks(of: entries) {
            try statement.bind(name.rawValue, block.bytes).run()
            memory.group.bulkByteCount += block.bytes.count
            name = name.next
        }
    }

    /// Notes that a document is listed otherwise than a run may say.
    func noteChange(_ document: Int64, in index: IndexID) throws(StoreError) {
        try connection.statement("INSERT OR IGNORE INTO index_changes VALUES (?, ?)")
            .bind(index.rawValue, document).run()
    }

    /// Whether any document, or a certain one, is listed otherwise than a run may say.
    func hasChanged(_ document: Int64? = nil, in index: IndexID) throws(StoreError) -> Bool {
        let statement =
            document == nil
            ? try connection.statement("SELECT 1 FROM index_changes WHERE index_id = ? LIMIT 1")
                .bind(index.rawValue)
            : try connection.statement(
                "SELECT 1 FROM index_changes WHERE index_id = ? AND document = ?"
            ).bind(index.rawValue, document)
        return try statement.first { _ in true } ?? false
    }

    /// Forgets runs and changes of an index, so many at most.
    ///
    /// - Returns: How many; fewer only if none are left.
    func removeRuns(of index: IndexID, countMax: Int) throws(StoreError) -> Int {
        let names = RunBlockID.all(of: index)
        let blocks = try connection.statement(
            """
            DELETE FROM index_runs WHERE id IN (
                SELECT id FROM index_runs WHERE id >= ? AND id < ? ORDER BY id LIMIT ?)
            """)
        try blocks.bind(names.lowerBound, names.upperBound, countMax).run()
        let count = Int(connection.changeCount)
        guard count < countMax else { return count }
        let changes = try connection.statement(
            """
            DELETE FROM index_changes WHERE index_id = ?1 AND document IN (
                SELECT document FROM index_changes WHERE index_id = ?1 ORDER BY document LIMIT ?2)
            """)
        try changes.bind(index.rawValue, countMax - count).run()
        return count + Int(connection.changeCount)
    }
}
