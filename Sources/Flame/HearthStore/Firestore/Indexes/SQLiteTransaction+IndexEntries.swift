import HearthEngine
import HearthFirestore
import HearthModel
import HearthProtocol
import HearthSQLite

/// The tables `index_entries` and `overlay_entries`, kept by whatever changes a document or an
/// overlay, in the same transaction.
extension SQLiteTransaction {
    /// A document's row and name.
    struct Place {
        let id: Int64
        let collection: Int64
        let path: ResourcePath
        let name: [UInt8]
    }

    /// The indexes that list documents of a collection; `nil` for none, which costs nothing to find.
    func indexGroup(of collection: ResourcePath) throws(StoreError) -> IndexTable.Group? {
        let table = try indexTable()
        if table.all.isEmpty { return nil }
        return table.groups[UTF8Text(collection.last)]
    }

    /// The indexes of the collection of a document.
    func indexGroup(of key: DocumentKey) throws(StoreError) -> IndexTable.Group? {
        let table = try indexTable()
        if table.all.isEmpty { return nil }
        return table.groups[UTF8Text(key.collectionGroup)]
    }

    /// Lists a document by the new fields instead of the old fields.
    ///
    /// `nil` fields mean that the document was not found.
    func relist(_ place: Place, from old: MapValue?, to new: MapValue?, in group: IndexTable.Group)
        throws(StoreError)
    {
        for stored in group.indexes {
            let before = old.map(stored.index.entries) ?? []
            let after = new.map(stored.index.entries) ?? []
            if before == after { continue }
            // The document's entries in runs no longer count, so all entries are listed here.
            let hasRuns = group.withRuns.contains(stored.id)
            if hasRuns, !before.isEmpty { try noteChange(place.id, in: stored.id) }
            for value in before where !after.contains(value) {
                let statement = try connection.statement(
                    """
                    DELETE FROM index_entries
                    WHERE index_id = ? AND collection = ? AND value = ?
                    """)
                try statement.bind(
                    stored.id.rawValue, stored.index.collectionColumn(place),
                    stored.index.entry(value, place)
                ).run()
            }
            for value in after where hasRuns || !before.contains(value) {
                try insertEntry(value, stored, place)
            }
        }
    }

    /// Lists a document, unless it is listed.
    func insertEntry(_ value: [UInt8], _ stored: StoredIndex, _ place: Place) throws(StoreError) {
        let statement = try connection.statement(
            "INSERT OR IGNORE INTO index_entries VALUES (?, ?, ?, ?)")
        try statement.bind(
            stored.id.rawValue, stored.index.collectionColumn(place),
            stored.index.entry(value, place), place.id
        ).run()
    }

    // MARK: Overlays

    /// Lists the documents with an overlay anew, of all users, after the remote one has changed.
    func relistOverlays(
        on remote: Document, _ collection: Int64, _ name: [UInt8], _ group: IndexTable.Group
    ) throws(StoreError) {
        // In most groups the effect of the one queue that there is has just been looked at.
        let queues = try queueIDs().filter {
            memory.written.rows[WrittenName(queue: $0, key: remote.key)] != .absent
        }
        guard !queues.isEmpty, try hasOverlays() else { return }
        for queue in queues {
            let document = DocumentName(key: remote.key, collection: collection, bytes: name)
            let row = try writtenRow(document, in: queue)
            // An effect without a row of its own is not listed yet.
            guard let id = row.effect, id > 0,
                let overlay = try overlay(of: row, on: remote.key, in: queue)
            else { continue }
            let place = Place(
                id: id, collection: collection, path: remote.key.collection, name: name)
            try relist(overlay, at: place, of: queue, remote, group.indexes)
        }
    }

    /// Lists a document as a user sees it, by the row of its overlay.
    ///
    /// - Parameter isListed: Whether it may be listed already; not if its row is new.
    func relist(
        _ overlay: Overlay, at place: Place, of queue: Int64, _ remote: Document,
        _ indexes: [StoredIndex], isListed: Bool = true
    ) throws(StoreError) {
        var local = remote
        overlay.apply(to: &local)
        for stored in indexes {
            if isListed {
                try connection.statement(
                    "DELETE FROM overlay_entries WHERE overlay = ? AND index_id = ?"
                ).bind(place.id, stored.id.rawValue).run()
            }
            guard local.isFound else { continue }
            for value in stored.index.entries(of: local.fields) {
                let statement = try connection.statement(
                    "INSERT OR IGNORE INTO overlay_entries VALUES (?, ?, ?, ?, ?)")
                try statement.bind(
                    stored.id.rawValue, queue, stored.index.collectionColumn(place),
                    stored.index.entry(value, place), place.id
                ).run()
            }
        }
    }

    /// Lists a document no longer by the row of its overlay, which is about to go.
    func unlistOverlay(_ id: Int64) throws(StoreError) {
        try connection.statement("DELETE FROM overlay_entries WHERE overlay = ?").bind(id).run()
    }

    /// Whether any user has an overlay.
    private func hasOverlays() throws(StoreError) -> Bool {
        try connection.statement("SELECT 1 FROM document_overlays LIMIT 1").first { _ in true }
            ?? false
    }
}

extension FieldIndex {
    /// An entry as a whole.
    func indexEntry(_ value: [UInt8], _ place: SQLiteTransaction.Place) -> IndexEntry {
        IndexEntry(
            place: IndexPlace(collection: collectionColumn(place), value: entry(value, place)),
            document: place.id)
    }

    /// What stands in the column of an entry's collection.
    func collectionColumn(_ place: SQLiteTransaction.Place) -> Int64 {
        scope == .collection ? place.collection : 0
    }

    /// An entry's bytes: the fields, then what names the document.
    func entry(_ value: [UInt8], _ place: SQLiteTransaction.Place) -> [UInt8] {
        scope == .collection
            ? value + place.name : value + PathKey.bytes(of: place.path) + place.name
    }
}
