package import HashTreeCollections
package import HearthModel

/// The live result of a query.
///
///     view        = query(local documents), limited, ordered
///     limbo(view) = documents in the view - documents the backend named
///                   - documents with writes that it cannot have named yet, once current
///
/// The backend cannot have named an unanswered write, nor an acknowledged write that the backend
/// has had no time to tell of. When the backend next reaches a snapshot at or past the version of
/// the acknowledgement, the backend's silence is an answer: the document is not in the backend's
/// result, and the engine looks up the document.
///
/// Persistent: a copy is cheap. All work is proportional to what changed, except one pass over the
/// documents that the backend did not name, when the backend has first said all.
package struct View: Sendable {
    /// The query.
    package let query: Query
    /// The results.
    package private(set) var documents: DocumentSet
    /// The documents that the backend named for the target.
    private(set) var synced: SyncedKeys
    /// The results that the backend did not name.
    package private(set) var limboKeys: TreeSet<DocumentKey> = []
    /// The results with writes that are not confirmed yet.
    package private(set) var mutatedKeys: TreeSet<DocumentKey> = []
    /// The results with acknowledged writes, and the version of each.
    private(set) var acknowledged: TreeDictionary<DocumentKey, SnapshotVersion> = [:]
    /// The results in `acknowledged` that still look as before the answer.
    private(set) var unsettledKeys: TreeSet<DocumentKey> = []
    /// The results that the cache has in another version, with the same fields: nobody is told of that.
    private(set) var datedKeys: TreeSet<DocumentKey> = []
    /// What left the results by writes that the backend has not confirmed.
    private(set) var departures = ViewDepartures()
    /// Results for which the backend's silence will be an answer, and from when on.
    private var awaited = AwaitedVersions<DocumentKey>()
    /// Whether the backend has said all of the target, when it was last asked.
    package private(set) var isCurrent = false
    /// Whether the last decision left nothing in doubt.
    private var wasSynced: Bool?
    private var hasCachedResults = false
    /// What a limit keeps out, as far as it is known.
    private var reserve: ViewReserve?
    /// Whether the limit lost a document whose successor is still to be found.
    package private(set) var lacksSuccessor = false
    private var lastID = SnapshotID(0)
    /// The moment up to which the backend has told of the results.
    private var readAt: SnapshotVersion
    /// Keys whose limbo must be looked at again; `nil` for all.
    private var unchecked: TreeSet<DocumentKey>?
    /// How many results were looked at for their limbo so far: what the view's work is measured by.
    private(set) var checkCount = 0

    /// A view of nothing yet.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - syncedKeys: The documents that the backend named when it was last heard.
    ///   - readAt: When that was.
    package init(
        query: Query, syncedKeys: some Sequence<DocumentKey>, readAt: SnapshotVersion = .zero
    ) {
        self.query = query
        self.readAt = readAt
        self.synced = SyncedKeys(syncedKeys)
        self.documents = DocumentSet(order: query.order)
    }

    /// Whether the results may differ from the backend's.
    package var isFromCache: Bool { !(wasSynced ?? false) }

    /// The first version at which the backend's silence is an answer for a result, or for a document
    /// that left; `nil` for none.
    ///
    /// - Complexity: O(log results).
    package var awaitedVersion: SnapshotVersion? {
        guard let departed = departures.awaitedVersion else { return awaited.first }
        return min(departed, awaited.first ?? departed)
    }

    /// The place of the last snapshot.
    package var snapshotID: SnapshotID { lastID }

    /// What a change of documents would do to a view, before it is decided.
    package struct Draft: Sendable {
        fileprivate(set) var documents: DocumentSet
        fileprivate(set) var changes: DocumentChangeSet
        fileprivate(set) var mutatedKeys: TreeSet<DocumentKey>
        fileprivate var acknowledged: TreeDictionary<DocumentKey, SnapshotVersion>
        fileprivate(set) var datedKeys: TreeSet<DocumentKey>
        /// Results whose acknowledged write changed, or that no longer have an acknowledged write.
        fileprivate var settled: Set<DocumentKey> = []
        /// Whether acknowledged writes are shown as the cache has them.
        fileprivate(set) var settles = false
        /// Results that left because the backend called them missing.
        var missing: [DocumentKey] = []
        /// Documents whose change a waiting write hides.
        var hidden: [DocumentKey] = []
        /// What a limit keeps out.
        var reserve: ViewReserve?
        /// What left the results by writes.
        var departures: ViewDepartures
        /// Whether a full limit lost a document: the cache must then name the successor.
        package internal(set) var needsRefill = false
        /// The lost document's successor, unless it changed; `nil` if only a search can tell.
        package internal(set) var successor: DocumentKey?

        /// Takes a document away for good.
        mutating func remove(_ document: Document) {
            documents.remove(document.key)
            mutatedKeys.remove(document.key)
            setDated(false, document.key)
            setAcknowledged(nil, of: document.key)
            changes.track(DocumentChange(.removed, document))
        }

        /// Notes whether the cache has a shown document in another version.
        mutating func setDated(_ isDated: Bool, _ key: DocumentKey) {
            if isDated {
                datedKeys.insert(key)
            } else if !datedKeys.isEmpty {
                datedKeys.remove(key)
            }
        }

        /// Notes at which version a write of a document was acknowledged, if one was.
        mutating func setAcknowledged(_ version: SnapshotVersion?, of key: DocumentKey) {
            if acknowledged.isEmpty && version == nil { return }
            guard acknowledged[key] != version else { return }
            acknowledged[key] = version
            settled.insert(key)
        }
    }

    /// Works out what changed local documents, matching or not, each once, do to the results.
    ///
    /// The caller must refill a draft until the draft needs no refill: with the draft's successor,
    /// as the cache has the successor now, or else with everything that `refillQuery` finds in the
    /// cache.
    ///
    /// - Parameter settles: Whether the view shows acknowledged writes as the cache has them,
    ///   because no message will come.
    package func draft(_ changed: some Sequence<Document>, settles: Bool = false) -> Draft {
        var draft = Draft(
            documents: documents, changes: DocumentChangeSet(), mutatedKeys: mutatedKeys,
            acknowledged: acknowledged, datedKeys: datedKeys, settles: settles,
            reserve: knownReserve, departures: departures, needsRefill: lacksSuccessor)
        let edge = limitEdge(of: documents)
        if documents.isEmpty {
            var results: [Document] = []
            for document in changed {
                if query.matches(document) {
                    draft.departures.settle(document.key)
                    results.append(document)
                } else {
                    noteAbsent(document, in: &draft)
                }
            }
            fill(&draft, with: DocumentSet(order: documents.order, results))
        } else {
            for document in changed {
                guard let change = apply(document, edge: edge, to: &draft) else { continue }
                draft.changes.add(change)
            }
        }
        trim(&draft)
        return draft
    }

    /// Decides a draft.
    ///
    /// - Parameters:
    ///   - draft: From this view.
    ///   - change: What the backend said of the target.
    ///   - version: The snapshot that the backend has reached for the target, if it has.
    ///   - justAcknowledged: Documents with a write that was acknowledged just now. The verdict on
    ///     the backend's silence can wait, unless there is something to tell of the view.
    ///   - resolvesLimbo: Whether documents in limbo are to be found.
    package mutating func decide(
        _ draft: Draft, change: TargetChange? = nil, reached version: SnapshotVersion? = nil,
        justAcknowledged: Set<DocumentKey> = [], resolvesLimbo: Bool = true
    ) -> Outcome {
        let changes = draft.changes.sorted(by: documents.order)
        documents = draft.documents
        mutatedKeys = draft.mutatedKeys
        datedKeys = draft.datedKeys
        reserve = draft.reserve
        let shortnessChanged = lacksSuccessor != draft.needsRefill
        lacksSuccessor = draft.needsRefill
        let named = change.map(\.added) ?? []
        synced.viewChanged(changes, naming: changes.count < 2 ? [] : Set(named))
        for change in changes { noteUnchecked(change.document.key) }
        // A write's fate counts even if the picture stays as it is.
        for key in draft.settled { noteUnchecked(key) }
        acknowledged = draft.acknowledged
        departures = draft.departures
        let settledDepartures = departures.settle(upTo: version)
        noteUnsettled(changes, draft.settled)
        if let change { apply(change) }
        for key in draft.settled { noteAwaited(key) }
        if let version { for key in awaited.items(upTo: version) { unchecked?.insert(key) } }
        var (joined, left): ([DocumentKey], [DocumentKey]) = ([], [])
        var nowSynced: Bool { limboKeys.isEmpty && isCurrent && isFilled }
        if resolvesLimbo {
            (joined, left) = updateLimbo(at: version, except: justAcknowledged)
            if !justAcknowledged.isEmpty, !changes.isEmpty || nowSynced != wasSynced {
                // Who is told of the view must not be told that the backend has confirmed it.
                for key in justAcknowledged { noteUnchecked(key) }
                let late = updateLimbo(at: version, except: [])
                (joined, left) = (joined + late.joined, left + late.left)
            }
        }
        let syncStateChanged = nowSynced != wasSynced
        wasSynced = nowSynced
        if changes.isEmpty && settledDepartures.isEmpty && !syncStateChanged && !shortnessChanged {
            return Outcome(snapshot: nil, joinedLimbo: joined, leftLimbo: left)
        }
        if let change { hasCachedResults = change.resumeToken != nil }
        if let version { readAt = max(readAt, version) }
        let base = lastID
        lastID = SnapshotID(lastID.rawValue + 1)
        var snapshot = ViewSnapshot(
            query: query, id: lastID, base: base, documents: documents, changes: changes,
            mutatedKeys: mutatedKeys, isFromCache: !nowSynced, syncStateChanged: syncStateChanged,
            excludesMetadataChanges: false,
            hasCachedResults: change.map { $0.resumeToken != nil } ?? false)
        snapshot.readAt = readAt
        snapshot.missingKeys = draft.missing
        snapshot.departedKeys = departures.keys
        snapshot.settledDepartures = settledDepartures
        snapshot.hiddenKeys = draft.hidden
        snapshot.lacksSuccessor = lacksSuccessor
        return Outcome(snapshot: snapshot, joinedLimbo: joined, leftLimbo: left)
    }

    /// Takes back what the backend said, because nobody can reach the backend any more.
    package mutating func becomeOffline() -> Outcome {
        guard isCurrent else { return Outcome(snapshot: nil, joinedLimbo: [], leftLimbo: []) }
        isCurrent = false
        return decide(draft(EmptyCollection<Document>()), resolvesLimbo: false)
    }

    /// Takes back what the backend said, because the engine did not ask for a while and asks again.
    /// Nothing may be looked up for the view.
    package mutating func beginAnew() -> Outcome {
        isCurrent = false
        let doubtful = limboKeys
        limboKeys = []
        for key in doubtful { noteAwaited(key) }
        return decide(draft(EmptyCollection<Document>()), resolvesLimbo: false)
    }

    /// Shows all matches in an empty draft: sorting once costs less than finding each a place.
    func fill(_ draft: inout Draft, with found: DocumentSet) {
        for document in found.documents {
            draft.setAcknowledged(
                document.hasCommittedMutations ? document.version : nil, of: document.key)
            draft.changes.add(DocumentChange(.added, document))
            if isMutated(document, draft.settles) { draft.mutatedKeys.insert(document.key) }
        }
        draft.documents = found
    }

    /// The known documents beyond the limit. A view that is not full shows all that matches.
    var knownReserve: ViewReserve? {
        if reserve != nil { return reserve }
        guard let limit = query.limit, documents.count < limit.count, lastID > SnapshotID(0),
            !lacksSuccessor
        else { return nil }
        return ViewReserve(behind: limit, order: documents.order)
    }

    /// Brings documents into a draft that may have changes of them.
    func bring(_ found: some Sequence<Document>, into draft: inout Draft) {
        for document in found {
            guard let change = apply(document, edge: nil, to: &draft) else { continue }
            draft.changes.track(change)
        }
    }

    /// Brings a document into a draft, and returns what that changes.
    private func apply(
        _ document: Document, edge: Document?, to draft: inout Draft
    ) -> DocumentChange? {
        let key = document.key
        draft.reserve?.remove(key)
        let old = draft.documents[key]
        let new = query.matches(document) ? document : nil
        let isAcknowledged = new?.hasCommittedMutations ?? false
        draft.setAcknowledged(isAcknowledged ? document.version : nil, of: key)
        let change: DocumentChange
        switch (old, new) {
        case (let old?, let new?):
            guard let kind = kind(from: old, to: new, draft.settles) else {
                draft.setDated(old.version != new.version, key)
                if new.hasLocalMutations { draft.hidden.append(key) }
                return nil
            }
            draft.setDated(false, key)
            change = DocumentChange(kind, new)
            if kind == .modified, let edge, isPastEdge(new, edge) { draft.needsRefill = true }
            draft.documents.insert(new)
        case (nil, let new?):
            change = DocumentChange(.added, new)
            draft.documents.insert(new)
            draft.departures.settle(key)
        case (let old?, nil):
            change = DocumentChange(.removed, old)
            draft.documents.remove(key)
            draft.setDated(false, key)
            draft.departures.note(document, hasLeft: true)
            if document.isMissing && !document.hasPendingWrites { draft.missing.append(key) }
            if edge != nil { draft.needsRefill = true }
        case (nil, nil):
            noteAbsent(document, in: &draft)
            return nil
        }
        if let new, isMutated(new, draft.settles) {
            draft.mutatedKeys.insert(key)
        } else if !draft.mutatedKeys.isEmpty {
            draft.mutatedKeys.remove(key)
        }
        return change
    }

    /// Notes which changed documents still look as before the answer to their write.
    private mutating func noteUnsettled(
        _ changes: [DocumentChange], _ settled: Set<DocumentKey>
    ) {
        if acknowledged.isEmpty && unsettledKeys.isEmpty { return }
        for key in settled.union(changes.map(\.document.key)) {
            if acknowledged[key] != nil && mutatedKeys.contains(key) {
                unsettledKeys.insert(key)
            } else {
                unsettledKeys.remove(key)
            }
        }
    }

    private mutating func apply(_ change: TargetChange) {
        for key in change.added {
            synced.insert(key, isShown: documents.contains(key))
            noteUnchecked(key)
            noteAwaited(key)
        }
        for key in change.removed {
            synced.remove(key, isShown: documents.contains(key))
            noteUnchecked(key)
            noteAwaited(key)
        }
        if change.isCurrent && !isCurrent { unchecked = nil }
        isCurrent = change.isCurrent
    }

    private mutating func updateLimbo(
        at version: SnapshotVersion?, except fresh: Set<DocumentKey>
    ) -> (joined: [DocumentKey], left: [DocumentKey]) {
        guard isCurrent else { return ([], []) }
        let candidates = Array(unchecked ?? synced.unnamed.union(limboKeys))
        unchecked = []
        var joined: [DocumentKey] = []
        var left: [DocumentKey] = []
        for key in candidates {
            let isInLimbo = belongsInLimbo(key, at: fresh.contains(key) ? nil : version)
            if isInLimbo, limboKeys.insert(key).inserted { joined.append(key) }
            if !isInLimbo, limboKeys.remove(key) != nil { left.append(key) }
        }
        checkCount += candidates.count
        for key in joined + left { noteAwaited(key) }
        return (joined.sorted(), left.sorted())
    }

    /// Notes a document for the next check of limbo, if the document can enter or leave limbo.
    private mutating func noteUnchecked(_ key: DocumentKey) {
        if synced.unnamed.isEmpty && limboKeys.isEmpty { return }
        if synced.unnamed.contains(key) || limboKeys.contains(key) { unchecked?.insert(key) }
    }

    /// Notes whether a result waits for the backend's silence to tell something.
    private mutating func noteAwaited(_ key: DocumentKey) {
        if acknowledged.isEmpty && awaited.isEmpty { return }
        let isSettled = isSynced(key) || limboKeys.contains(key)
        awaited.set(isSettled ? nil : acknowledged[key], of: key)
    }

    private func belongsInLimbo(_ key: DocumentKey, at version: SnapshotVersion?) -> Bool {
        guard synced.unnamed.contains(key), let document = documents[key] else { return false }
        // The picture may still be the local one: what matters is what has become of the write.
        if let acknowledgedAt = acknowledged[key] {
            return limboKeys.contains(key) || acknowledgedAt <= version ?? .zero
        }
        return !document.hasLocalMutations
    }
}
