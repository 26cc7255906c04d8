package import HashTreeCollections
package import HearthModel

/// The live result of a query.
///
///     view        = query(local documents), limited, ordered
///     limbo(view) = documents in the view - documents the backend named, once current
///
/// Persistent: a copy is cheap. All work is proportional to what changed, but for the one pass
/// over the documents when the backend has first said all.
package struct View: Sendable {
    /// The query.
    package let query: Query
    /// The results.
    package private(set) var documents: DocumentSet
    /// The documents that the backend named for the target.
    package private(set) var syncedKeys: TreeSet<DocumentKey>
    /// The results that the backend did not name.
    package private(set) var limboKeys: TreeSet<DocumentKey> = []
    /// The results with writes that are not confirmed yet.
    package private(set) var mutatedKeys: TreeSet<DocumentKey> = []
    private var isCurrent = false
    private var isSynced: Bool?
    private var hasCachedResults = false
    private var lastID = SnapshotID(0)
    /// Keys whose limbo must be looked at again; `nil` for all.
    private var unchecked: TreeSet<DocumentKey>?

    /// A view of nothing yet.
    ///
    /// - Parameter syncedKeys: The documents that the backend named when it was last heard.
    package init(query: Query, syncedKeys: TreeSet<DocumentKey>) {
        self.query = query
        self.syncedKeys = syncedKeys
        self.documents = DocumentSet(order: query.order)
    }

    /// Whether the results may differ from the backend's.
    package var isFromCache: Bool { !(isSynced ?? false) }

    /// The place of the last snapshot.
    package var snapshotID: SnapshotID { lastID }

    /// What a change of documents would do to a view, before it is decided.
    package struct Draft: Sendable {
        fileprivate(set) var documents: DocumentSet
        fileprivate(set) var changes: DocumentChangeSet
        fileprivate(set) var mutatedKeys: TreeSet<DocumentKey>
        /// Whether a full limit lost a document, so that the cache must name its successor.
        package fileprivate(set) var needsRefill: Bool

        /// Takes a document away for good.
        mutating func remove(_ document: Document) {
            documents.remove(document.key)
            mutatedKeys.remove(document.key)
            changes.track(DocumentChange(.removed, document))
        }
    }

    /// What a decided change does outside the view.
    package struct Outcome: Sendable {
        /// What listeners may be told; `nil` if nothing changed.
        package let snapshot: ViewSnapshot?
        /// Documents that came into limbo, by key.
        package let joinedLimbo: [DocumentKey]
        /// Documents that left limbo, by key.
        package let leftLimbo: [DocumentKey]
    }

    /// Works out what changed documents do to the results.
    ///
    /// - Parameters:
    ///   - changed: Local documents, matching or not.
    ///   - draft: An earlier draft to go on from, after a refill.
    package func draft(
        _ changed: some Sequence<Document>, continuing earlier: Draft? = nil
    ) -> Draft {
        var draft =
            earlier
            ?? Draft(
                documents: documents, changes: DocumentChangeSet(), mutatedKeys: mutatedKeys,
                needsRefill: false)
        draft.needsRefill = false
        let edge = limitEdge(of: draft.documents)
        for document in changed {
            apply(document, edge: edge, to: &draft)
        }
        trim(&draft)
        return draft
    }

    /// Decides a draft.
    ///
    /// - Parameters:
    ///   - draft: From this view.
    ///   - change: What the backend said of the target.
    ///   - isPendingReset: Whether the target is being asked for anew, so that nothing is certain.
    ///   - resolvesLimbo: Whether documents in limbo are to be found.
    package mutating func decide(
        _ draft: Draft, change: TargetChange? = nil, isPendingReset: Bool = false,
        resolvesLimbo: Bool = true
    ) -> Outcome {
        let changes = draft.changes.sorted(by: documents.order)
        documents = draft.documents
        mutatedKeys = draft.mutatedKeys
        for change in changes { unchecked?.insert(change.document.key) }
        if let change { apply(change) }
        let (joined, left) =
            resolvesLimbo && !isPendingReset ? updateLimbo() : (joined: [], left: [])
        let nowSynced = limboKeys.isEmpty && isCurrent && !isPendingReset
        let syncStateChanged = nowSynced != isSynced
        isSynced = nowSynced
        if changes.isEmpty && !syncStateChanged {
            return Outcome(snapshot: nil, joinedLimbo: joined, leftLimbo: left)
        }
        if let change { hasCachedResults = change.resumeToken != nil }
        let base = lastID
        lastID = SnapshotID(lastID.rawValue + 1)
        let snapshot = ViewSnapshot(
            query: query, id: lastID, base: base, documents: documents, changes: changes,
            mutatedKeys: mutatedKeys, isFromCache: !nowSynced, syncStateChanged: syncStateChanged,
            excludesMetadataChanges: false,
            hasCachedResults: change.map { $0.resumeToken != nil } ?? false)
        return Outcome(snapshot: snapshot, joinedLimbo: joined, leftLimbo: left)
    }

    /// Takes back what the backend said, because it cannot be reached any more.
    package mutating func becomeOffline() -> Outcome {
        guard isCurrent else { return Outcome(snapshot: nil, joinedLimbo: [], leftLimbo: []) }
        isCurrent = false
        return decide(draft(EmptyCollection<Document>()), resolvesLimbo: false)
    }

    /// The present state as a listener's first snapshot.
    package var initialSnapshot: ViewSnapshot {
        ViewSnapshot(
            query: query, id: lastID, base: nil, documents: documents,
            changes: documents.documents.map { DocumentChange(.added, $0) },
            mutatedKeys: mutatedKeys, isFromCache: isFromCache, syncStateChanged: true,
            excludesMetadataChanges: false, hasCachedResults: hasCachedResults)
    }

    private func apply(_ document: Document, edge: Document?, to draft: inout Draft) {
        let key = document.key
        let old = draft.documents[key]
        let new = query.matches(document) ? document : nil
        switch (old, new) {
        case (let old?, let new?):
            guard let kind = change(from: old, to: new) else { return }
            draft.changes.track(DocumentChange(kind, new))
            if kind == .modified, let edge, isPastEdge(new, edge) { draft.needsRefill = true }
            draft.documents.insert(new)
        case (nil, let new?):
            draft.changes.track(DocumentChange(.added, new))
            draft.documents.insert(new)
        case (let old?, nil):
            draft.changes.track(DocumentChange(.removed, old))
            draft.documents.remove(key)
            if edge != nil { draft.needsRefill = true }
        case (nil, nil):
            return
        }
        if let new, isMutated(new) {
            draft.mutatedKeys.insert(key)
        } else {
            draft.mutatedKeys.remove(key)
        }
    }

    private func change(from old: Document, to new: Document) -> DocumentChange.Kind? {
        if old.content != new.content {
            // An acknowledged write shows what it will be only when the watch stream says so.
            let waitsForWatch =
                old.hasLocalMutations && new.hasCommittedMutations && !new.hasLocalMutations
            return waitsForWatch ? nil : .modified
        }
        return mutatedKeys.contains(old.key) != isMutated(new) ? .metadata : nil
    }

    /// Whether writes in the document count as pending: local ones, and acknowledged ones of which
    /// this view has shown the local state.
    private func isMutated(_ document: Document) -> Bool {
        document.hasLocalMutations
            || (mutatedKeys.contains(document.key) && document.hasCommittedMutations)
    }

    private mutating func apply(_ change: TargetChange) {
        for key in change.added { syncedKeys.insert(key) }
        for key in change.removed { syncedKeys.remove(key) }
        for key in change.added { unchecked?.insert(key) }
        for key in change.removed { unchecked?.insert(key) }
        if change.isCurrent && !isCurrent { unchecked = nil }
        isCurrent = change.isCurrent
    }

    private mutating func updateLimbo() -> (joined: [DocumentKey], left: [DocumentKey]) {
        guard isCurrent else { return ([], []) }
        let candidates = unchecked.map(Array.init) ?? Array(documents.keys) + Array(limboKeys)
        unchecked = []
        var joined: [DocumentKey] = []
        var left: [DocumentKey] = []
        for key in candidates {
            let isInLimbo = belongsInLimbo(key)
            if isInLimbo, limboKeys.insert(key).inserted { joined.append(key) }
            if !isInLimbo, limboKeys.remove(key) != nil { left.append(key) }
        }
        return (joined.sorted(), left.sorted())
    }

    private func belongsInLimbo(_ key: DocumentKey) -> Bool {
        guard !syncedKeys.contains(key), let document = documents[key] else { return false }
        return !document.hasLocalMutations
    }
}
