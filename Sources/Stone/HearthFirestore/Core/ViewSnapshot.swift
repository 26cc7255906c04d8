package import HashTreeCollections
package import HearthModel

/// The place of a snapshot in the life of its view.
package struct SnapshotID: Hashable, Comparable, Sendable {
    /// Rising from 1.
    package let rawValue: UInt64

    /// Wraps a number.
    package init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// One immutable picture of a query's results, with what changed since the listener's last.
///
/// Copies are cheap: the documents are a persistent set.
package struct ViewSnapshot: Hashable, Sendable {
    /// The query as its listeners gave it.
    package var query: Query
    /// This snapshot's place.
    package var id: SnapshotID
    /// The snapshot that the receiver has and that the changes start from; `nil` if it has none.
    package var base: SnapshotID?
    /// The results.
    package var documents: DocumentSet
    /// What to show as changed: removed first, then added, then modified, each in query order.
    package var changes: [DocumentChange]
    /// Documents outside `changes` that differ from the base in their flags only.
    package var refreshed: [DocumentKey]
    /// The documents with writes that are not confirmed yet.
    package var mutatedKeys: TreeSet<DocumentKey>
    /// Whether the backend may know better.
    package var isFromCache: Bool
    /// Whether `isFromCache` differs from the view's previous snapshot.
    package var syncStateChanged: Bool
    /// Whether changes of flags only have been left out of `changes`.
    package var excludesMetadataChanges: Bool
    /// Whether the backend has told of the target before: even an empty result then counts.
    package var hasCachedResults: Bool
    /// Whether a limit has lost a document whose successor is still being looked for in the cache.
    package var lacksSuccessor = false
    /// Whether the backend has told of each of the results, though the view is from the cache.
    ///
    /// Only the answer to a one-time read says so: a document that the backend does not count among
    /// the results stays in limbo for good.
    package var isLookedUp = false
    /// How many of the backend's results a full limit lacks, or may lack, because of writes that
    /// wait. In their place stand other documents that the cache happens to have.
    ///
    /// Only the answer to a one-time read says so: an answer of the cache, or of a backend that lets
    /// nobody ask for more or has gone away.
    package var lostCount = 0
    /// The writes rejected since the base; this snapshot undoes their effect on the results.
    package var rejectedWrites: [RejectedWrite] = []
    /// The moment up to which the backend has told of the results; zero if it never has.
    ///
    /// Writes that wait, and the results of other targets, may be newer.
    package var readAt = SnapshotVersion.zero
    /// Of the removed documents those that the backend has said are missing.
    ///
    /// The others match no more, or are missing only by a write that waits.
    package var missingKeys: [DocumentKey] = []
    /// Documents that are not among the results only because of writes that the backend has not
    /// confirmed: the results had them when the write came.
    package var departedKeys = DepartedKeys()
    /// The documents that were in the `departedKeys` of the view's previous snapshot, or have come
    /// to be there since, and for which nobody need wait any more.
    ///
    /// Whether a listener is told of such news alone, `ListenOptions.tellsDepartures` says.
    package var settledDepartures: [DocumentKey] = []
    /// Documents that may have changed at the backend together with `changes`, beneath a write that
    /// waits: the results, and what left them, are as before.
    package var hiddenKeys: [DocumentKey] = []
    /// The store's number of changes for which a read of the cache would find just these documents;
    /// 0 if nobody can say so.
    package var changeNumber: UInt64 = 0

    /// Takes the parts.
    ///
    /// - Parameters:
    ///   - query: The query as its listeners gave it.
    ///   - id: The snapshot's place among the view's snapshots.
    ///   - base: The snapshot that the receiver has and that the changes start from; `nil` if the
    ///     receiver has none.
    ///   - documents: The results.
    ///   - changes: What to show as changed: removed first, then added, then modified, each in
    ///     query order.
    ///   - refreshed: Documents outside `changes` that differ from the base in their flags only.
    ///   - mutatedKeys: The documents with writes that are not confirmed yet.
    ///   - isFromCache: Whether the backend may know better.
    ///   - syncStateChanged: Whether `isFromCache` differs from the view's previous snapshot.
    ///   - excludesMetadataChanges: Whether changes of flags only have been left out of `changes`.
    ///   - hasCachedResults: Whether the backend has told of the target before: even an empty
    ///     result then counts.
    package init(
        query: Query, id: SnapshotID, base: SnapshotID?, documents: DocumentSet,
        changes: [DocumentChange], refreshed: [DocumentKey] = [],
        mutatedKeys: TreeSet<DocumentKey>, isFromCache: Bool, syncStateChanged: Bool,
        excludesMetadataChanges: Bool, hasCachedResults: Bool
    ) {
        self.query = query
        self.id = id
        self.base = base
        self.documents = documents
        self.changes = changes
        self.refreshed = refreshed
        self.mutatedKeys = mutatedKeys
        self.isFromCache = isFromCache
        self.syncStateChanged = syncStateChanged
        self.excludesMetadataChanges = excludesMetadataChanges
        self.hasCachedResults = hasCachedResults
    }

    /// What the cache alone answers a query with.
    ///
    /// - Parameter found: Local documents that match; at least those that the limit leaves.
    package init(of query: Query, cached found: some Sequence<Document>) {
        var results = query.order.sorted(found)
        if let limit = query.limit, results.count > limit.count {
            let excess = results.count - limit.count
            if limit.end == .first {
                results.removeLast(excess)
            } else {
                results.removeFirst(excess)
            }
        }
        self.init(
            query: query, id: SnapshotID(1), base: nil,
            documents: DocumentSet(order: query.order, results),
            changes: results.map { DocumentChange(.added, $0) },
            mutatedKeys: TreeSet(results.lazy.filter(\.hasLocalMutations).map(\.key)),
            isFromCache: true, syncStateChanged: true, excludesMetadataChanges: false,
            hasCachedResults: false)
    }

    /// Whether any result has writes that are not confirmed yet.
    package var hasPendingWrites: Bool { !mutatedKeys.isEmpty }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(query)
        hasher.combine(id)
    }
}

/// One document of a snapshot that changed.
package struct DocumentChange: Hashable, Sendable {
    /// How.
    package enum Kind: Hashable, Sendable {
        case removed, added, modified
        /// Only `hasPendingWrites` changed.
        case metadata
    }

    /// How.
    package let kind: Kind
    /// The document as it is now; for a removed one, as it was.
    package let document: Document

    /// Describes a change.
    package init(_ kind: Kind, _ document: Document) {
        self.kind = kind
        self.document = document
    }
}
