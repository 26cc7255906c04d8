package import HearthEngine
package import HearthModel

/// What an engine may ask of a disk, inside one transaction: all of it happens, or none.
///
/// Methods are synchronous, so reads and writes interleave. Every method throws `StoreError`, and only
/// when the disk fails or a row is damaged; the transaction is then void, whatever the caller does.
package protocol FirestoreTransaction: AnyObject {
    /// Names the step that follows, for the error if it fails. Stores that inject failures throw.
    func enter(_ operation: StoreOperation) throws(StoreError)
    /// The documents whose local state the group of turns may have changed so far.
    var changes: DocumentChanges { get }

    /// How many changes of local documents were noted since the store was opened; a rollback takes
    /// none back. See `DocumentChanges`.
    var changeNumber: UInt64 { get }

    /// Notes that the local state of documents is another, though the store is as it was: another user
    /// sees them.
    func noteChanges(of keys: some Sequence<DocumentKey>)

    // MARK: Globals

    /// Forgets all but the counters and the forgotten writes of clients.
    ///
    /// The counters stay so that no number is used twice.
    func removeAll() throws(StoreError)
    /// The single row of counters. Fresh in an empty store.
    func globals() throws(StoreError) -> StoreGlobals
    /// Replaces the counters.
    func setGlobals(_ globals: StoreGlobals) throws(StoreError)

    // MARK: Remote documents

    /// The last that the backend said of a document; `.invalid` if nothing is known. O(log n).
    func remoteDocument(_ key: DocumentKey) throws(StoreError) -> Document
    /// The same for several, all present in the answer.
    func remoteDocuments(_ keys: some Collection<DocumentKey>) throws(StoreError)
        -> [DocumentKey: Document]
    /// The same without their fields, in the order asked: what is found seems empty.
    func remoteOutlines(_ keys: [DocumentKey]) throws(StoreError) -> [Document]
    /// Scans where a query looks.
    ///
    /// - Returns: Found documents that match, and whatever of `scan.including` is known; or that the
    ///   bounds ended the scan.
    /// - Complexity: O(m), m documents in the collections that the query looks at; only those that
    ///   match are decoded whole.
    func remoteDocuments(_ scan: DocumentScan) throws(StoreError) -> ScanResult
    /// Stores a document; its `readAt` must not be zero.
    func setRemoteDocument(_ document: Document) throws(StoreError)
    /// Forgets a document, as if nothing had ever been known.
    func removeRemoteDocument(_ key: DocumentKey) throws(StoreError)
    /// The collections of a group that hold documents or pending writes, or did lately.
    func collections(inGroup group: String) throws(StoreError) -> [ResourcePath]

    // MARK: Mutation queue, one for each user

    /// Puts a batch at the end of its user's queue, and stores the batch's pending effects.
    ///
    /// Each effect takes the place of an older effect.
    ///
    /// - Parameter effects: The effects in the order of the batch's documents; some documents may
    ///   have no effect.
    func append(_ batch: QueuedBatch, effects: [Overlay]) throws(StoreError)
    /// One batch. O(log n).
    func batch(_ id: BatchID, of user: UserID) throws(StoreError) -> QueuedBatch?
    /// The first batch behind `id`, held or not. O(log n).
    func nextBatch(after id: BatchID, of user: UserID) throws(StoreError) -> QueuedBatch?
    /// The first batch behind `id`; `nil` also if that batch is held, whose writes are not read then.
    /// O(log n).
    func nextBatchToSend(after id: BatchID, of user: UserID) throws(StoreError) -> QueuedBatch?
    /// The last batch in front of `id`. O(log n).
    func previousBatchID(before id: BatchID, of user: UserID) throws(StoreError) -> BatchID?
    /// Whose queue a batch is in; `nil` if it is in none. O(log n).
    func user(of batch: BatchID) throws(StoreError) -> UserID?
    /// The last batch of the queue. O(log n).
    func highestBatchID(of user: UserID) throws(StoreError) -> BatchID?
    /// The batches that write to any of `keys`, in queue order. O(k log n + results).
    func batches(writingTo keys: some Collection<DocumentKey>, of user: UserID) throws(StoreError)
        -> [QueuedBatch]
    /// Holds the batch `id` of a user's queue if the batch was not sent, or with `isHeld` false
    /// lets go of the batch. An unknown number changes nothing.
    func setHeld(_ isHeld: Bool, _ id: BatchID, of user: UserID) throws(StoreError)
    /// Notes a user's batches up to `batch` as sent, except held batches.
    func noteSent(through batch: BatchID, of user: UserID) throws(StoreError)
    /// Where the markers of a user's batches lie. In the order of the batches.
    func markerEras(of user: UserID) throws(StoreError) -> [MarkerEra]
    /// Replaces the eras. Durable before anything that the turn decides is sent, as all is.
    func setMarkerEras(_ eras: [MarkerEra], of user: UserID) throws(StoreError)
    /// Takes a batch out of its queue.
    ///
    /// The pending effects whose newest batch is the removed batch go too. If the batch left the
    /// queue before, nothing happens.
    func removeBatch(_ batch: QueuedBatch) throws(StoreError)
    /// Puts `batch` in the place of the batch with the same number, which wrote to `keys`.
    func replaceBatch(_ batch: QueuedBatch, writingTo keys: some Collection<DocumentKey>)
        throws(StoreError)
    /// How much of all queues a Unix user pays for; `nil` for everybody.
    ///
    /// O(1), but the first time for the owners O(queue).
    ///
    /// - Parameter owners: Who pays for whom.
    func queueLoad(of payer: UInt32?, by owners: SubordinateRanges) throws(StoreError) -> QueueLoad
    /// Every document that a user's queue writes to. O(queue).
    func writtenKeys(of user: UserID) throws(StoreError) -> Set<DocumentKey>
    /// Whether any user's queue writes to the document. O(log n).
    func isWritten(_ key: DocumentKey) throws(StoreError) -> Bool

    // MARK: Overlays, for each user

    /// The pending effect on one document. O(log n).
    func overlay(_ key: DocumentKey, of user: UserID) throws(StoreError) -> Overlay?
    /// The pending effects on `keys`, without the documents that have no effect.
    func overlays(_ keys: some Collection<DocumentKey>, of user: UserID) throws(StoreError)
        -> [DocumentKey: Overlay]
    /// The pending effects of `user` where `query` looks, with a newest batch behind `batch`.
    func overlays(for query: Query, after batch: BatchID, of user: UserID) throws(StoreError)
        -> [DocumentKey: Overlay]
    /// The pending effects where a query looks; `nil` if the bounds leave no room for them.
    func overlays(for query: Query, of user: UserID, within bounds: ScanBounds) throws(StoreError)
        -> [DocumentKey: Overlay]?
    /// Stores pending effects, each in place of an older one.
    func setOverlays(_ overlays: [Overlay], of user: UserID) throws(StoreError)
    /// Removes the pending effects on `keys`.
    func removeOverlays(_ keys: some Collection<DocumentKey>, of user: UserID) throws(StoreError)

    // MARK: Indexes

    /// All indexes, including indexes that do not list every document yet.
    func indexes() throws(StoreError) -> [StoredIndex]
    /// Makes an index, which from now on lists every document that changes.
    ///
    /// The store keeps an existing index; the index is no longer automatic if somebody asks for the
    /// index.
    ///
    /// - Returns: Whether the index is new: then `backfillIndexes` has something to do.
    func addIndex(_ index: FieldIndex, isAutomatic: Bool) throws(StoreError) -> Bool
    /// Takes an index out of use. `backfillIndexes` removes the index's entries.
    func removeIndex(_ id: IndexID) throws(StoreError)
    /// Lists documents in incomplete indexes, and deletes the remains of removed indexes.
    func backfillIndexes(countMax: Int) throws(StoreError) -> BackfillProgress
    /// The local documents of a user that an index finds and that match the query.
    ///
    /// - Complexity: O(entries in the ranges), or for a limit that the order serves, O(limit).
    func localDocuments(_ scan: IndexScan, of user: UserID) throws(StoreError) -> ScanResult

    // MARK: Targets

    /// What is kept of a target. O(log n).
    func targetData(for target: Target) throws(StoreError) -> TargetData?
    /// Stores what is kept of a target, by its id.
    func setTargetData(_ data: TargetData) throws(StoreError)
    /// Forgets a target and which documents belong to it.
    func removeTarget(_ id: TargetID) throws(StoreError)
    /// The documents that the backend named for a target.
    func keys(of target: TargetID) throws(StoreError) -> [DocumentKey]
    /// How many documents the backend named for a target, counted up to `countMax`. O(countMax).
    func keyCount(of target: TargetID, upTo countMax: Int) throws(StoreError) -> Int
    /// Notes that the backend named `keys` for a target, and touches these documents with the
    /// sequence number `at`.
    func addKeys(
        _ keys: some Collection<DocumentKey>, to target: TargetID, at: ListenSequenceNumber)
        throws(StoreError)
    /// Notes that `keys` left a target, and touches these documents with the sequence number `at`.
    func removeKeys(
        _ keys: some Collection<DocumentKey>, from target: TargetID, at: ListenSequenceNumber)
        throws(StoreError)
    /// Notes that all documents left a target.
    func removeAllKeys(from target: TargetID) throws(StoreError)
    /// Whether any target holds the document. O(log n).
    func isInAnyTarget(_ key: DocumentKey) throws(StoreError) -> Bool
    /// Notes that the documents were last used at this sequence number.
    func touch(_ keys: some Collection<DocumentKey>, at: ListenSequenceNumber) throws(StoreError)

    // MARK: Collection of the least used

    /// Bytes in use: of documents, targets and the file's live pages.
    func cacheByteCount() throws(StoreError) -> Int
    /// About how many of the bytes in use are no cache: waiting batches, and known outcomes.
    ///
    /// - Complexity: O(answered writes that are remembered).
    func otherByteCount() throws(StoreError) -> Int
    /// How many targets and documents without a target there are.
    func collectableCount() throws(StoreError) -> Int
    /// The sequence number of the `count`-th least recently used target or document.
    ///
    /// The count begins with the first that was last used after `last`. If there are fewer, the
    /// sequence number of the last; `nil` if there are none.
    func sequenceNumber(ofLeastUsed count: Int, after last: ListenSequenceNumber)
        throws(StoreError) -> ListenSequenceNumber?
    /// Forgets targets last used at or before `bound`, except `live` targets; at most `limit`.
    ///
    /// The documents still belong to their targets until `releaseDroppedKeys` lets the documents
    /// go.
    func removeTargets(
        usedUpTo bound: ListenSequenceNumber, except live: Set<TargetID>, limit: Int
    ) throws(StoreError) -> Int
    /// Forgets a target, whose documents `releaseDroppedKeys` lets go.
    func dropTarget(_ id: TargetID) throws(StoreError)
    /// Lets go of documents of forgotten targets, at most `limit`; returns how many.
    func releaseDroppedKeys(limit: Int) throws(StoreError) -> Int
    /// Forgets documents of no target, unless a queue writes to the document or `isPinned` says
    /// that somebody pins it.
    ///
    /// The store looks at up to `limit` documents from `place` on, last used at or before `bound`,
    /// and returns how many documents it forgot.
    func removeOrphans(
        usedUpTo bound: ListenSequenceNumber, from place: inout CollectionPlace, limit: Int,
        isPinned: (DocumentKey) -> Bool
    ) throws(StoreError) -> Int

    // MARK: Bundles

    /// What is kept of a loaded bundle; `nil` also while another one of the name is loaded.
    func bundle(_ id: String) throws(StoreError) -> BundleRecord?
    /// Notes that a bundle is loaded.
    func setBundle(_ bundle: BundleRecord) throws(StoreError)
    /// The bundles whose loads have begun and not ended. O(bundles).
    func begunBundles() throws(StoreError) -> [BegunBundle]
    /// Notes that the load of a bundle has begun. The note replaces the record of an earlier bundle
    /// of the same name.
    func setBegunBundle(_ bundle: BegunBundle) throws(StoreError)
    /// Forgets what is kept of a bundle.
    func removeBundle(_ id: String) throws(StoreError)
    /// A query by the name that a bundle gave it.
    func namedQuery(_ name: String) throws(StoreError) -> NamedQuery?
    /// Stores a query by its name.
    func setNamedQuery(_ query: NamedQuery) throws(StoreError)

    // MARK: Resends and dead letters

    /// What became of a write that was seen before. O(log n).
    func record(of write: WriteIdentity) throws(StoreError) -> WriteRecord<WriteOutcome>?
    /// The identity of the write that became a batch; `nil` if no client named the write.
    func identity(of batch: BatchID) throws(StoreError) -> WriteIdentity?
    /// Notes a write, or what became of it.
    func setRecord(_ record: WriteRecord<WriteOutcome>, of write: WriteIdentity) throws(StoreError)
    /// Forgets the writes below `sequence` of a client of the Unix user `uid`.
    ///
    /// Answered writes go now; the other writes go after their answers, at the latest with the next
    /// call. Amortised O(1) for a client whose number rises.
    func removeRecords(of client: ClientID, uid: UInt32, below sequence: UInt64)
        throws(StoreError)
    /// The number below which the store may have forgotten a client's answered writes; 0 for none.
    ///
    /// O(log n).
    func forgottenBelow(of client: ClientID, uid: UInt32) throws(StoreError) -> UInt64
    /// The terms of all batches whose writers said something of the sending. O(such batches).
    func terms() throws(StoreError) -> [BatchID: SendingTerms]
    /// Stores the terms of a batch, or forgets them.
    func setTerms(_ terms: SendingTerms?, of batch: BatchID) throws(StoreError)
    /// What became of a promised time, at the same microsecond; `nil` if no batch that promised the
    /// time has left the queue, or the store has forgotten the promise. O(log n).
    func promise(_ promisedAt: Timestamp) throws(StoreError) -> SettledPromise?
    /// Notes what became of a promise.
    func setPromise(_ promise: SettledPromise) throws(StoreError)
    /// Keeps a rejected batch among the dead letters; for a while only, and apart, if the writer was
    /// told.
    func appendDeadLetter(_ letter: DeadLetter) throws(StoreError)
    /// A rejected batch by its number. O(log n).
    func deadLetter(_ batch: BatchID) throws(StoreError) -> DeadLetter?
    /// The rejected batches whose writers were told, in the time before the newest of them.
    ///
    /// No clock is asked: between two runs any time may have passed.
    func toldLetters(ofLast time: Duration) throws(StoreError) -> [BatchID]
    /// Forgets a rejected batch whose writer was told; a letter that waits for somebody stays.
    ///
    /// Losing the change does no harm, so the change alone has nothing synced. O(log n).
    func forgetToldLetter(_ batch: BatchID) throws(StoreError)
    /// Forgets all rejected batches whose writers were told. O(n), n such batches.
    func forgetToldLetters() throws(StoreError)
    /// Forgets a rejected batch, because it was dropped or queued anew.
    func removeDeadLetter(_ batch: BatchID) throws(StoreError)

    // MARK: Ledger

    /// Hands over to `body` the ledger's rows of the days from `first` on and before `end`.
    ///
    /// - Parameter uid: Only the programs of this Unix user; `nil` for all.
    /// - Complexity: O(rows of the days); `LedgerLimits` bounds the rows of a day, to some 6,200.
    func ledgerRows(
        from first: LedgerDay, before end: LedgerDay, ofUser uid: UInt32?,
        _ body: (LedgerRow) -> Void
    ) throws(StoreError)
    /// Stores rows of the ledger, each in place of an older one.
    func setLedgerRows(_ rows: [LedgerRow]) throws(StoreError)
    /// Forgets the ledger's rows of the days before `day`.
    func removeLedgerRows(before day: LedgerDay) throws(StoreError)

    // MARK: History

    /// Puts an entry at the end of the history, under the next number. O(log n).
    func appendHistory(_ entry: HistoryEntry) throws(StoreError)
    /// Whether anything is kept of a document's history. O(log n).
    func hasHistory(of key: DocumentKey) throws(StoreError) -> Bool
    /// The oldest entry that is kept of a document. O(log n).
    func firstHistory(of key: DocumentKey) throws(StoreError) -> HistoryEntry?
    /// The newest entry of a document. O(log n).
    func lastHistory(of key: DocumentKey) throws(StoreError) -> HistoryEntry?
    /// A document's entries that a question names, the newest first, as many as a page has.
    ///
    /// With `at`, entries that were noted up to then. O(log n + entries passed over + page).
    func historyPage(_ question: HistoryQuestion) throws(StoreError) -> HistoryPage
    /// How much history there is, of all documents. O(log n).
    func historyFigures() throws(StoreError) -> HistoryFigures
    /// Forgets the oldest entries that are beyond bounds, a slice at most.
    ///
    /// The newest entry of all stays, so that numbers go on to rise.
    ///
    /// - Returns: Whether the slice ended before everything beyond the bounds was gone.
    func removeHistory(_ bounds: HistoryBounds) throws(StoreError) -> Bool
}

extension FirestoreTransaction {
    /// Puts a batch at the end of its user's queue; its effects are computed when somebody looks.
    package func append(_ batch: QueuedBatch) throws(StoreError) {
        try append(batch, effects: [])
    }

    /// How much of all queues a Unix user has written; `nil` for everybody.
    package func queueLoad(of uid: UInt32?) throws(StoreError) -> QueueLoad {
        try queueLoad(of: uid, by: SubordinateRanges())
    }
}
