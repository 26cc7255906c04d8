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
        var room = CollectionLimits.releaseCountMax
        if !load.isCut {
            let umbrella = try umbrella(of: &load, &room, store)
            let found = slice.documents.filter(\.isFound).map(\.key)
            try store.addKeys(found, to: umbrella, at: sequenceNumber())
        }
        if load.isWhole {
            for query in slice.queries {
                let results = slice.results[UTF8Text(query.name)] ?? []
                try take(query, with: results, &room, store)
            }
            return changed
        }
        for (name, keys) in slice.results.sorted(by: { $0.key < $1.key }) {
            let standIn = try standIn(for: name, of: &load, &room, store)
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
        of load: inout BundleLoad, _ room: inout Int, _ store: any FirestoreTransaction
    ) throws(StoreError) -> TargetID {
        if let id = load.umbrella { return id }
        let id = try makeTarget(at: load.place, &room, store)
        load.umbrella = id
        return id
    }

    private mutating func standIn(
        for name: UTF8Text, of load: inout BundleLoad, _ room: inout Int,
        _ store: any FirestoreTransaction
    ) throws(StoreError) -> TargetID {
        if let id = load.standIns[name] { return id }
        let id = try makeTarget(at: load.standInPlace(load.standInCount), &room, store)
        load.standIns[name] = id
        load.standInCount += 1
        return id
    }

    /// Makes a target without documents, which stays until `forget` or `drop`.
    ///
    /// What an earlier load has left there goes; the target's number stays, if it can.
    private mutating func makeTarget(
        at place: ResourcePath, _ room: inout Int, _ store: any FirestoreTransaction
    ) throws(StoreError) -> TargetID {
        try store.enter(.allocateTarget)
        let target = Query(path: place).target
        let kept = try emptied(try store.targetData(for: target), &room, store)
        let data = TargetData(
            id: kept ?? nextTargetID(), target: target, sequenceNumber: sequenceNumber())
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

    /// Makes a named query known, all of whose results are in hand.
    ///
    /// The query's target keeps its number, if it can, as with Google's SDKs.
    private mutating func take(
        _ named: NamedQuery, with keys: [DocumentKey], _ room: inout Int,
        _ store: any FirestoreTransaction
    ) throws(StoreError) {
        try store.enter(.allocateTarget)
        let known = try store.targetData(for: named.query.target)
        if isNews(named, to: known) {
            let kept = try emptied(known, &room, store)
            let id = kept ?? nextTargetID()
            try setTarget(id, of: named, after: known, store)
            try store.addKeys(keys, to: id, at: sequenceNumber())
        }
        try store.setNamedQuery(named)
    }

    /// Makes a named query known, whose results a stand-in has gathered; `nil` if there are none.
    private mutating func take(
        _ named: NamedQuery, results: TargetID?, _ store: any FirestoreTransaction
    ) throws(StoreError) {
        try store.enter(.allocateTarget)
        let known = try store.targetData(for: named.query.target)
        if isNews(named, to: known) {
            if let known { try drop(known.id, store) }
            try setTarget(results ?? nextTargetID(), of: named, after: known, store)
        } else if let results {
            try drop(results, store)
        }
        try store.setNamedQuery(named)
    }

    /// Whether a named query's results become the target's, because the target's are older.
    ///
    /// A target in use stays as it is: the backend tells of it in any case.
    private func isNews(_ named: NamedQuery, to known: TargetData?) -> Bool {
        if let known, targets[known.id] != nil { return false }
        return named.readAt > known?.snapshotVersion ?? .zero
    }

    /// Has a target resume where a named query's results were read.
    private mutating func setTarget(
        _ id: TargetID, of named: NamedQuery, after known: TargetData?,
        _ store: any FirestoreTransaction
    ) throws(StoreError) {
        let data = TargetData(
            id: id, target: named.query.target, sequenceNumber: sequenceNumber(),
            snapshotVersion: named.readAt, limboFreeVersion: known?.limboFreeVersion ?? .zero)
        try store.setTargetData(data)
        forget(id)
    }

    /// Removes the documents of a target that nobody uses, so that the target can get other
    /// documents.
    ///
    /// - Parameter room: How many documents the turn still has time to let go of.
    /// - Returns: The target's number; `nil` if there is no target, or if the target has more
    ///   documents than `room`, and so is forgotten.
    private mutating func emptied(
        _ known: TargetData?, _ room: inout Int, _ store: any FirestoreTransaction
    ) throws(StoreError) -> TargetID? {
        guard let id = known?.id else { return nil }
        guard try store.keyCount(of: id, upTo: room + 1) <= room else {
            try drop(id, store)
            return nil
        }
        let keys = try store.keys(of: id)
        room -= keys.count
        try store.removeKeys(keys, from: id, at: sequenceNumber())
        if policy == .eager { touched.formUnion(keys) }
        return id
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
