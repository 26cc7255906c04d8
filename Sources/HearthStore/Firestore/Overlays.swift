package import HearthFirestore
package import HearthModel

/// The table `document_overlays`.
extension SQLiteTransaction {
    package func overlay(_ key: DocumentKey, of user: UserID) throws(StoreError) -> Overlay? {
        guard let queue = try queueID(user), let name = try name(of: key) else { return nil }
        let place = OverlayName(queue: queue, key: key)
        if memory.overlayRows[place] == .absent { return nil }
        let statement = try connection.statement(
            """
            SELECT largest_batch, mutation, id FROM document_overlays
            WHERE queue = ? AND collection = ? AND name = ?
            """)
        var row = OverlayRow.absent
        let overlay = try statement.bind(queue, name.collection, name.bytes).first {
            found throws(StoreError) in
            row = OverlayRow(id: found.int(2), largestBatch: found.int(0))
            return try self.overlay(from: found, at: 0)
        }
        remember(row, of: place)
        return overlay
    }

    package func overlays(_ keys: some Collection<DocumentKey>, of user: UserID)
        throws(StoreError) -> [DocumentKey: Overlay]
    {
        guard let queue = try queueID(user) else { return [:] }
        if keys.count > 1 {
            guard try hasOverlays(queue) else { return [:] }
        }
        var result: [DocumentKey: Overlay] = [:]
        for key in keys { result[key] = try overlay(key, of: user) }
        return result
    }

    package func overlays(for query: Query, after batch: BatchID, of user: UserID)
        throws(StoreError) -> [DocumentKey: Overlay]
    {
        guard let queue = try queueID(user), try hasOverlays(queue) else { return [:] }
        var result: [DocumentKey: Overlay] = [:]
        if query.collectionGroup == nil, let key = DocumentKey(query.path) {
            let overlay = try self.overlay(key, of: user)
            if let overlay, overlay.largestBatchID > batch { result[key] = overlay }
            return result
        }
        for (id, _) in try collectionRows(of: query) {
            let statement = try connection.statement(
                """
                SELECT largest_batch, mutation FROM document_overlays
                WHERE queue = ? AND collection = ? AND largest_batch > ?
                """)
            try statement.bind(queue, id, batch.rawValue).forEach { row throws(StoreError) in
                let overlay = try self.overlay(from: row, at: 0)
                result[overlay.key] = overlay
            }
        }
        return result
    }

    package func setOverlays(_ overlays: [Overlay], of user: UserID) throws(StoreError) {
        for overlay in overlays {
            let bytes = try BatchBytes.bytes(of: overlay.mutation, codec)
            try logged { () throws(StoreError) in
                try store(overlay, bytes, of: try makeQueueID(user))
            } as: {
                $0.overlay(overlay.largestBatchID, mutation: bytes, of: user)
            }
        }
    }

    private func store(_ overlay: Overlay, _ bytes: [UInt8], of queue: Int64)
        throws(StoreError)
    {
        changes.insert(overlay.key)
        let name = try makeName(of: overlay.key)
        let batch = overlay.largestBatchID.rawValue
        let old = try row(of: name, in: queue)
        if old != .absent {
            try connection.statement(
                "UPDATE document_overlays SET largest_batch = ?, mutation = ? WHERE id = ?"
            ).bind(batch, bytes, old.id).run()
        } else {
            try connection.statement(
                """
                INSERT INTO document_overlays (queue, collection, name, largest_batch, mutation)
                VALUES (?, ?, ?, ?, ?)
                """
            ).bind(queue, name.collection, name.bytes, batch, bytes).run()
        }
        let id = old == .absent ? connection.lastInsertedID : old.id
        remember(
            OverlayRow(id: id, largestBatch: batch),
            of: OverlayName(queue: queue, key: overlay.key))
        let path = overlay.key.collection
        guard let group = try indexGroup(of: path) else { return }
        let place = Place(id: id, collection: name.collection, path: path, name: name.bytes)
        let known = memory.documents[overlay.key]
        let remote = if let known { known } else { try remoteDocument(overlay.key) }
        try relist(
            overlay, at: place, of: queue, remote, group.indexes, isListed: old != .absent)
    }

    package func removeOverlays(_ keys: some Collection<DocumentKey>, of user: UserID)
        throws(StoreError)
    {
        if keys.isEmpty { return }
        try logged { () throws(StoreError) in
            try delete(keys, of: user) { _ in true }
        } as: {
            $0.overlaysRemoved(keys, of: user)
        }
        for key in keys { changes.insert(key) }
    }

    package func removeOverlays(
        _ keys: some Collection<DocumentKey>, largestBatch batch: BatchID, of user: UserID
    ) throws(StoreError) {
        try logged { () throws(StoreError) in
            try delete(keys, of: user) { $0.largestBatch == batch.rawValue }
        } as: {
            $0.overlaysRemoved(keys, largestBatch: batch, of: user)
        }
    }

    private func delete(
        _ keys: some Collection<DocumentKey>, of user: UserID, where isMeant: (OverlayRow) -> Bool
    ) throws(StoreError) {
        guard let queue = try queueID(user) else { return }
        for key in keys {
            guard let name = try name(of: key), case let row = try row(of: name, in: queue),
                row != .absent, isMeant(row)
            else { continue }
            changes.insert(key)
            if try indexGroup(of: key.collection) != nil { try unlistOverlay(row.id) }
            try connection.statement("DELETE FROM document_overlays WHERE id = ?").bind(row.id)
                .run()
            remember(.absent, of: OverlayName(queue: queue, key: key))
        }
    }

    /// The row of a pending effect, as the group knows it or the file says.
    private func row(of name: DocumentName, in queue: Int64) throws(StoreError) -> OverlayRow {
        let place = OverlayName(queue: queue, key: name.key)
        if let row = memory.overlayRows[place] { return row }
        let statement = try connection.statement(
            """
            SELECT id, largest_batch FROM document_overlays
            WHERE queue = ? AND collection = ? AND name = ?
            """)
        let row =
            try statement.bind(queue, name.collection, name.bytes).first {
                OverlayRow(id: $0.int(0), largestBatch: $0.int(1))
            } ?? .absent
        remember(row, of: place)
        return row
    }

    /// Remembers a row for the rest of the group.
    private func remember(_ row: OverlayRow, of place: OverlayName) {
        if memory.overlayRows.count >= StoreLimits.rowCountMax { memory.overlayRows = [:] }
        memory.overlayRows[place] = row
    }

    /// Whether the user has any; while not, which is most of the time, nothing needs a look.
    func hasOverlays(_ queue: Int64) throws(StoreError) -> Bool {
        let statement = try connection.statement(
            "SELECT 1 FROM document_overlays WHERE queue = ? LIMIT 1")
        return try statement.bind(queue).first { _ in true } ?? false
    }

    /// Reads largest_batch and mutation.
    func overlay(from row: borrowing Row, at column: Int32) throws(StoreError)
        -> Overlay
    {
        let mutation = try row.withBytes(column + 1) { bytes throws(StoreError) in
            try BatchBytes.mutation(from: bytes, codec)
        }
        return Overlay(largestBatchID: BatchID(row.int(column)), mutation: mutation)
    }
}

/// Which pending effect: on which document, in which queue.
struct OverlayName: Hashable {
    let queue: Int64
    let key: DocumentKey
}

/// The row of a pending effect, or that there is none.
struct OverlayRow: Hashable {
    /// There is no row.
    static let absent = OverlayRow(id: 0, largestBatch: 0)

    /// The row's id; 0 for none.
    let id: Int64
    /// The newest batch that it comes from.
    let largestBatch: Int64
}
