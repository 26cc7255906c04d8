import HashTreeCollections
import HearthEngine
import HearthModel

extension LocalStore {
    /// The newest moment up to which the backend has told of every document that a query can find.
    ///
    /// The backend has told of every such document if the backend once told of the query, of the query
    /// without its limit, or of the whole collection.
    ///
    /// - Returns: Zero if the backend never told of any of these.
    func readAt(
        of query: Query, _ store: any FirestoreTransaction
    ) throws(StoreError) -> SnapshotVersion {
        let whole =
            query.group.map { Query(collectionGroup: $0, below: query.path) }
            ?? Query(path: query.path)
        // Most queries are one and the same target, and to compare is cheaper than to hash.
        var telling = [query.target]
        for target in [query.withoutLimit.target, whole.target] where !telling.contains(target) {
            telling.append(target)
        }
        var newest = SnapshotVersion.zero
        for target in telling {
            guard let stored = try store.targetData(for: target) else { continue }
            // In memory it may be ahead of the disk.
            let inUse = targets[stored.id]?.snapshotVersion ?? .zero
            newest = max(newest, stored.snapshotVersion, inUse)
        }
        return newest
    }

    /// Takes a target into use. A target with an earlier use keeps its id and its resume token.
    mutating func allocate(_ target: Target, _ store: any FirestoreTransaction)
        throws(StoreError) -> TargetData
    {
        try store.enter(.allocateTarget)
        if let data = try store.targetData(for: target) {
            // In memory it may be ahead of the disk, which is told of tokens only now and then.
            let inUse = targets[data.id]
            let newest = inUse.map { $0.snapshotVersion >= data.snapshotVersion ? $0 : data }
            targets[data.id] = newest ?? data
            return newest ?? data
        }
        let data = TargetData(
            id: nextTargetID(), target: target, sequenceNumber: sequenceNumber())
        try store.setTargetData(data)
        targets[data.id] = data
        return data
    }

    /// Something that went out of use in memory.
    enum Ending: Sendable {
        /// A target that no view shows.
        case target(TargetData)
        /// A target that stays in use though no view shows it, with the data that the disk should
        /// keep.
        case pinned(TargetData)
        /// A view, with the documents that nothing else may hold.
        case view([DocumentKey])
    }

    /// Takes a target out of use. The disk is told by `note`.
    mutating func release(_ id: TargetID) -> Ending? {
        if pinned.contains(id) { return targets[id].map { .pinned($0) } }
        return targets.removeValue(forKey: id).map { .target($0) }
    }

    /// Takes a target out of memory that is as the disk has it.
    mutating func forget(_ id: TargetID) { targets[id] = nil }

    /// Has the disk note what went out of use in memory.
    mutating func note(
        _ ending: Ending, _ store: any FirestoreTransaction
    ) throws(StoreError) {
        switch ending {
        case .target(let data): try noteRelease(of: data, store)
        case .pinned(let data): try store.setTargetData(data)
        case .view(let keys): try viewsReleased(keys, store)
        }
    }

    /// The disk keeps the target for a later resumption until a collection forgets the target;
    /// eager collection forgets the target at once.
    private mutating func noteRelease(
        of target: TargetData, _ store: any FirestoreTransaction
    ) throws(StoreError) {
        try store.enter(.releaseTarget)
        switch policy {
        case .eager:
            touched.formUnion(try store.keys(of: target.id))
            try store.removeTarget(target.id)
        case .leastUsed:
            var data = target
            data.sequenceNumber = sequenceNumber()
            try store.setTargetData(data)
        }
    }

    /// Notes that a target's view has no limbo: the target's results can be trusted.
    mutating func markLimboFree(_ id: TargetID) {
        guard let version = targets[id]?.snapshotVersion else { return }
        targets[id]?.limboFreeVersion = version
    }

    /// Notes documents that left views by writes, for which the views wait no more.
    ///
    /// When the documents left, they were noted as used.
    mutating func viewsForgot(_ keys: [DocumentKey]) {
        if policy == .eager { touched.formUnion(keys) }
    }

    /// Notes documents that left a view and that nothing else may hold.
    mutating func viewsReleased(
        _ keys: [DocumentKey], _ store: any FirestoreTransaction
    ) throws(StoreError) {
        guard !keys.isEmpty else { return }
        switch policy {
        case .eager:
            touched.formUnion(keys)
        case .leastUsed:
            // The note is only a hint to collection. So a store that refuses the step loses
            // nothing, and the end of a large view need not wait for all documents of the view.
            do { try store.enter(.updateLocalViews) } catch { return }
            try store.touch(
                keys.prefix(CollectionLimits.releasedCountMax), at: sequenceNumber())
        }
    }
}
