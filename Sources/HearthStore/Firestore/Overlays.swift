package import HearthFirestore
package import HearthModel

/// The table `document_overlays`.
extension SQLiteTransaction {
    package func overlay(_ key: DocumentKey, of user: UserID) throws(StoreError) -> Overlay? {
        guard let queue = try queueID(user), let collection = try collectionID(key.collection)
        else { return nil }
        let statement = try connection.statement(
            """
            SELECT largest_batch, mutation FROM document_overlays
            WHERE queue = ? AND collection = ? AND name = ?
            """)
        return try statement.bind(queue, collection, PathKey.name(of: key)).first {
            row throws(StoreError) in try self.overlay(from: row, at: 0)
        }
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
        let path = overlay.key.collection
        let collection = try makeCollectionID(path)
        let name = PathKey.name(of: overlay.key)
        let row = try connection.statement(
            """
            SELECT id FROM document_overlays WHERE queue = ? AND collection = ? AND name = ?
            """)
        let old = try row.bind(queue, collection, name).first { $0.int(0) }
        if let old {
            try connection.statement(
                "UPDATE document_overlays SET largest_batch = ?, mutation = ? WHERE id = ?"
            ).bind(overlay.largestBatchID.rawValue, bytes, old).run()
        } else {
            try connection.statement(
                """
                INSERT INTO document_overlays (queue, collection, name, largest_batch, mutation)
                VALUES (?, ?, ?, ?, ?)
                """
            ).bind(queue, collection, name, overlay.largestBatchID.rawValue, bytes).run()
        }
        guard let group = try indexGroup(of: path) else { return }
        let place = Place(
            id: old ?? connection.lastInsertedID, collection: collection, path: path,
            name: name)
        let remote = try remoteDocument(overlay.key)
        try relist(overlay, at: place, of: queue, remote, group.indexes, isListed: old != nil)
    }

    package func removeOverlays(_ keys: some Collection<DocumentKey>, of user: UserID)
        throws(StoreError)
    {
        guard let queue = try queueID(user) else { return }
        for key in keys {
            changes.insert(key)
            let path = key.collection
            guard let collection = try collectionID(path) else { continue }
            if try indexGroup(of: path) != nil {
                try unlistOverlay(queue, collection, PathKey.name(of: key))
            }
            let statement = try connection.statement(
                """
                DELETE FROM document_overlays
                WHERE queue = ? AND collection = ? AND name = ?
                """)
            try statement.bind(queue, collection, PathKey.name(of: key)).run()
        }
    }

    package func removeOverlays(
        _ keys: some Collection<DocumentKey>, largestBatch batch: BatchID, of user: UserID
    ) throws(StoreError) {
        guard let queue = try queueID(user) else { return }
        for key in keys {
            let path = key.collection
            guard let collection = try collectionID(path) else { continue }
            let name = PathKey.name(of: key)
            if try indexGroup(of: path) != nil {
                try unlistOverlay(queue, collection, name, largestBatch: batch)
            }
            let statement = try connection.statement(
                """
                DELETE FROM document_overlays
                WHERE queue = ? AND collection = ? AND name = ? AND largest_batch = ?
                """)
            try statement.bind(queue, collection, name, batch.rawValue).run()
            if connection.changeCount > 0 { changes.insert(key) }
        }
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
