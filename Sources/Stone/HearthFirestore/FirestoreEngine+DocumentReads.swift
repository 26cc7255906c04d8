import HashTreeCollections
import HearthEngine
import HearthModel

/// One-time reads of documents by name: one question to the backend for all of them.
///
/// The cache keeps the backend's answer, so the next read may do without the backend. Reading by
/// query, document for document, would cost a target each.
extension FirestoreEngine {
    /// A session reads documents.
    mutating func read(
        _ id: RequestID, _ keys: [DocumentKey], _ source: ReadSource, _ turn: inout Turn
    ) throws(StoreError) {
        if let refusal = markersRefusal(of: keys) {
            turn.effects.actions.append(.refuse(id, refusal))
            return
        }
        if source == .cache { return try readFromCache(id, keys, &turn) }
        try noteReading(by: id.session, &turn)
        if !isKeptFromBackend(id.session) { backendIsWanted(&turn.effects) }
        guard let error = unreachable("A read from the server", for: id.session) else {
            return begin(.read(keys), .documents(keys, source), for: id, &turn.effects)
        }
        if source == .server {
            turn.effects.actions.append(.refuse(id, error))
        } else {
            askSilentBackend(keys, for: id, &turn.effects)
            try readFromCache(id, keys, &turn)
        }
    }

    /// The backend has answered a read.
    mutating func documentsRead(
        _ id: RequestID, _ read: [Document], _ turn: inout Turn
    ) throws(StoreError) {
        try learn(read, &turn)
        let result = DocumentsRead(
            documents: try local.newest(read, turn.store), isFromCache: false,
            readAt: Self.time(of: read))
        turn.effects.actions.append(.result(id, .read(result)))
    }

    /// Takes documents that were read outside the watch stream into the cache and the views.
    mutating func learn(_ read: [Document], _ turn: inout Turn) throws(StoreError) {
        local.promises.heard(Self.time(of: read))
        let coming = keysThatViewsWatch(among: read)
        let changed = try local.storeRead(
            read.filter { !coming.contains($0.key) }, turn.store)
        try updateViews(with: changed, &turn)
    }

    private static func time(of read: [Document]) -> SnapshotVersion {
        read.lazy.map(\.readAt).max() ?? .zero
    }

    /// Answers a read from the cache.
    mutating func readFromCache(
        _ id: RequestID, _ keys: [DocumentKey], _ turn: inout Turn
    ) throws(StoreError) {
        let store = turn.store
        let result = DocumentsRead(
            documents: try local.localDocuments(keys, store), isFromCache: true,
            readAt: local.globals.lastRemoteVersion)
        turn.effects.actions.append(.result(id, .read(result)))
    }

    /// A session has read documents from the cache without a turn: they count as used now.
    ///
    /// Only documents that the cache has are noted, and of many names the first.
    mutating func noteReads(
        of keys: [DocumentKey], for id: RequestID, _ turn: inout Turn
    ) throws(StoreError) {
        if case .leastUsed = configuration.collection {
            let keys = Array(keys.prefix(CollectionLimits.releasedCountMax))
            try local.noteUse(of: keys, turn.store)
        }
        turn.effects.actions.append(.complete(id))
    }

    /// Numbers the snapshots with the state of the store for which a read of the cache finds the
    /// same documents.
    ///
    /// No older snapshot of a view says so, nor one that shows an acknowledged write as before the
    /// answer, or a document in an older version.
    func numberSnapshots(_ turn: inout Turn) {
        let number = turn.store.changeNumber
        for index in turn.effects.actions.indices {
            guard case .emit(var snapshot, let listeners) = turn.effects.actions[index],
                let id = views.id(of: snapshot.query), let view = views[id]?.view,
                // The cache may have documents of bundles that the view lacks.
                !bundles.lack(id), view.snapshotID == snapshot.id,
                view.acknowledged.isEmpty, view.datedKeys.isEmpty, !view.lacksSuccessor
            else { continue }
            snapshot.changeNumber = number
            turn.effects.actions[index] = .emit(snapshot, to: listeners)
        }
    }

    /// The documents that may concern a view whose target is watched.
    ///
    /// The watch stream brings such a document, in order with other documents. If the cache had the
    /// document before, the view would show it too early and then look it up, in limbo.
    private mutating func keysThatViewsWatch(among documents: [Document]) -> Set<DocumentKey> {
        var keys: Set<DocumentKey> = []
        let none = EmptyCollection<TargetID>()
        for (id, touched) in views.touched(by: documents, targets: none, reached: .zero) {
            guard let target = views[id]?.targetID, watched[target] != nil else { continue }
            keys.formUnion(touched.lazy.map(\.key))
        }
        return keys
    }
}

extension LocalStore {
    /// Stores documents that were read outside the watch stream, if they are newer than the known.
    ///
    /// No target need hold the documents, so they are noted as used now. A read that tells nothing
    /// new writes nothing.
    ///
    /// - Returns: The local states of the stored documents.
    mutating func storeRead(
        _ documents: [Document], _ store: any FirestoreTransaction
    ) throws(StoreError) -> [Document] {
        let changed = try storeAll(documents, store)
        if !changed.isEmpty { try noteUse(of: changed.map(\.key), store) }
        return changed
    }

    /// The newest known states of documents that were read, with the user's overlays.
    ///
    /// - Returns: The local documents in the order given.
    func newest(
        _ read: [Document], _ store: any FirestoreTransaction
    ) throws(StoreError) -> [Document] {
        let keys = read.map(\.key)
        let known = try store.remoteOutlines(keys)
        var local = try localDocuments(keys, store)
        let overlays = try store.overlays(keys, of: user)
        for (place, document) in read.enumerated()
        where document.version > known[place].version
            || document.version == known[place].version && known[place].hasPendingWrites
        {
            local[place] = document
            overlays[document.key]?.apply(to: &local[place])
        }
        return local
    }
}

extension HearthError {
    /// What is asked for cannot be had now.
    static func notCached(_ message: String) -> HearthError {
        HearthError(code: .unavailable, message: message)
    }

    /// The store failed in the turn that would have answered.
    static let answerLostByStore = HearthError(
        code: .unavailable,
        message: "The cache failed while the documents were read. The daemon tries to repair it; "
            + "read again.")
}

extension StatusCode {
    /// Whether a read that ends so may be answered from the cache: nobody has answered.
    var letsCacheAnswer: Bool { self == .unavailable || self == .deadlineExceeded }
}
