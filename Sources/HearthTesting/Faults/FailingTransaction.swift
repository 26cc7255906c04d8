package import HearthFirestore
package import HearthModel

/// A transaction that refuses some steps and hands everything else on.
package final class FailingTransaction: FirestoreTransaction {
    private let base: any FirestoreTransaction
    private let failing: Set<StoreOperation>

    /// Stands before `base`.
    init(_ base: any FirestoreTransaction, failing: Set<StoreOperation>) {
        self.base = base
        self.failing = failing
    }

    package func enter(_ operation: StoreOperation) throws(StoreError) {
        if failing.contains(operation) { throw .injected(operation) }
        try base.enter(operation)
    }

    package func globals() throws(StoreError) -> StoreGlobals {
        try base.globals()
    }

    package func setGlobals(_ globals: StoreGlobals) throws(StoreError) {
        try base.setGlobals(globals)
    }

    package func remoteDocument(_ key: DocumentKey) throws(StoreError) -> Document {
        try base.remoteDocument(key)
    }

    package func remoteDocuments(
        _ keys: some Collection<DocumentKey>
    ) throws(StoreError) -> [DocumentKey: Document] {
        try base.remoteDocuments(keys)
    }

    package func remoteOutlines(
        _ keys: some Collection<DocumentKey>
    ) throws(StoreError) -> [DocumentKey: Document] {
        try base.remoteOutlines(keys)
    }

    package func remoteDocuments(_ scan: DocumentScan) throws(StoreError) -> ScanResult {
        try base.remoteDocuments(scan)
    }

    package func setRemoteDocument(_ document: Document) throws(StoreError) {
        try base.setRemoteDocument(document)
    }

    package func removeRemoteDocument(_ key: DocumentKey) throws(StoreError) {
        try base.removeRemoteDocument(key)
    }

    package func collections(inGroup group: String) throws(StoreError) -> [ResourcePath] {
        try base.collections(inGroup: group)
    }

    package func append(_ batch: QueuedBatch) throws(StoreError) {
        try base.append(batch)
    }

    package func batch(_ id: BatchID, of user: UserID) throws(StoreError) -> QueuedBatch? {
        try base.batch(id, of: user)
    }

    package func nextBatch(after id: BatchID, of user: UserID) throws(StoreError) -> QueuedBatch? {
        try base.nextBatch(after: id, of: user)
    }

    package func previousBatchID(before id: BatchID, of user: UserID) throws(StoreError)
        -> BatchID?
    {
        try base.previousBatchID(before: id, of: user)
    }

    package func user(of batch: BatchID) throws(StoreError) -> UserID? {
        try base.user(of: batch)
    }

    package func replaceBatch(
        _ batch: QueuedBatch, writingTo keys: some Collection<DocumentKey>
    ) throws(StoreError) {
        try base.replaceBatch(batch, writingTo: keys)
    }

    package func queueLoad(of uid: UInt32?) throws(StoreError) -> QueueLoad {
        try base.queueLoad(of: uid)
    }

    package func highestBatchID(of user: UserID) throws(StoreError) -> BatchID? {
        try base.highestBatchID(of: user)
    }

    package func batches(
        writingTo keys: some Collection<DocumentKey>, of user: UserID
    ) throws(StoreError) -> [QueuedBatch] {
        try base.batches(writingTo: keys, of: user)
    }

    package func setState(_ state: BatchState, of id: BatchID, user: UserID) throws(StoreError) {
        try base.setState(state, of: id, user: user)
    }

    package func removeBatch(
        _ id: BatchID, writingTo keys: some Collection<DocumentKey>, of user: UserID
    ) throws(StoreError) {
        try base.removeBatch(id, writingTo: keys, of: user)
    }

    package func writtenKeys(of user: UserID) throws(StoreError) -> Set<DocumentKey> {
        try base.writtenKeys(of: user)
    }

    package func isWritten(_ key: DocumentKey) throws(StoreError) -> Bool {
        try base.isWritten(key)
    }

    package func overlay(_ key: DocumentKey, of user: UserID) throws(StoreError) -> Overlay? {
        try base.overlay(key, of: user)
    }

    package func overlays(
        _ keys: some Collection<DocumentKey>, of user: UserID
    ) throws(StoreError) -> [DocumentKey: Overlay] {
        try base.overlays(keys, of: user)
    }

    package func overlays(
        for query: Query, after batch: BatchID, of user: UserID
    ) throws(StoreError) -> [DocumentKey: Overlay] {
        try base.overlays(for: query, after: batch, of: user)
    }

    package func setOverlays(_ overlays: [Overlay], of user: UserID) throws(StoreError) {
        try base.setOverlays(overlays, of: user)
    }

    package func removeOverlays(
        _ keys: some Collection<DocumentKey>, of user: UserID
    ) throws(StoreError) {
        try base.removeOverlays(keys, of: user)
    }

    package func removeOverlays(
        _ keys: some Collection<DocumentKey>, largestBatch batch: BatchID, of user: UserID
    ) throws(StoreError) {
        try base.removeOverlays(keys, largestBatch: batch, of: user)
    }

    package func targetData(for target: Target) throws(StoreError) -> TargetData? {
        try base.targetData(for: target)
    }

    package func setTargetData(_ data: TargetData) throws(StoreError) {
        try base.setTargetData(data)
    }

    package func removeTarget(_ id: TargetID) throws(StoreError) {
        try base.removeTarget(id)
    }

    package func keys(of target: TargetID) throws(StoreError) -> [DocumentKey] {
        try base.keys(of: target)
    }

    package func addKeys(
        _ keys: some Collection<DocumentKey>, to target: TargetID, at number: ListenSequenceNumber
    ) throws(StoreError) {
        try base.addKeys(keys, to: target, at: number)
    }

    package func removeKeys(
        _ keys: some Collection<DocumentKey>, from target: TargetID, at number: ListenSequenceNumber
    ) throws(StoreError) {
        try base.removeKeys(keys, from: target, at: number)
    }

    package func removeAllKeys(from target: TargetID) throws(StoreError) {
        try base.removeAllKeys(from: target)
    }

    package func isInAnyTarget(_ key: DocumentKey) throws(StoreError) -> Bool {
        try base.isInAnyTarget(key)
    }

    package func touch(
        _ keys: some Collection<DocumentKey>, at number: ListenSequenceNumber
    ) throws(StoreError) {
        try base.touch(keys, at: number)
    }

    package func indexes() throws(StoreError) -> [StoredIndex] {
        try base.indexes()
    }

    package func addIndex(_ index: FieldIndex, isAutomatic: Bool) throws(StoreError) -> Bool {
        try base.addIndex(index, isAutomatic: isAutomatic)
    }

    package func removeIndex(_ id: IndexID) throws(StoreError) {
        try base.removeIndex(id)
    }

    package func backfillIndexes(countMax: Int) throws(StoreError) -> BackfillProgress {
        try base.backfillIndexes(countMax: countMax)
    }

    package func localDocuments(
        _ scan: IndexScan, of user: UserID
    ) throws(StoreError) -> ScanResult {
        try base.localDocuments(scan, of: user)
    }

    package func cacheByteCount() throws(StoreError) -> Int {
        try base.cacheByteCount()
    }

    package func collectableCount() throws(StoreError) -> Int {
        try base.collectableCount()
    }

    package func sequenceNumber(
        ofLeastUsed count: Int
    ) throws(StoreError) -> ListenSequenceNumber? {
        try base.sequenceNumber(ofLeastUsed: count)
    }

    package func removeTargets(
        usedUpTo bound: ListenSequenceNumber, except live: Set<TargetID>, limit: Int
    ) throws(StoreError) -> Int {
        try base.removeTargets(usedUpTo: bound, except: live, limit: limit)
    }

    package func releaseDroppedKeys(limit: Int) throws(StoreError) -> Int {
        try base.releaseDroppedKeys(limit: limit)
    }

    package func removeOrphans(
        usedUpTo bound: ListenSequenceNumber, from place: inout CollectionPlace, limit: Int,
        isPinned: (DocumentKey) -> Bool
    ) throws(StoreError) -> Int {
        try base.removeOrphans(usedUpTo: bound, from: &place, limit: limit, isPinned: isPinned)
    }

    package func bundle(_ id: String) throws(StoreError) -> BundleRecord? {
        try base.bundle(id)
    }

    package func setBundle(_ bundle: BundleRecord) throws(StoreError) {
        try base.setBundle(bundle)
    }

    package func namedQuery(_ name: String) throws(StoreError) -> NamedQuery? {
        try base.namedQuery(name)
    }

    package func setNamedQuery(_ query: NamedQuery) throws(StoreError) {
        try base.setNamedQuery(query)
    }

    package func record(of write: WriteIdentity) throws(StoreError) -> WriteRecord? {
        try base.record(of: write)
    }

    package func identity(of batch: BatchID) throws(StoreError) -> WriteIdentity? {
        try base.identity(of: batch)
    }

    package func setRecord(_ record: WriteRecord, of write: WriteIdentity) throws(StoreError) {
        try base.setRecord(record, of: write)
    }

    package func removeRecords(
        of client: ClientID, uid: UInt32, below sequence: UInt64
    ) throws(StoreError) {
        try base.removeRecords(of: client, uid: uid, below: sequence)
    }

    package func forgottenBelow(of client: ClientID, uid: UInt32) throws(StoreError) -> UInt64 {
        try base.forgottenBelow(of: client, uid: uid)
    }

    package func removeAll() throws(StoreError) { try base.removeAll() }

    package func appendDeadLetter(_ letter: DeadLetter) throws(StoreError) {
        try base.appendDeadLetter(letter)
    }

    package func deadLetter(_ batch: BatchID) throws(StoreError) -> DeadLetter? {
        try base.deadLetter(batch)
    }

    package func removeDeadLetter(_ batch: BatchID) throws(StoreError) {
        try base.removeDeadLetter(batch)
    }
}
