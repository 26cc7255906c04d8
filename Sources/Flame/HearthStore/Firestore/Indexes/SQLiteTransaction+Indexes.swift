package import HearthEngine
package import HearthFirestore
import HearthModel
import HearthProtocol
import HearthSQLite

/// What is known of the table `indexes` without reading it.
struct IndexTable {
    /// The indexes of one collection group, and the fields in the indexes.
    struct Group {
        var indexes: [StoredIndex] = []
        /// The indexes that have entries in runs.
        var withRuns: Set<IndexID> = []
        var selection = FieldSelection([])
    }

    /// All but the removed ones, in the order of their making.
    var all: [StoredIndex] = []
    var groups: [UTF8Text: Group] = [:]

    init(_ indexes: [(index: StoredIndex, hasRuns: Bool)]) {
        all = indexes.map(\.index)
        for (index, hasRuns) in indexes {
            let name = UTF8Text(index.index.collectionGroup)
            groups[name, default: Group()].indexes.append(index)
            if hasRuns { groups[name]?.withRuns.insert(index.id) }
        }
        for (name, group) in groups {
            groups[name]?.selection = FieldSelection(group.indexes.flatMap(\.index.fields))
        }
    }
}

/// The table `indexes`.
extension SQLiteTransaction {
    /// What a row says of how far its index is.
    enum IndexState: Int64 {
        case listsDocuments = 0
        case listsOverlays = 1
        case complete = 2
        case removed = 3
        /// Between the documents and the overlays.
        case mergesRuns = 4
    }

    package func indexes() throws(StoreError) -> [StoredIndex] { try indexTable().all }

    package func addIndex(_ index: FieldIndex, isAutomatic: Bool) throws(StoreError) -> Bool {
        if let old = try indexes().first(where: { $0.index == index }) {
            guard old.isAutomatic, !isAutomatic else { return false }
            try connection.statement("UPDATE indexes SET is_automatic = 0 WHERE id = ?")
                .bind(old.id.rawValue).run()
            memory.indexes = nil
            return false
        }
        let statement = try connection.statement(
            """
            INSERT INTO indexes (collection_group, scope, fields, is_automatic, state, collection,
                read_at, last_id)
            VALUES (?, ?, ?, ?, 0, 0, x'', 0)
            """)
        try statement.bind(
            index.collectionGroup, Int64(index.scope.rawValue),
            IndexFieldBytes.bytes(of: index.segments), isAutomatic
        ).run()
        memory.indexes = nil
        return true
    }

    package func removeIndex(_ id: IndexID) throws(StoreError) {
        try connection.statement("UPDATE indexes SET state = 3 WHERE id = ?")
            .bind(id.rawValue).run()
        memory.indexes = nil
    }

    /// The indexes, read once.
    func indexTable() throws(StoreError) -> IndexTable {
        if let table = memory.indexes { return table }
        let statement = try connection.statement(
            """
            SELECT id, collection_group, scope, fields, is_automatic, state FROM indexes
            WHERE state <> 3 ORDER BY id
            """)
        let table = IndexTable(
            try statement.map { row throws(StoreError) in
                guard let state = IndexState(rawValue: row.int(5)) else {
                    throw .damaged("the state of an index")
                }
                let index = StoredIndex(
                    id: IndexID(row.int(0)), index: try index(from: row, at: 1),
                    isAutomatic: row.bool(4), isComplete: state == .complete)
                return (index, state == .listsDocuments || state == .mergesRuns)
            })
        memory.indexes = table
        return table
    }

    /// Reads collection_group, scope and fields.
    func index(from row: borrowing Row, at column: Int32) throws(StoreError) -> FieldIndex {
        guard let scope = FieldIndex.Scope(rawValue: UInt8(clamping: row.int(column + 1))),
            let index = FieldIndex(
                row.text(column) ?? "", try IndexFieldBytes.segments(from: row.bytes(column + 2)),
                scope: scope)
        else { throw .damaged("the fields of an index") }
        return index
    }
}
