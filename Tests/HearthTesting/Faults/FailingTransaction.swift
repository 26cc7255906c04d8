package import HearthEngine
package import HearthFirestore
package import HearthModel

/// A transaction that refuses some steps, or a single call, and hands every other call on.
package final class FailingTransaction: FirestoreTransaction {
    private let base: any FirestoreTransaction
    private let store: FailingStore

    /// Stands before `base`, and fails as `store` is told to.
    init(_ base: any FirestoreTransaction, of store: FailingStore) {
        self.base = base
        self.store = store
    }

    func next() throws(StoreError) -> any FirestoreTransaction {
        try store.noteCall()
        return base
    }

    package var changeNumber: UInt64 { base.changeNumber }

    package func noteChanges(of keys: some Sequence<DocumentKey>) { base.noteChanges(of: keys) }

    package func enter(_ operation: StoreOperation) throws(StoreError) {
        if store.failing.contains(operation) { throw .injected(operation) }
        try base.enter(operation)
    }

    package var changes: DocumentChanges { base.changes }

    package func globals() throws(StoreError) -> StoreGlobals {
        try next().globals()
    }

    package func setGlobals(_ globals: StoreGlobals) throws(StoreError) {
        try next().setGlobals(globals)
    }

    package func remoteDocument(_ key: DocumentKey) throws(StoreError) -> Document {
        try next().remoteDocument(key)
    }

    package func remoteDocuments(
        _ keys: some Collection<DocumentKey>
    ) throws(StoreError) -> [DocumentKey: Document] {
        try next().remoteDocuments(keys)
    }

    package func remoteOutlines(_ keys: [DocumentKey]) throws(StoreError) -> [Document] {
        try next().remoteOutlines(keys)
    }

    package func remoteDocuments(_ scan: DocumentScan) throws(StoreError) -> ScanResult {
        try next().remoteDocuments(scan)
    }

    package func setRemoteDocument(_ document: Document) throws(StoreError) {
        try next().setRemoteDocument(document)
    }

    package func removeRemoteDocument(_ key: DocumentKey) throws(StoreError) {
        try next().removeRemoteDocument(key)
    }

    package func collections(inGroup group: String) throws(StoreError) -> [ResourcePath] {
        try next().collections(inGroup: group)
    }

    package func append(_ batch: QueuedBatch, effects: [Overlay]) throws(StoreError) {
        try next().append(batch, effects: effects)
    }

    package func batch(_ id: BatchID, of user: UserID) throws(StoreError) -> QueuedBatch? {
        try next().batch(id, of: user)
    }

    package func nextBatch(after id: BatchID, of user: UserID) throws(StoreError) -> QueuedBatch? {
        try next().nextBatch(after: id, of: user)
    }

    package func nextBatchToSend(after id: BatchID, of user: UserID) throws(StoreError)
        -> QueuedBatch?
    {
        try next().nextBatchToSend(after: id, of: user)
    }

    package func previousBatchID(before id: BatchID, of user: UserID) throws(StoreError)
        -> BatchID?
    {
        try next().previousBatchID(before: id, of: user)
    }

    package func user(of batch: BatchID) throws(StoreError) -> UserID? {
        try next().user(of: batch)
    }

    package func replaceBatch(
        _ batch: QueuedBatch, writingTo keys: some Collection<DocumentKey>
    ) throws(StoreError) {
        try next().replaceBatch(batch, writingTo: keys)
    }

    package func queueLoad(
        of payer: UInt32?, by owners: SubordinateRanges
    ) throws(StoreError) -> QueueLoad {
        try next().queueLoad(of: payer, by: owners)
    }

    package func highestBatchID(of user: UserID) throws(StoreError) -> BatchID? {
        try next().highestBatchID(of: user)
    }

    package func batches(
        writingTo keys: some Collection<DocumentKey>, of user: UserID
    ) throws(StoreError) -> [QueuedBatch] {
        try next().batches(writingTo: keys, of: user)
    }

    package func setHeld(_ isHeld: Bool, _ id: BatchID, of user: UserID) throws(StoreError) {
        try next().setHeld(isHeld, id, of: user)
    }

    package func noteSent(through batch: BatchID, of user: UserID) throws(StoreError) {
        try next().noteSent(through: batch, of: user)
    }

    package func markerEras(of user: UserID) throws(StoreError) -> [MarkerEra] {
        try next().markerEras(of: user)
    }

    package func setMarkerEras(_ eras: [MarkerEra], of user: UserID) throws(StoreError) {
        try next().setMarkerEras(eras, of: user)
    }

    package func removeBatch(_ batch: QueuedBatch) throws(StoreError) {
        try next().removeBatch(batch)
    }

    package func writtenKeys(of user: UserID) throws(StoreError) -> Set<DocumentKey> {
        try next().writtenKeys(of: user)
    }

    package func isWritten(_ key: DocumentKey) throws(StoreError) -> Bool {
        try next().isWritten(key)
    }

    package func overlay(_ key: DocumentKey, of user: UserID) throws(StoreError) -> Overlay? {
        try next().overlay(key, of: user)
    }

    package func overlays(
        _ keys: some Collection<DocumentKey>, of user: UserID
    ) throws(StoreError) -> [DocumentKey: Overlay] {
        try next().overlays(keys, of: user)
    }

    package func overlays(
        for query: Query, after batch: BatchID, of user: UserID
    ) throws(StoreError) -> [DocumentKey: Overlay] {
        try next().overlays(for: query, after: batch, of: user)
    }

    package func overlays(
        for query: Query, of user: UserID, within bounds: ScanBounds
    ) throws(StoreError) -> [DocumentKey: Overlay]? {
        try next().overlays(for: query, of: user, within: bounds)
    }

    package func setOverlays(_ overlays: [Overlay], of user: UserID) throws(StoreError) {
        try next().setOverlays(overlays, of: user)
    }

    package func removeOverlays(
        _ keys: some Collection<DocumentKey>, of user: UserID
    ) throws(StoreError) {
        try next().removeOverlays(keys, of: user)
    }

    package func targetData(for target: Target) throws(StoreError) -> TargetData? {
        try next().targetData(for: target)
    }

    package func setTargetData(_ data: TargetData) throws(StoreError) {
        try next().setTargetData(data)
    }

    package func removeTarget(_ id: TargetID) throws(StoreError) {
        try next().removeTarget(id)
    }

    package func keys(of target: TargetID) throws(StoreError) -> [DocumentKey] {
        try next().keys(of: target)
    }

    package func keyCount(of target: TargetID, upTo countMax: Int) throws(StoreError) -> Int {
        try next().keyCount(of: target, upTo: countMax)
    }

    package func addKeys(
        _ keys: some Collection<DocumentKey>, to target: TargetID, at number: ListenSequenceNumber
    ) throws(StoreError) {
        try next().addKeys(keys, to: target, at: number)
    }

    package func removeKeys(
        _ keys: some Collection<DocumentKey>, from target: TargetID, at number: ListenSequenceNumber
    ) throws(StoreError) {
        try next().removeKeys(keys, from: target, at: number)
    }

    package func removeAllKeys(from target: TargetID) throws(StoreError) {
        try next().removeAllKeys(from: target)
    }

    package func isInAnyTarget(_ key: DocumentKey) throws(StoreError) -> Bool {
        try next().isInAnyTarget(key)
    }

    package func touch(
        _ keys: some Collection<DocumentKey>, at number: ListenSequenceNumber
    ) throws(StoreError) {
        try next().touch(keys, at: number)
    }

    package func indexes() throws(StoreError) -> [StoredIndex] {
        try next().indexes()
    }

    package func addIndex(_ index: FieldIndex, isAutomatic: Bool) throws(StoreError) -> Bool {
        try next().addIndex(index, isAutomatic: isAutomatic)
    }

    package func removeIndex(_ id: IndexID) throws(StoreError) {
        try next().removeIndex(id)
    }

    package func backfillIndexes(countMax: Int) throws(StoreError) -> BackfillProgress {
        try next().backfillIndexes(countMax: countMax)
    }

    package func localDocuments(
        _ scan: IndexScan, of user: UserID
    ) throws(StoreError) -> ScanResult {
        try next().localDocuments(scan, of: user)
    }

    package func cacheByteCount() throws(StoreError) -> Int {
        try next().cacheByteCount()
    }

    package func otherByteCount() throws(StoreError) -> Int {
        try next().otherByteCount()
    }

    package func collectableCount() throws(StoreError) -> Int {
        try next().collectableCount()
    }

    package func sequenceNumber(
        ofLeastUsed count: Int, after last: ListenSequenceNumber
    ) throws(StoreError) -> ListenSequenceNumber? {
        try next().sequenceNumber(ofLeastUsed: count, after: last)
    }

    package func removeTargets(
        usedUpTo bound: ListenSequenceNumber, except live: Set<TargetID>, limit: Int
    ) throws(StoreError) -> Int {
        try next().removeTargets(usedUpTo: bound, except: live, limit: limit)
    }

    package func dropTarget(_ id: TargetID) throws(StoreError) {
        try next().dropTarget(id)
    }

    package func releaseDroppedKeys(limit: Int) throws(StoreError) -> Int {
        try next().releaseDroppedKeys(limit: limit)
    }

    package func removeOrphans(
        usedUpTo bound: ListenSequenceNumber, from place: inout CollectionPlace, limit: Int,
        isPinned: (DocumentKey) -> Bool
    ) throws(StoreError) -> Int {
        try next().removeOrphans(usedUpTo: bound, from: &place, limit: limit, isPinned: isPinned)
    }

    package func record(of write: WriteIdentity) throws(StoreError) -> WriteRecord<WriteOutcome>? {
        try next().record(of: write)
    }

    package func identity(of batch: BatchID) throws(StoreError) -> WriteIdentity? {
        try next().identity(of: batch)
    }

    package func setRecord(_ record: WriteRecord<WriteOutcome>, of write: WriteIdentity)
        throws(StoreError)
    {
        try next().setRecord(record, of: write)
    }

    package func removeRecords(
        of client: ClientID, uid: UInt32, below sequence: UInt64
    ) throws(StoreError) {
        try next().removeRecords(of: client, uid: uid, below: sequence)
    }

    package func forgottenBelow(of client: ClientID, uid: UInt32) throws(StoreError) -> UInt64 {
        try next().forgottenBelow(of: client, uid: uid)
    }

    package func removeAll() throws(StoreError) { try next().removeAll() }

    package func terms() throws(StoreError) -> [BatchID: SendingTerms] {
        try next().terms()
    }

    package func setTerms(_ terms: SendingTerms?, of batch: BatchID) throws(StoreError) {
        try next().setTerms(terms, of: batch)
    }

    package func promise(_ promisedAt: Timestamp) throws(StoreError) -> SettledPromise? {
        try next().promise(promisedAt)
    }

    package func setPromise(_ promise: SettledPromise) throws(StoreError) {
        try next().setPromise(promise)
    }

    package func appendDeadLetter(_ letter: DeadLetter) throws(StoreError) {
        try next().appendDeadLetter(letter)
    }

    package func deadLetter(_ batch: BatchID) throws(StoreError) -> DeadLetter? {
        try next().deadLetter(batch)
    }

    package func toldLetters(ofLast time: Duration) throws(StoreError) -> [BatchID] {
        try next().toldLetters(ofLast: time)
    }

    package func forgetToldLetter(_ batch: BatchID) throws(StoreError) {
        try next().forgetToldLetter(batch)
    }

    package func forgetToldLetters() throws(StoreError) { try next().forgetToldLetters() }

    package func removeDeadLetter(_ batch: BatchID) throws(StoreError) {
        try next().removeDeadLetter(batch)
    }

    package func ledgerRows(
        from first: LedgerDay, before end: LedgerDay, ofUser uid: UInt32?,
        _ body: (LedgerRow) -> Void
    ) throws(StoreError) {
        try next().ledgerRows(from: first, before: end, ofUser: uid, body)
    }

    package func setLedgerRows(_ rows: [LedgerRow]) throws(StoreError) {
        try next().setLedgerRows(rows)
    }

    package func removeLedgerRows(before day: LedgerDay) throws(StoreError) {
        try next().removeLedgerRows(before: day)
    }

    package func appendHistory(_ entry: HistoryEntry) throws(StoreError) {
        try next().appendHistory(entry)
    }

    package func hasHistory(of key: DocumentKey) throws(StoreError) -> Bool {
        try next().hasHistory(of: key)
    }

    package func firstHistory(of key: DocumentKey) throws(StoreError) -> HistoryEntry? {
        try next().firstHistory(of: key)
    }

    package func lastHistory(of key: DocumentKey) throws(StoreError) -> HistoryEntry? {
        try next().lastHistory(of: key)
    }

    package func historyPage(_ question: HistoryQuestion) throws(StoreError) -> HistoryPage {
        try next().historyPage(question)
    }

    package func historyFigures() throws(StoreError) -> HistoryFigures {
        try next().historyFigures()
    }

    package func removeHistory(_ bounds: HistoryBounds) throws(StoreError) -> Bool {
        try next().removeHistory(bounds)
    }
}
