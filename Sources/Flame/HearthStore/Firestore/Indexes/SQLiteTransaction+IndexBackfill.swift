package import HearthEngine
package import HearthFirestore
import HearthModel
import HearthProtocol
import HearthSQLite

/// The listing of documents that were there before their index, slice by slice.
///
/// From the index's making on, the transaction that changes a document also lists the document. A
/// document that changes also moves to the end of the order of reading, so one walk over the
/// documents in this order is enough.
///
/// An entry's place has nothing to do with when its document was read, and an index may be larger
/// than the page cache. So each slice stores its entries as a sorted run. When all documents are
/// found, the store merges the runs, and writes every page of the index once.
extension SQLiteTransaction {
    package func backfillIndexes(countMax: Int) throws(StoreError) -> BackfillProgress {
        try loggedLater { () throws(StoreError) in
            try backfill(countMax: countMax)
        } as: {
            $0.backfilled(countMax: countMax)
        }
    }

    private func backfill(countMax: Int) throws(StoreError) -> BackfillProgress {
        var count = 0
        while let work = try nextWork() {
            guard count < countMax else { return BackfillProgress(count: count, isDone: false) }
            switch work.state {
            case .listsDocuments: count += try listDocuments(work, countMax: countMax - count)
            case .mergesRuns: count += try mergeRuns(work, countMax: countMax - count)
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
        /// When the last document was read; of a merge, the last value.
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

    /// What a slice has listed, and how far it has come.
    private struct Listing {
        var collection: Int64
        var readAt: [UInt8]
        var lastID: Int64
        var isCollectionDone = false
        var count = 0
        var byteCount = 0
        var entries: [IndexEntry] = []

        init(_ work: Work) {
            collection = work.collection
            readAt = work.readAt
            lastID = work.lastID
            isCollectionDone = collection == 0
        }

        func hasRoom(_ countMax: Int) -> Bool {
            count < countMax && byteCount < StoreLimits.indexRunByteCountMax
        }

        mutating func append(_ entry: IndexEntry) {
            entries.append(entry)
            byteCount += entry.place.value.count
        }
    }

    private func listDocuments(_ work: Work, countMax: Int) throws(StoreError) -> Int {
        var listing = Listing(work)
        var isDone = false
        while !isDone, listing.hasRoom(countMax) {
            if !listing.isCollectionDone {
                try list(work.index, countMax, &listing)
            } else if let next = try nextCollection(of: work.index, behind: listing.collection) {
                listing.collection = next
                listing.readAt = []
                listing.lastID = 0
                listing.isCollectionDone = false
                listing.count += 1  // It costs about as much as a document.
            } else {
                isDone = true
            }
        }
        try appendRun(listing.entries, of: work.index.id)
        if isDone {
            try note(work, .mergesRuns, 0, [], 0)
        } else {
            try note(
                work, .listsDocuments, listing.collection, listing.readAt, listing.lastID)
        }
        return listing.count
    }

    private func list(_ stored: StoredIndex, _ countMax: Int, _ listing: inout Listing)
        throws(StoreError)
    {
        let path = try collection(listing.collection)
        let selection = FieldSelection(stored.index.fields)
        func take(_ row: borrowing Row) throws(StoreError) -> Bool {
            listing.count += 1
            listing.lastID = row.int(0)
            listing.readAt = row.bytes(1)
            if row.int(3) == DocumentKind.found.rawValue {
                let fields = try row.withBytes(4) { content throws(StoreError) in
                    try reader.fields(selection, of: content)
                }
                let place = Place(
                    id: listing.lastID, collection: listing.collection, path: path,
                    name: row.bytes(2))
                for value in stored.index.entries(of: fields) {
                    listing.append(stored.index.indexEntry(value, place))
                }
            }
            return listing.hasRoom(countMax)
        }
        // Two statements, because many documents may have been read at once, and of a pair SQLite
        // seeks the first half alone.
        let sameTime = try connection.statement(
            """
            SELECT id, read_at, name, kind, content
            FROM remote_documents INDEXED BY remote_documents_by_read
            WHERE collection = ? AND read_at = ? AND id > ? ORDER BY id
            """)
        try sameTime.bind(listing.collection, listing.readAt, listing.lastID).whileNext(take)
        guard listing.hasRoom(countMax) else { return }
        let later = try connection.statement(
            """
            SELECT id, read_at, name, kind, content
            FROM remote_documents INDEXED BY remote_documents_by_read
            WHERE collection = ? AND read_at > ? ORDER BY read_at, id
            """)
        try later.bind(listing.collection, listing.readAt).whileNext(take)
        listing.isCollectionDone = listing.hasRoom(countMax)
    }

    /// The collection of an index's group that comes behind another; 0 is before the first.
    private func nextCollection(of stored: StoredIndex, behind collection: Int64)
        throws(StoreError) -> Int64?
    {
        let last = collection == 0 ? [] : PathKey.bytes(of: try self.collection(collection))
        let statement = try connection.statement(
            """
            SELECT id FROM collections WHERE collection_group = ? AND path > ?
            ORDER BY path LIMIT 1
            """)
        return try statement.bind(stored.index.collectionGroup, last).first { $0.int(0) }
    }

    private func mergeRuns(_ work: Work, countMax: Int) throws(StoreError) -> Int {
        let (count, place) = try mergeRuns(
            of: work.index,
            behind: IndexPlace(collection: work.collection, value: work.readAt),
            countMax: countMax)
        if count == countMax {
            try note(work, .mergesRuns, place.collection, place.value, 0)
            return count
        }
        let removedCount = try removeRuns(of: work.index.id, countMax: countMax - count)
        let isDone = count + removedCount < countMax
        try note(
            work, isDone ? .listsOverlays : .mergesRuns, isDone ? 0 : place.collection,
            isDone ? [] : place.value, 0)
        return count + removedCount
    }

    // MARK: Overlays

    /// Lists the pending effects on the documents of an index's collections.
    ///
    /// In a collection the listing goes queue by queue. An effect that is stored only as a batch's
    /// write first gets a separate row, because the index lists an effect by the row.
    private func listOverlays(_ work: Work, countMax: Int) throws(StoreError) -> Int {
        let queues = try queueIDs().sorted()
        var count = 0
        var (collection, name, queue) = (work.collection, work.readAt, work.lastID)
        if collection == 0 { queue = .max }
        while count < countMax {
            guard let next = queues.first(where: { $0 >= queue }) else {
                guard let found = try nextCollection(of: work.index, behind: collection) else {
                    try note(work, .complete, 0, [], 0)
                    return count
                }
                (collection, name, queue) = (found, [], 0)
                continue
            }
            if next > queue { (name, queue) = ([], next) }
            // Each costs as much as several documents.
            let room = max(1, (countMax - count) / StoreLimits.overlayWeight)
            let names = try effectNames(in: collection, behind: name, of: queue, countMax: room)
            for name in names { try listEffect(on: name, of: queue, work.index) }
            count += 1 + names.count * StoreLimits.overlayWeight
            (name, queue) = names.count < room ? ([], queue + 1) : (names[room - 1].bytes, queue)
        }
        try note(work, .listsOverlays, collection, name, queue)
        return count
    }

    /// Documents of a collection with a pending effect, behind a name.
    private func effectNames(
        in collection: Int64, behind name: [UInt8], of queue: Int64, countMax: Int
    ) throws(StoreError) -> [DocumentName] {
        let path = try self.collection(collection)
        let statement = try connection.statement(
            """
            SELECT name FROM written_documents
            WHERE queue = ? AND collection = ? AND name > ? AND effect IS NOT NULL
            ORDER BY name LIMIT ?
            """)
        return try statement.bind(queue, collection, name, countMax).map { row throws(StoreError) in
            let key = try row.withBytes(0) { name throws(StoreError) in
                try PathKey.key(in: path, named: name)
            }
            return DocumentName(key: key, collection: collection, bytes: row.bytes(0))
        }
    }

    private func listEffect(on name: DocumentName, of queue: Int64, _ index: StoredIndex)
        throws(StoreError)
    {
        try storeEffect(on: name, in: queue)
        let row = try writtenRow(name, in: queue)
        guard let id = row.effect, let overlay = try overlay(of: row, on: name.key, in: queue)
        else { return }
        let place = Place(
            id: id, collection: name.collection, path: name.key.collection, name: name.bytes)
        try relist(overlay, at: place, of: queue, try remoteDocument(name.key), [index])
    }

    // MARK: Removal

    private func removeEntries(_ work: Work, countMax: Int) throws(StoreError) -> Int {
        if try removeRuns(of: work.index.id, countMax: countMax) == countMax { return countMax }
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
        if state != work.state { memory.indexes = nil }
    }
}
