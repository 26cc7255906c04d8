import HearthEngine
import HearthFirestore
import HearthModel
import HearthSQLite

/// The kinds of entries of a store of documents. A number keeps its meaning for good: a later program reads
/// the log of an earlier one. `QueueIntakeKind` has the numbers between. Batches that were removed,
/// and overlays of a batch, are of such logs alone.
enum IntakeKind: UInt8 {
    case batch = 1
    case overlay = 2
    case globals = 6
    case batchRemoved = 7
    case overlaysRemoved = 8
    case overlaysOfBatchRemoved = 9
    case document = 10
    case documentRemoved = 11
    case used = 12
    case keysAdded = 13
    case keysRemoved = 14
    case target = 15
    case deadLetter = 18
    case batchAndEffect = 20
    case batchLeft = 21
    case targetDropped = 23
    case keysReleased = 24
    case backfilled = 25
    case promised = 26
    case promiseSettled = 27
    case overlayCreated = 28
    case terms = 29
    case termsRemoved = 30
    case history = 31
    case historyRemoved = 32
}

/// What the intake log tells of a group.
///
/// Each call that changes the store has an entry here, except the calls that are rare or change
/// much (making indexes, bundles, editing the queue). A list of documents is a number, then the
/// text of each path.
extension IntakeWriter {
    /// A batch that was appended, with the stored bytes of its writes.
    ///
    /// - Parameter isEffect: Whether the batch's only write is its pending effect too.
    mutating func batch(
        _ queued: QueuedBatch, baseWrites: [UInt8], writes: [UInt8], isEffect: Bool
    ) {
        begin(isEffect ? .batchAndEffect : .batch)
        self.queued(queued, baseWrites: baseWrites, writes: writes)
    }

    /// The time that the batch told just before has promised.
    mutating func promised(_ promisedAt: Timestamp) {
        begin(.promised)
        number(promisedAt.microseconds)
    }

    /// The outcome of a promise, with the outcome's stored bytes and the time of the note.
    mutating func promiseSettled(_ promise: SettledPromise, outcome: [UInt8]?, notedAt: Timestamp) {
        begin(.promiseSettled)
        number(promise.promisedAt.microseconds)
        number(promise.batch.rawValue)
        time(notedAt)
        data(outcome)
    }

    /// The terms of a batch, or that they are forgotten.
    mutating func terms(_ terms: SendingTerms?, of batch: BatchID) {
        begin(terms == nil ? .termsRemoved : .terms)
        number(batch.rawValue)
        guard let terms else { return }
        number(terms.expiresAt == nil ? 0 : 1)
        number(terms.expiresAt?.microseconds ?? 0)
        text(terms.storedOnly)
    }

    /// A batch that left the queue of a user, with the effects that the batch was the newest of.
    mutating func batchLeft(
        _ id: BatchID, writingTo keys: some Collection<DocumentKey>, of user: UserID
    ) {
        begin(.batchLeft)
        number(id.rawValue)
        text(user.rawValue)
        self.keys(keys)
    }

    /// A pending effect that was stored, with the stored bytes of its write.
    mutating func overlay(_ overlay: Overlay, mutation: [UInt8], of user: UserID) {
        begin(.overlay)
        number(overlay.largestBatchID.rawValue)
        text(user.rawValue)
        data(mutation)
        guard let createdAt = overlay.createdAt else { return }
        begin(.overlayCreated)
        number(createdAt.microseconds)
    }

    /// Pending effects that went.
    mutating func overlaysRemoved(_ keys: some Collection<DocumentKey>, of user: UserID) {
        begin(.overlaysRemoved)
        text(user.rawValue)
        self.keys(keys)
    }

    /// A document that was stored, with the stored bytes of its content.
    ///
    /// - Parameter used: When the document counts as used, if the document is new.
    mutating func document(
        _ document: Document, _ kind: DocumentKind, content: [UInt8]?, used: ListenSequenceNumber
    ) {
        begin(.document)
        text(document.key.path.string)
        number(kind.rawValue)
        number(document.hasCommittedMutations ? 1 : 0)
        time(document.readAt.timestamp)
        time(document.version.timestamp)
        number(used)
        data(content)
    }

    /// A document that was forgotten.
    mutating func documentRemoved(_ key: DocumentKey) {
        begin(.documentRemoved)
        text(key.path.string)
    }

    /// Documents that were used.
    mutating func used(_ keys: some Collection<DocumentKey>, at: ListenSequenceNumber) {
        begin(.used)
        number(at)
        self.keys(keys)
    }

    /// Documents that joined a target, or left it.
    mutating func keys(
        _ keys: some Collection<DocumentKey>, of target: TargetID, areAdded: Bool,
        at: ListenSequenceNumber
    ) {
        begin(areAdded ? .keysAdded : .keysRemoved)
        number(Int64(target.rawValue))
        number(at)
        self.keys(keys)
    }

    /// A target that was forgotten, whose documents are let go later.
    mutating func targetDropped(_ target: TargetID) {
        begin(.targetDropped)
        number(Int64(target.rawValue))
    }

    /// How many documents of forgotten targets were let go at most.
    mutating func keysReleased(limit: Int) {
        begin(.keysReleased)
        number(Int64(limit))
    }

    /// How much work at most was done to fill indexes.
    ///
    /// The content of the store decides the work's result.
    mutating func backfilled(countMax: Int) {
        begin(.backfilled)
        number(Int64(countMax))
    }

    /// A target that was kept, with the stored bytes of its query.
    mutating func target(_ data: TargetData, bytes: [UInt8]) {
        begin(.target)
        number(Int64(data.id.rawValue))
        number(data.purpose.stored)
        number(data.sequenceNumber)
        time(data.snapshotVersion.timestamp)
        time(data.limboFreeVersion.timestamp)
        self.data(data.resumeToken?.bytes)
        self.data(bytes)
    }

    /// A batch that was rejected, with the stored bytes of its writes.
    mutating func deadLetter(_ letter: DeadLetter, baseWrites: [UInt8], writes: [UInt8]) {
        begin(.deadLetter)
        queued(letter.batch, baseWrites: baseWrites, writes: writes)
        refusal(
            letter.error, at: letter.rejectedAt, mayHaveBeenApplied: letter.mayHaveBeenApplied,
            wasTold: letter.wasTold)
    }

    /// A row of the history, with the bytes of its entry.
    mutating func history(of key: DocumentKey, notedAt: Timestamp, _ entry: [UInt8]) {
        begin(.history)
        text(key.path.string)
        time(notedAt)
        data(entry)
    }

    /// Rows of the history that were forgotten: all up to a number.
    mutating func historyRemoved(through number: Int64) {
        begin(.historyRemoved)
        self.number(number)
    }

    /// The counters as the group left them.
    mutating func globals(_ globals: StoreGlobals) {
        begin(.globals)
        number(Int64(globals.highestTargetID.rawValue))
        number(globals.sequenceNumber)
        time(globals.lastRemoteVersion.timestamp)
        number(globals.lastBatchID.rawValue)
        number(globals.createsIndexes ? 1 : 0)
    }

    mutating func keys(_ keys: some Collection<DocumentKey>) {
        number(Int64(keys.count))
        for key in keys { text(key.path.string) }
    }

    private mutating func begin(_ kind: IntakeKind) {
        begin(kind.rawValue)
    }

    private mutating func queued(_ queued: QueuedBatch, baseWrites: [UInt8], writes: [UInt8]) {
        head(queued.head)
        data(baseWrites)
        data(writes)
    }
}
