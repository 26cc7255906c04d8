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
        guard !overlays.isEmpty else { return }
        let queue = try makeQueueID(user)
        for overlay in overlays {
            changes.insert(overlay.key)
            let path = overlay.key.collection
            let collection = try makeCollectionID(path)
            let name = PathKey.name(of: overlay.key)
            let statement = try connection.statement(
                """
                INSERT INTO document_overlays (queue, collection, name, largest_batch, mutation)
                VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (queue, collection, name) DO UPDATE
                SET largest_batch = excluded.largest_batch, mutation = excluded.mutation
                RETURNING id
                """)
            var id: Int64 = 0
            try statement.bind(
                queue, collection, name, overlay.largestBatchID.rawValue,
                try BatchBytes.bytes(of: overlay.mutation, codec)
            ).forEach { id = $0.int(0) }
            guard let group = try indexGroup(of: path) else { continue }
            let place = Place(id: id, collection: collection, path: path, name: name)
            try relist(
                overlay, at: place, of: queue, try remoteDocument(overlay.key), group.indexes)
        }
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

    package func removeOverlays(largestBatch batch: BatchID, of user: UserID)
        throws(StoreError)
    {
        guard let queue = try queueID(user) else { return }
        if try !indexTable().all.isEmpty { try unlistOverlays(queue, largestBatch: batch) }
        let statement = try connection.statement(
            """
            DELETE FROM document_overlays WHERE queue = ? AND largest_batch = ?
            RETURNING collection, name
            """)
        try statement.bind(queue, batch.rawValue).forEach { row throws(StoreError) in
            let collection = try self.collection(row.int(0))
            changes.insert(
                try row.withBytes(1) { name throws(StoreError) in
                    try PathKey.key(in: collection, named: name)
                })
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
