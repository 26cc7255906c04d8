package import HearthFirestore
import HearthModel
import HearthProtocol

/// The listing of documents that were there before their index, slice by slice.
///
/// Whatever changes is listed by its own transaction from the index's making on, so one walk over
/// the documents, in the order of their reading, is enough: a document that changes moves to its end.
extension SQLiteTransaction {
    package func backfillIndexes(countMax: Int) throws(StoreError) -> BackfillProgress {
        var count = 0
        while let work = try nextWork() {
            guard count < countMax else { return BackfillProgress(count: count, isDone: false) }
            switch work.state {
            case .listsDocuments: count += try listDocuments(work, countMax: countMax - count)
            case .listsOverlays: count += try listOverlays(work, countMax: countMax - count)
            case .removed: count += try removeEntries(work, countMax: countMax)
            case .complete: break
            }
        }
        return BackfillProgress(count: count, isDone: true)
    }

    /// An index that is not complete, or not gone.
    private struct Work {
        let index: StoredIndex
        let state: IndexState
        /// The row of the collection that is being listed; 0 before the first.
        let collection: Int64
        let readAt: [UInt8]
        let lastID: Int64
    }

    private func nextWork() throws(StoreError) -> Work? {
        let statement = try connection.statement(
            """
            SELECT id, collection_group, scope, fields, is_automatic, state, collection, read_at,
                last_id
            FROM indexes WHERE state <> 2 ORDER BY id LIMIT 1
            """)
        return try statement.first { row throws(StoreError) in
            guard let state = IndexState(rawValue: row.int(5)) else {
                throw .damaged("the state of an index")
            }
            let index = StoredIndex(
                id: IndexID(row.int(0)), index: try index(from: row, at: 1),
                isAutomatic: row.bool(4), isComplete: false)
            return Work(
                index: index, state: state, collection: row.int(6), readAt: row.bytes(7),
                lastID: row.int(8))
        }
    }

    // MARK: Documents

    private func listDocuments(_ work: Work, countMax: Int) throws(StoreError) -> Int {
        guard work.collection != 0 else { return try openNextCollection(work) }
        let path = try collection(work.collection)
        let selection = FieldSelection(work.index.index.fields)
        let statement = try connection.statement(
            """
            SELECT id, read_at, name, kind, content
            FROM remote_documents INDEXED BY remote_documents_by_read
            WHERE collection = ? AND (read_at, id) > (?, ?) ORDER BY read_at, id LIMIT ?
            """)
        statement.bind(work.collection, work.readAt, work.lastID, countMax)
        var count = 0
        var readAt = work.readAt
        var lastID = work.lastID
        try statement.forEach { row throws(StoreError) in
            count += 1
            lastID = row.int(0)
            readAt = row.bytes(1)
            guard row.int(3) == DocumentKind.found.rawValue else { return }
            let fields = try row.withBytes(4) { content throws(StoreError) in
                try reader.fields(selection, of: content)
            }
            let place = Place(
                id: lastID, collection: work.collection, path: path, name: row.bytes(2))
            for value in work.index.index.entries(of: fields) {
                try insertEntry(value, work.index, place)
            }
        }
        if count < countMax { return count + (try openNextCollection(work)) }
        try note(work, .listsDocuments, work.collection, readAt, lastID)
        return count
    }

    /// Goes on with the next collection of the group; behind the last one come the overlays.
    private func openNextCollection(_ work: Work) throws(StoreError) -> Int {
        let last = work.collection == 0 ? [] : PathKey.bytes(of: try collection(work.collection))
        let statement = try connection.statement(
            """
            SELECT id FROM collections WHERE collection_group = ? AND path > ?
            ORDER BY path LIMIT 1
            """)
        let next = try statement.bind(work.index.index.collectionGroup, last).first { $0.int(0) }
        if let next {
            try note(work, .listsDocuments, next, [], 0)
        } else {
            try note(work, .listsOverlays, 0, [], 0)
        }
        return 1  // A collection costs about as much as a document.
    }

    // MARK: Overlays

    private func listOverlays(_ work: Work, countMax: Int) throws(StoreError) -> Int {
        let statement = try connection.statement(
            """
            SELECT id, queue, collection, name, largest_batch, mutation FROM document_overlays
            WHERE id > ? ORDER BY id LIMIT ?
            """)
        var count = 0
        var lastID = work.lastID
        var found: [(overlay: Overlay, place: Place, queue: Int64)] = []
        try statement.bind(work.lastID, countMax).forEach { row throws(StoreError) in
            count += 1
            lastID = row.int(0)
            let path = try collection(row.int(2))
            guard utf8Equals(path.last, work.index.index.collectionGroup) else { return }
            let place = Place(
                id: lastID, collection: row.int(2), path: path, name: row.bytes(3))
            found.append((try overlay(from: row, at: 4), place, row.int(1)))
        }
        for (overlay, place, queue) in found {
            let remote = try remoteDocument(overlay.key)
            try relist(overlay, at: place, of: queue, remote, [work.index])
        }
        let isDone = count < countMax
        try note(work, isDone ? .complete : .listsOverlays, 0, [], lastID)
        return count
    }

    // MARK: Removal

    private func removeEntries(_ work: Work, countMax: Int) throws(StoreError) -> Int {
        let id = work.index.id.rawValue
        let edge = try connection.statement(
            """
            SELECT collection, value FROM index_entries WHERE index_id = ?
            ORDER BY collection, value LIMIT 1 OFFSET ?
            """)
        let last = try edge.bind(id, countMax).first { ($0.int(0), $0.bytes(1)) }
        if let (collection, value) = last {
            let statement = try connection.statement(
                """
                DELETE FROM index_entries
                WHERE index_id = ? AND (collection, value) < (?, ?)
                """)
            try statement.bind(id, collection, value).run()
            return countMax
        }
        try connection.statement("DELETE FROM index_entries WHERE index_id = ?").bind(id).run()
        try connection.statement("DELETE FROM overlay_entries WHERE index_id = ?").bind(id).run()
        try connection.statement("DELETE FROM indexes WHERE id = ?").bind(id).run()
        return countMax
    }

    private func note(
        _ work: Work, _ state: IndexState, _ collection: Int64, _ readAt: [UInt8], _ lastID: Int64
    ) throws(StoreError) {
        let statement = try connection.statement(
            """
            UPDATE indexes SET state = ?, collection = ?, read_at = ?, last_id = ? WHERE id = ?
            """)
        try statement.bind(state.rawValue, collection, readAt, lastID, work.index.id.rawValue)
            .run()
        if state == .complete { memory.indexes = nil }
    }
}
