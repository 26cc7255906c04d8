import HashTreeCollections
import HearthEngine
import HearthModel

extension LocalStore {
    /// Takes a slice of a bundle into the cache.
    ///
    /// - Returns: The local documents that may differ.
    mutating func take(
        _ slice: BundleLoad.Slice, of load: inout BundleLoad, _ store: any FirestoreTransaction
    ) throws(StoreError) -> [Document] {
        let changed = try storeAll(slice.documents.map(\.withReadTime), store)
        if !load.isCut {
            let umbrella = try umbrella(of: &load, store)
            let found = slice.documents.filter(\.isFound).map(\.key)
            try store.addKeys(found, to: umbrella, at: sequenceNumber())
        }
        for (name, keys) in slice.results.sorted(by: { $0.key < $1.key }) {
            let standIn = try standIn(for: name, of: &load, store)
            try store.addKeys(keys, to: standIn, at: sequenceNumber())
        }
        for query in slice.queries {
            let standIn = load.standIns.removeValue(forKey: UTF8Text(query.name))
            try take(query, results: standIn, store)
        }
        for place in slice.droppedPlaces { try dropTarget(at: place, store) }
        return changed
    }

    /// Ends a load whose slices have all been taken.
    mutating func end(_ load: BundleLoad, _ store: any FirestoreTransaction) throws(StoreError) {
        if load.isCut {
            try dropTarget(at: load.place, store)
        } else if let umbrella = load.umbrella {
            forget(umbrella)
        }
    }

    private mutating func umbrella(
        of load: inout BundleLoad, _ store: any FirestoreTransaction
    ) throws(StoreError) -> TargetID {
        if let id = load.umbrella { return id }
        let id = try makeTarget(at: load.place, store)
        load.umbrella = id
        return id
    }

    private mutating func standIn(
        for name: UTF8Text, of load: inout BundleLoad, _ store: any FirestoreTransaction
    ) throws(StoreError) -> TargetID {
        if let id = load.standIns[name] { return id }
        let id = try makeTarget(at: load.standInPlace(load.standInCount), store)
        load.standIns[name] = id
        load.standInCount += 1
        return id
    }

    /// Makes a target without documents, which stays until `forget` or `drop`.
    ///
    /// What an earlier load has left there goes.
    private mutating func makeTarget(
        at place: ResourcePath, _ store: any FirestoreTransaction
    ) throws(StoreError) -> TargetID {
        try store.enter(.allocateTarget)
        try dropTarget(at: place, store)
        let data = TargetData(
            id: nextTargetID(), target: Query(path: place).target, sequenceNumber: sequenceNumber())
        try store.setTargetData(data)
        targets[data.id] = data
        return data.id
    }

    /// Forgets the target that a load has made at a place, if the target is still there.
    private mutating func dropTarget(
        at place: ResourcePath, _ store: any FirestoreTransaction
    ) throws(StoreError) {
        guard let old = try store.targetData(for: Query(path: place).target) else { return }
        try drop(old.id, store)
    }

    /// Makes a named query known. Its results become the target's, if the target's are older.
    ///
    /// A target in use stays as it is: the backend tells of it in any case.
    private mutating func take(
        _ named: NamedQuery, results: TargetID?, _ store: any FirestoreTransaction
    ) throws(StoreError) {
        try store.enter(.allocateTarget)
        let known = try store.targetData(for: named.query.target)
        let isInUse = known.map { targets[$0.id] != nil } ?? false
        if !isInUse, named.readAt > known?.snapshotVersion ?? .zero {
            if let known { try drop(known.id, store) }
            let data = TargetData(
                id: results ?? nextTargetID(), target: named.query.target,
                sequenceNumber: sequenceNumber(), snapshotVersion: named.readAt,
                limboFreeVersion: known?.limboFreeVersion ?? .zero)
            try store.setTargetData(data)
            forget(data.id)
        } else if let results {
            try drop(results, store)
        }
        try store.setNamedQuery(named)
    }

    /// Forgets a target that nobody uses. Its documents are let go at once, or later in slices.
    private mutating func drop(
        _ id: TargetID, _ store: any FirestoreTransaction
    ) throws(StoreError) {
        forget(id)
        switch policy {
        case .eager:
            touched.formUnion(try store.keys(of: id))
            try store.removeTarget(id)
        case .leastUsed:
            try store.dropTarget(id)
        }
    }
}

extension Document {
    /// The document, read at the latest when it had its version.
    fileprivate var withReadTime: Document {
        guard readAt == .zero else { return self }
        var document = self
        document.readAt = version
        return document
    }
}
