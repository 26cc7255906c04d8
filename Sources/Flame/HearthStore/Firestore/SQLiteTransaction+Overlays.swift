package import HearthEngine
package import HearthFirestore
package import HearthModel
import HearthSQLite

/// The table `document_overlays`: pending effects of queued batches on documents.
///
/// An effect has no row here if the effect equals the only write of a batch, and no index lists the
/// document.
extension SQLiteTransaction {
    package func overlay(_ key: DocumentKey, of user: UserID) throws(StoreError) -> Overlay? {
        guard let queue = try queueID(user), let name = try name(of: key) else { return nil }
        return try overlay(of: writtenRow(name, in: queue), on: key, in: queue)
    }

    package func overlays(_ keys: some Collection<DocumentKey>, of user: UserID)
        throws(StoreError) -> [DocumentKey: Overlay]
    {
        guard let queue = try queueID(user) else { return [:] }
        if keys.count > 1 {
            guard try hasOverlays(queue) else { return [:] }
        }
        var result: [DocumentKey: Overlay] = [:]
        for key in keys {
            if let overlay = try overlay(key, of: user) { result[key] = overlay }
        }
        return result
    }

    package func overlays(for query: Query, after batch: BatchID, of user: UserID)
        throws(StoreError) -> [DocumentKey: Overlay]
    {
        try overlays(for: query, after: batch, of: user, ScanBounds()) ?? [:]
    }

    package func overlays(for query: Query, of user: UserID, within bounds: ScanBounds)
        throws(StoreError) -> [DocumentKey: Overlay]?
    {
        try overlays(for: query, after: .none, of: user, bounds)
    }

    /// The pending effects where a query looks, read one by one; `nil` if there is no room for the next.
    private func overlays(
        for query: Query, after batch: BatchID, of user: UserID, _ bounds: ScanBounds
    ) throws(StoreError) -> [DocumentKey: Overlay]? {
        guard let queue = try queueID(user), try hasOverlays(queue) else { return [:] }
        var result: [DocumentKey: Overlay] = [:]
        if query.collectionGroup == nil, let key = DocumentKey(query.path) {
            let overlay = try self.overlay(key, of: user)
            if let overlay, overlay.largestBatchID > batch { result[key] = overlay }
            return result
        }
        var hasRoom = true
        for id in try collections(of: query, writtenBy: queue) {
            let statement = try connection.statement(
                """
                SELECT coalesce(o.largest_batch, w.batch), coalesce(o.mutation, m.writes),
                    m.promised_at, o.created_at, w.effect
                FROM written_documents w
                LEFT JOIN document_overlays o ON o.id = w.effect
                LEFT JOIN mutations m
                    ON m.id = w.queue << 44 | coalesce(o.largest_batch, w.batch)
                WHERE w.queue = ? AND w.collection = ? AND w.effect IS NOT NULL
                    AND coalesce(o.largest_batch, w.batch) > ?
                """)
            try statement.bind(queue, id, batch.rawValue).whileNext { row throws(StoreError) in
                let overlay =
                    row.int(4) == 0
                    ? try writtenEffect(from: row, at: 0) : try self.overlay(from: row, at: 0)
                if let room = bounds.room { hasRoom = room.hold(overlay.surveyByteCount) }
                if hasRoom { result[overlay.key] = overlay }
                return hasRoom
            }
            guard hasRoom else { return nil }
        }
        return result
    }

    /// The collections where a query looks, if there are few; otherwise those that a queue writes to.
    ///
    /// - Complexity: O(collections that the queue writes to), however many the group has.
    private func collections(
        of query: Query, writtenBy queue: Int64
    ) throws(StoreError) -> [Int64] {
        guard let group = query.collectionGroup else {
            return try collectionID(query.path).map { [$0] } ?? []
        }
        let first = try collections(inGroup: group, below: query.path, behind: query.path)
        if first.count < StoreLimits.collectionPageCount { return first.map { $0.id } }
        let statement = try connection.statement(
            """
            SELECT collection FROM written_documents WHERE queue = ? AND collection > ?
            ORDER BY collection LIMIT 1
            """)
        var ids: [Int64] = []
        var last = Int64.min
        while let id = try statement.bind(queue, last).first({ $0.int(0) }) {
            last = id
            let path = try collection(id)
            if utf8Equals(path.last, group), query.path.isPrefix(of: path) { ids.append(id) }
        }
        return ids
    }

    package func setOverlays(_ overlays: [Overlay], of user: UserID) throws(StoreError) {
        for overlay in overlays {
            let bytes = try BatchBytes.bytes(of: overlay.mutation, codec)
            try logged { () throws(StoreError) in
                let queue = try makeQueueID(user)
                let name = try makeName(of: overlay.key)
                var row = try writtenRow(name, in: queue)
                let old = row.effect ?? 0
                row.effect = try store(
                    PendingEffect(overlay: overlay, bytes: bytes), on: name, in: queue, over: old)
                try setWrittenRow(row, name, in: queue)
                try list(overlay, row.effect, name, in: queue, isListed: old > 0)
            } as: {
                $0.overlay(overlay, mutation: bytes, of: user)
            }
        }
    }

    package func removeOverlays(_ keys: some Collection<DocumentKey>, of user: UserID)
        throws(StoreError)
    {
        if keys.isEmpty { return }
        try logged { () throws(StoreError) in
            guard let queue = try queueID(user) else { return }
            for key in keys { try deleteEffect(on: key, in: queue) }
        } as: {
            $0.overlaysRemoved(keys, of: user)
        }
    }

    /// Removes the pending effects on documents, where `batch` is the newest batch in the effect.
    func removeOverlays(_ keys: [DocumentKey], largestBatch batch: BatchID, of user: UserID)
        throws(StoreError)
    {
        let meant = try overlays(keys, of: user).values.filter { $0.largestBatchID == batch }
        try removeOverlays(meant.map(\.key), of: user)
    }

    // MARK: Effects

    /// The effects of a batch, ready to be stored.
    ///
    /// An effect has no bytes if the batch holds the same write.
    func pendingEffects(_ effects: [Overlay], of batch: MutationBatch, _ writes: [UInt8])
        throws(StoreError) -> [PendingEffect]
    {
        var pending: [PendingEffect] = []
        for effect in effects {
            let isListed = try indexGroup(of: effect.key) != nil
            let mayBeWritten =
                batch.mutations.count == 1 && effect.largestBatchID == batch.id && !isListed
                && effect.createdAt == nil
            if mayBeWritten, effect.mutation.isSurely(batch.mutations[0]) {
                pending.append(PendingEffect(overlay: effect, bytes: nil))
                continue
            }
            let bytes = try BatchBytes.bytes(of: effect.mutation, codec)
            let isWritten = mayBeWritten && BatchBytes.isOnlyWrite(bytes, in: writes)
            pending.append(PendingEffect(overlay: effect, bytes: isWritten ? nil : bytes))
        }
        return pending
    }

    /// Stores an effect in the place of another.
    ///
    /// - Returns: What `written_documents` says of the effect.
    func store(
        _ effect: PendingEffect, on name: DocumentName, in queue: Int64, over old: Int64
    ) throws(StoreError) -> Int64 {
        changes.insert(name.key)
        let batch = effect.overlay.largestBatchID.rawValue
        let createdAt = effect.overlay.createdAt?.microseconds
        guard let bytes = effect.bytes else {
            if old > 0 { try deleteOverlay(old, of: name.key) }
            return 0
        }
        if old > 0 {
            try connection.statement(
                """
                UPDATE document_overlays SET largest_batch = ?, mutation = ?, created_at = ?
                WHERE id = ?
                """
            ).bind(batch, bytes, createdAt, old).run()
            return old
        }
        try connection.statement(
            """
            INSERT INTO document_overlays
                (queue, collection, name, largest_batch, mutation, created_at)
            VALUES (?, ?, ?, ?, ?, ?)
            """
        ).bind(queue, name.collection, name.bytes, batch, bytes, createdAt).run()
        return connection.lastInsertedID
    }

    /// Gives an effect that is stored only as a batch's write a separate row.
    func storeEffect(on name: DocumentName, in queue: Int64) throws(StoreError) {
        var row = try writtenRow(name, in: queue)
        guard row.effect == 0, let overlay = try overlay(of: row, on: name.key, in: queue) else {
            return
        }
        let bytes = try BatchBytes.bytes(of: overlay.mutation, codec)
        row.effect = try store(
            PendingEffect(overlay: overlay, bytes: bytes), on: name, in: queue, over: 0)
        try setWrittenRow(row, name, in: queue)
    }

    private func deleteEffect(on key: DocumentKey, in queue: Int64) throws(StoreError) {
        guard let name = try name(of: key) else { return }
        var row = try writtenRow(name, in: queue)
        guard let effect = row.effect else { return }
        changes.insert(key)
        if effect > 0 { try deleteOverlay(effect, of: key) }
        row.effect = nil
        try setWrittenRow(row, name, in: queue)
    }

    private func deleteOverlay(_ id: Int64, of key: DocumentKey) throws(StoreError) {
        try connection.statement("DELETE FROM document_overlays WHERE id = ?").bind(id).run()
        if try indexGroup(of: key) != nil { try unlistOverlay(id) }
    }

    /// Deletes the row of an effect, if a batch is the newest in it.
    ///
    /// - Returns: Whether the row was deleted.
    func deleteOverlay(_ id: Int64, of key: DocumentKey, largestBatch batch: Int64)
        throws(StoreError) -> Bool
    {
        try connection.statement("DELETE FROM document_overlays WHERE id = ? AND largest_batch = ?")
            .bind(id, batch).run()
        guard connection.changeCount > 0 else { return false }
        if try indexGroup(of: key) != nil { try unlistOverlay(id) }
        return true
    }

    /// Lists an effect in the indexes of its document's collection.
    ///
    /// - Parameter isListed: Whether it may be listed already; not if its row is new.
    func list(
        _ overlay: Overlay, _ id: Int64?, _ name: DocumentName, in queue: Int64, isListed: Bool
    ) throws(StoreError) {
        guard let id, id > 0, let group = try indexGroup(of: name.key) else { return }
        let path = name.key.collection
        let place = Place(id: id, collection: name.collection, path: path, name: name.bytes)
        let known = memory.documents.recent[name.key]
        let remote = if let known { known } else { try remoteDocument(name.key) }
        try relist(overlay, at: place, of: queue, remote, group.indexes, isListed: isListed)
    }

    /// The effect that a row tells of.
    func overlay(of row: WrittenRow, on key: DocumentKey, in queue: Int64) throws(StoreError)
        -> Overlay?
    {
        guard let effect = row.effect else { return nil }
        let overlay: Overlay?
        if effect == 0 {
            let statement = try connection.statement(
                "SELECT ?, writes, promised_at FROM mutations WHERE id = ?")
            overlay = try statement.bind(
                row.batch, BatchRow.id(of: BatchID(row.batch), in: queue)
            ).first { row throws(StoreError) in try writtenEffect(from: row, at: 0) }
        } else {
            let statement = try connection.statement(
                """
                SELECT o.largest_batch, o.mutation, m.promised_at, o.created_at
                FROM document_overlays o
                LEFT JOIN mutations m ON m.id = o.queue << 44 | o.largest_batch
                WHERE o.id = ?
                """)
            overlay = try statement.bind(effect).first { row throws(StoreError) in
                try self.overlay(from: row, at: 0)
            }
        }
        guard let overlay else { throw .damaged("the pending effect on \(key) is gone") }
        return overlay
    }

    /// Whether the user has any; while not, which is most of the time, nothing needs a look.
    func hasOverlays(_ queue: Int64) throws(StoreError) -> Bool {
        let statement = try connection.statement(
            "SELECT 1 FROM written_documents WHERE queue = ? LIMIT 1")
        return try statement.bind(queue).first { _ in true } ?? false
    }

    /// Reads largest_batch, mutation, promised_at and created_at.
    func overlay(from row: borrowing Row, at column: Int32) throws(StoreError)
        -> Overlay
    {
        let mutation = try row.withBytes(column + 1) { bytes throws(StoreError) in
            try BatchBytes.mutation(from: bytes, codec)
        }
        return Overlay(
            largestBatchID: BatchID(row.int(column)), promisedAt: row.promise(column + 2),
            createdAt: row.promise(column + 3), mutation: mutation)
    }

    /// Reads a batch, its single write as the effect, and its promise.
    private func writtenEffect(from row: borrowing Row, at column: Int32) throws(StoreError)
        -> Overlay
    {
        let mutations = try row.withBytes(column + 1) { bytes throws(StoreError) in
            try BatchBytes.mutations(from: bytes, codec)
        }
        guard let written = mutations.first, mutations.count == 1 else {
            throw .damaged("the pending effect of batch \(row.int(column))")
        }
        return Overlay(
            largestBatchID: BatchID(row.int(column)), promisedAt: row.promise(column + 2),
            mutation: written.plain)
    }
}

/// A pending effect that is to be stored.
struct PendingEffect: Hashable {
    let overlay: Overlay
    /// The bytes of the effect's write; `nil` if the effect equals the batch's write.
    let bytes: [UInt8]?
}

extension Mutation {
    /// The write without what decides whether and where it applies, as effects are.
    var plain: Mutation { Mutation(key: key, kind: kind) }

    /// Whether an effect is, to the bit, what a write of the same document says, as far as that can be
    /// seen at a glance.
    fileprivate func isSurely(_ written: Mutation) -> Bool {
        switch (kind, written.kind) {
        case (.set(let fields), .set(let others)): fields.sharesStorage(with: others)
        case (.patch(let fields, let mask), .patch(let others, let otherMask)):
            mask == otherMask && fields.sharesStorage(with: others)
        case (.delete, .delete): true
        case (.set, _), (.patch, _), (.delete, _), (.verify, _): false
        }
    }
}
