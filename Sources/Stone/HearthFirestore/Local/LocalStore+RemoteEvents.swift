import HashTreeCollections
import HearthEngine
import HearthModel

extension LocalStore {
    /// Brings the cache up to an event and returns the documents whose local state may differ.
    ///
    /// - Returns: Local documents; a deleted one is present, as missing.
    /// - Complexity: O(d log n), d documents in the event, n in the cache.
    mutating func apply(_ event: RemoteEvent, _ store: any FirestoreTransaction)
        throws(StoreError) -> [Document]
    {
        try store.enter(.applyRemoteEvent)
        // Documents first: a document's row must exist before a target names the document.
        let changed = try storeAll(event.documents, store)
        for (id, change) in event.targetChanges {
            try apply(change, to: id, of: event, store)
        }
        if !event.resolvedLimbo.isEmpty {
            try noteUse(of: Array(event.resolvedLimbo), store)
        }
        if event.version > .zero {
            globals.lastRemoteVersion = event.version
            promises.heard(event.version)
        }
        return changed
    }

    /// Stores the documents that are newer than the known documents.
    ///
    /// - Parameter documents: Each document at most once.
    /// - Returns: The local states of the stored documents.
    mutating func storeAll(
        _ documents: [Document], _ store: any FirestoreTransaction
    ) throws(StoreError) -> [Document] {
        let (accepted, flipped) = try storeNewer(documents, store)
        let locals = try localView(of: accepted, flipped: flipped, store)
        try noteHeard(accepted, locals, store)
        return locals
    }

    private mutating func apply(
        _ change: TargetChange, to id: TargetID, of event: RemoteEvent,
        _ store: any FirestoreTransaction
    ) throws(StoreError) {
        guard let old = targets[id] else { return }  // Limbo, or released while on the way.
        let sequence = sequenceNumber()
        if !change.removed.isEmpty {
            try store.removeKeys(Array(change.removed), from: id, at: sequence)
            if policy == .eager { touched.formUnion(change.removed) }
        }
        if !change.added.isEmpty { try store.addKeys(Array(change.added), to: id, at: sequence) }
        var new = old
        new.sequenceNumber = sequence
        if event.targetMismatches[id] != nil {
            new.resumeToken = nil
            new.snapshotVersion = .zero
            new.limboFreeVersion = .zero
        } else if let token = change.resumeToken {
            new.resumeToken = token
            new.snapshotVersion = event.version
        }
        targets[id] = new
        if Self.isWorthStoring(old, new, change) || event.targetMismatches[id] != nil {
            try store.setTargetData(new)
        }
    }

    /// A token alone is worth a write only now and then; documents must never be ahead of it.
    private static func isWorthStoring(
        _ old: TargetData, _ new: TargetData, _ change: TargetChange
    ) -> Bool {
        if old.resumeToken == nil { return true }
        let age = new.snapshotVersion.timestamp.since(old.snapshotVersion.timestamp)
        if age >= .seconds(300) { return true }
        return !change.added.isEmpty || !change.modified.isEmpty || !change.removed.isEmpty
    }

    /// Notes that documents which perhaps no target holds were of use now.
    mutating func noteUse(
        of keys: [DocumentKey], _ store: any FirestoreTransaction
    ) throws(StoreError) {
        switch policy {
        case .eager: touched.formUnion(keys)
        case .leastUsed: try store.touch(keys, at: sequenceNumber())
        }
    }

    /// Stores the documents that are newer than the known documents.
    ///
    /// - Returns: The remote documents that count now (`accepted`), and the places in `accepted` of
    ///   the documents that came to exist or ceased to exist (`flipped`).
    private mutating func storeNewer(
        _ documents: [Document], _ store: any FirestoreTransaction
    ) throws(StoreError) -> (accepted: [Document], flipped: [Int]) {
        if documents.isEmpty { return ([], []) }
        var accepted: [Document] = []
        accepted.reserveCapacity(documents.count)
        var flipped: [Int] = []
        let known = try store.remoteOutlines(documents.map(\.key))
        for (document, old) in zip(documents, known) {
            if document.isMissing && document.version == .zero {
                // Made up here, because a lookup was refused: nothing is known any more.
                try noteKnown(CollectionOfOne(document.key), store)
                try store.removeRemoteDocument(document.key)
            } else if !old.isValid || document.version > old.version
                || (document.version == old.version && old.hasPendingWrites)
            {
                try noteKnown(CollectionOfOne(document.key), store)
                try store.setRemoteDocument(document)
                if policy == .eager { touched.insert(document.key) }
            } else {
                continue  // Older than what is known.
            }
            if document.isFound != old.isFound { flipped.append(accepted.count) }
            accepted.append(document)
        }
        return (accepted, flipped)
    }

    /// Adds the overlays to documents that changed.
    ///
    /// If a document came to exist or ceased to exist, the store recomputes the document's overlay,
    /// because preconditions may hold differently now.
    private func localView(
        of documents: [Document], flipped: [Int], _ store: any FirestoreTransaction
    ) throws(StoreError) -> [Document] {
        if documents.isEmpty { return [] }
        var local = documents
        let overlays = try store.overlays(documents.lazy.map(\.key), of: user)
        if !overlays.isEmpty {
            for place in local.indices { overlays[local[place].key]?.apply(to: &local[place]) }
        }
        let doubtful = flipped.filter { overlays[documents[$0].key]?.mutation.isPatch ?? true }
        if doubtful.isEmpty { return local }
        let batches = try store.batches(
            writingTo: doubtful.map { documents[$0].key }, of: user)
        if batches.isEmpty && overlays.isEmpty { return local }
        let written = Set(batches.flatMap(\.batch.keys))
        var stale: [DocumentKey: Document] = [:]
        for document in doubtful.map({ documents[$0] })
        where written.contains(document.key) || overlays[document.key] != nil {
            stale[document.key] = document
        }
        try recomputeOverlays(&stale, from: batches, by: user, store)
        for place in doubtful {
            if let computed = stale[local[place].key] { local[place] = computed }
        }
        return local
    }
}

extension Mutation {
    fileprivate var isPatch: Bool {
        if case .patch = kind { return true }
        return false
    }
}
