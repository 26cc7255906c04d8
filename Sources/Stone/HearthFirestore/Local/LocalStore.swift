package import HashTreeCollections
import HearthEngine
package import HearthModel

/// The cache and the queue, as the engine sees them.
///
///     local document = remote document + overlay
///
/// Holds in memory only what is in use: the targets being watched and the counters. Every method
/// runs inside the turn's transaction.
package struct LocalStore: Sendable {
    /// Whose queue and overlays count.
    package internal(set) var user: UserID
    /// The store's counters, as this turn leaves them.
    package internal(set) var globals = StoreGlobals()
    /// What is kept of the targets in use.
    package internal(set) var targets: TreeDictionary<TargetID, TargetData> = [:]

    /// Targets that stay in use without a view.
    var pinned: TreeSet<TargetID> = []

    /// The times that accepted batches promise.
    var promises = PromisedClock()

    /// Notes the steps of documents.
    var history = HistoryKeeper()

    let policy: CollectionPolicy
    /// Documents whose last hold may have ended in the present turn. Eager collection only.
    var touched: Set<DocumentKey> = []
    private var storedGlobals = StoreGlobals()
    /// Whether the counters were read.
    private var isRead = false
    private var hasSequenceNumber = false
    private var targetIDs = TargetIDGenerator.queries(after: TargetID(0))

    /// A store that has not been read yet.
    package init(user: UserID, policy: CollectionPolicy) {
        self.user = user
        self.policy = policy
    }

    /// Reads the counters.
    mutating func start(_ store: any FirestoreTransaction) throws(StoreError) {
        try store.enter(.start)
        globals = try store.globals()
        storedGlobals = globals
        isRead = true
        promises.resume(after: globals.lastPromisedAt)
        promises.heard(globals.lastRemoteVersion)
        targetIDs = .queries(after: globals.highestTargetID)
    }

    /// Ends a turn: stores the counters if they moved.
    mutating func finishTurn(_ store: any FirestoreTransaction) throws(StoreError) {
        hasSequenceNumber = false
        // Counters that were not read yet must not go over the stored ones.
        guard isRead, globals != storedGlobals else { return }
        try store.setGlobals(globals)
        storedGlobals = globals
    }

    /// The logical time of this turn: one number, drawn when first needed.
    mutating func sequenceNumber() -> ListenSequenceNumber {
        if !hasSequenceNumber {
            globals.sequenceNumber += 1
            hasSequenceNumber = true
        }
        return globals.sequenceNumber
    }

    /// Draws the next target id.
    mutating func nextTargetID() -> TargetID {
        let id = targetIDs.next()
        globals.highestTargetID = id
        return id
    }

    /// Draws the time that the next batch promises, behind the documents that the batch writes to.
    mutating func nextPromise(after versions: some Sequence<SnapshotVersion>) -> Timestamp {
        globals.lastPromisedAt = promises.promise(after: versions.max() ?? .zero)
        return globals.lastPromisedAt
    }

    /// Draws the next batch id.
    mutating func nextBatchID() -> BatchID {
        globals.lastBatchID = BatchID(globals.lastBatchID.rawValue + 1)
        return globals.lastBatchID
    }

    /// Forgets documents in `touched` that nothing holds any more. Eager collection only.
    mutating func collectTouched(
        _ store: any FirestoreTransaction, isShown: (DocumentKey) -> Bool
    ) throws(StoreError) {
        for key in touched where !isShown(key) {
            if try store.isInAnyTarget(key) { continue }
            if try store.isWritten(key) { continue }
            try store.removeRemoteDocument(key)
        }
        touched = []
    }
}
