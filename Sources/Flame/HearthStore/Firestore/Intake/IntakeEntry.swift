import HearthEngine
import HearthFirestore
import HearthModel
import HearthProtocol
import HearthSQLite

/// One step of a group, as the intake log tells it (`IntakeWriter` has the bytes).
enum IntakeEntry: Hashable {
    /// A batch came to the end of a queue.
    ///
    /// If `isEffect`, the batch's only write is the pending effect too.
    case batch(QueuedBatch, isEffect: Bool)
    /// A batch left the queue of a user, and so did the effects that the batch was the newest of.
    case batchRemoved(BatchID, [DocumentKey], UserID)
    /// A pending effect was stored.
    case overlay(Overlay, UserID)
    /// Pending effects went; if a batch is given, only the effects whose newest batch it was.
    case overlaysRemoved([DocumentKey], BatchID?, UserID)
    /// A document was stored. A new document counts as used at the given time.
    case document(Document, ListenSequenceNumber)
    /// A document was forgotten.
    case documentRemoved(DocumentKey)
    /// A target was forgotten; its documents are let go later.
    case targetDropped(TargetID)
    /// Up to `limit` documents of forgotten targets were let go.
    case keysReleased(limit: Int)
    /// Indexes were filled, by `countMax` units of work at most.
    case backfilled(countMax: Int)
    /// Documents were used.
    case used([DocumentKey], ListenSequenceNumber)
    /// Documents joined a target.
    case keysAdded([DocumentKey], TargetID, ListenSequenceNumber)
    /// Documents left a target.
    case keysRemoved([DocumentKey], TargetID, ListenSequenceNumber)
    /// A target was kept.
    case target(TargetData)
    /// A batch was rejected.
    case deadLetter(DeadLetter)
    /// Something of queues and records.
    case queue(QueueIntakeEntry<WriteOutcome>)
    /// What became of a promise, and when that was noted.
    case promise(SettledPromise, notedAt: Timestamp)
    /// A batch got terms, or its terms were forgotten.
    case terms(SendingTerms?, BatchID)
    /// A row came to the history, with the bytes of its entry.
    case history(DocumentKey, notedAt: Timestamp, [UInt8])
    /// The history's rows up to a number were forgotten.
    case historyRemoved(through: Int64)
    /// The counters became these.
    case globals(StoreGlobals)

    /// Reads the entries of one record.
    ///
    /// - Throws: `StoreError.damaged` for bytes that no group leaves.
    static func entries(from bytes: [UInt8], _ codec: FirestoreCodec) throws(StoreError)
        -> [IntakeEntry]
    {
        var reader = IntakeReader(bytes)
        var entries: [IntakeEntry] = []
        while !reader.isAtEnd {
            let kind = try reader.kind()
            if kind == IntakeKind.promised.rawValue {
                try entries.promise(at: try reader.promisedTime())
            } else if kind == IntakeKind.overlayCreated.rawValue {
                try entries.create(at: try reader.promisedTime())
            } else {
                entries.append(try entry(kind, from: &reader, codec))
            }
        }
        return entries
    }

    private static func entry(
        _ number: UInt8, from reader: inout IntakeReader, _ codec: FirestoreCodec
    ) throws(StoreError) -> IntakeEntry {
        if let entry = try QueueIntakeEntry<WriteOutcome>(number, from: &reader) {
            return .queue(entry)
        }
        guard let kind = IntakeKind(rawValue: number) else { throw IntakeReader.damage }
        switch kind {
        case .batch: return .batch(try reader.batch(codec), isEffect: false)
        case .batchAndEffect: return .batch(try reader.batch(codec), isEffect: true)
        case .batchRemoved, .batchLeft:
            let (id, user) = (BatchID(try reader.number()), try reader.user())
            return .batchRemoved(id, try reader.keys(), user)
        case .overlay:
            let (id, user) = (BatchID(try reader.number()), try reader.user())
            return .overlay(
                Overlay(largestBatchID: id, mutation: try reader.mutation(codec)), user)
        case .overlaysRemoved:
            let user = try reader.user()
            return .overlaysRemoved(try reader.keys(), nil, user)
        case .overlaysOfBatchRemoved:
            let (id, user) = (BatchID(try reader.number()), try reader.user())
            return .overlaysRemoved(try reader.keys(), id, user)
        case .document: return try reader.document(codec)
        case .documentRemoved: return .documentRemoved(try reader.key())
        case .targetDropped: return .targetDropped(try reader.targetID())
        case .keysReleased: return .keysReleased(limit: Int(try reader.number()))
        case .backfilled: return .backfilled(countMax: Int(try reader.number()))
        case .used:
            let at = try reader.number()
            return .used(try reader.keys(), at)
        case .keysAdded:
            let (id, at) = (try reader.targetID(), try reader.number())
            return .keysAdded(try reader.keys(), id, at)
        case .keysRemoved:
            let (id, at) = (try reader.targetID(), try reader.number())
            return .keysRemoved(try reader.keys(), id, at)
        case .target: return .target(try reader.target(codec))
        case .deadLetter: return .deadLetter(try reader.deadLetter(codec))
        case .globals: return .globals(try reader.globals())
        case .promiseSettled: return try reader.promise()
        case .terms: return try reader.terms()
        case .termsRemoved: return .terms(nil, BatchID(try reader.number()))
        case .history:
            let (key, notedAt) = (try reader.key(), try reader.time())
            return .history(key, notedAt: notedAt, try reader.data())
        case .historyRemoved: return .historyRemoved(through: try reader.number())
        case .promised, .overlayCreated: throw IntakeReader.damage  // Part of the entry in front.
        }
    }
}

extension [IntakeEntry] {
    /// Gives the batch that was told last its promise.
    fileprivate mutating func promise(at promisedAt: Timestamp) throws(StoreError) {
        guard case .batch(let queued, let isEffect)? = popLast() else { throw IntakeReader.damage }
        let promised = QueuedBatch(
            batch: queued.batch.promised(at: promisedAt), user: queued.user, state: queued.state,
            writer: queued.writer)
        append(.batch(promised, isEffect: isEffect))
    }

    /// Gives the effect that was told last the creation of its document.
    fileprivate mutating func create(at createdAt: Timestamp) throws(StoreError) {
        guard case .overlay(let overlay, let user)? = popLast() else { throw IntakeReader.damage }
        let created = Overlay(
            largestBatchID: overlay.largestBatchID, createdAt: createdAt, mutation: overlay.mutation
        )
        append(.overlay(created, user))
    }
}

/// What entries consist of.
extension IntakeReader {
    fileprivate mutating func key() throws(StoreError) -> DocumentKey {
        guard let text = try text() else { throw Self.damage }
        do {
            return try DocumentKey(parsing: text)
        } catch {
            throw Self.damage
        }
    }

    fileprivate mutating func keys() throws(StoreError) -> [DocumentKey] {
        var keys: [DocumentKey] = []
        for _ in 0..<(try count()) { keys.append(try key()) }
        return keys
    }

    fileprivate mutating func promisedTime() throws(StoreError) -> Timestamp {
        guard let time = Timestamp(storedPromise: try number()) else { throw Self.damage }
        return time
    }

    fileprivate mutating func promise() throws(StoreError) -> IntakeEntry {
        let promisedAt = try promisedTime()
        let (id, notedAt) = (BatchID(try number()), try time())
        let outcome = try PromiseBytes.outcome(from: try optionalData())
        return .promise(
            SettledPromise(promisedAt: promisedAt, batch: id, outcome: outcome), notedAt: notedAt)
    }

    fileprivate mutating func terms() throws(StoreError) -> IntakeEntry {
        let (id, expires) = (BatchID(try number()), try number() != 0)
        let (expiry, only) = (try number(), try text())
        return .terms(try SendingTerms(storedExpiry: expires ? expiry : nil, only: only), id)
    }

    fileprivate mutating func targetID() throws(StoreError) -> TargetID {
        TargetID(Int32(truncatingIfNeeded: try number()))
    }

    fileprivate mutating func batch(_ codec: FirestoreCodec) throws(StoreError) -> QueuedBatch {
        let head = try head()
        let (bases, mutations) = (try mutations(codec), try mutations(codec))
        let batch = MutationBatch(
            id: head.id, writtenAt: head.writtenAt, baseMutations: bases, mutations: mutations)
        return QueuedBatch(
            batch: batch, user: head.user, state: head.state, writer: head.writer)
    }

    private mutating func mutations(_ codec: FirestoreCodec) throws(StoreError) -> [Mutation] {
        let bytes = try data()
        return try bytes.lend { bytes throws(StoreError) in
            try BatchBytes.mutations(from: bytes, codec)
        }
    }

    fileprivate mutating func mutation(_ codec: FirestoreCodec) throws(StoreError) -> Mutation {
        let bytes = try data()
        return try bytes.lend { bytes throws(StoreError) in
            try BatchBytes.mutation(from: bytes, codec)
        }
    }

    fileprivate mutating func document(_ codec: FirestoreCodec) throws(StoreError) -> IntakeEntry {
        let (key, kind) = (try key(), DocumentKind(rawValue: try number()))
        let hasCommittedMutations = try number() != 0
        let (readAt, version) = (SnapshotVersion(try time()), SnapshotVersion(try time()))
        let (used, content) = (try number(), try optionalData())
        var document: Document
        switch kind {
        case .missing: document = .missing(key, at: version)
        case .unknown: document = .unknown(key, at: version)
        case .found:
            guard let content else { throw Self.damage }
            let reader = DocumentReader(database: codec.database)
            document = try content.lend { content throws(StoreError) in
                try reader.document(key, content: content)
            }
        case .invalid, nil: throw Self.damage
        }
        if hasCommittedMutations { document.markCommittedMutations() }
        document.readAt = readAt
        return .document(document, used)
    }

    fileprivate mutating func target(_ codec: FirestoreCodec) throws(StoreError) -> TargetData {
        let id = try targetID()
        guard let purpose = TargetPurpose(stored: try number()) else { throw Self.damage }
        let sequence = try number()
        let (version, limboFree) = (SnapshotVersion(try time()), SnapshotVersion(try time()))
        let token = try optionalData().flatMap { ResumeToken($0) }
        let bytes = try data()
        let target: Target
        do throws(CodecError) {
            target = try codec.target(fromBytes: bytes)
        } catch {
            throw Self.damage
        }
        return TargetData(
            id: id, target: target, purpose: purpose, sequenceNumber: sequence,
            snapshotVersion: version, limboFreeVersion: limboFree, resumeToken: token)
    }

    fileprivate mutating func deadLetter(_ codec: FirestoreCodec) throws(StoreError)
        -> DeadLetter
    {
        let batch = try batch(codec)
        let refusal = try refusal()
        return DeadLetter(
            batch: batch, error: refusal.error, rejectedAt: refusal.at,
            mayHaveBeenApplied: refusal.mayHaveBeenApplied, wasTold: refusal.wasTold)
    }

    fileprivate mutating func globals() throws(StoreError) -> StoreGlobals {
        var globals = StoreGlobals()
        globals.highestTargetID = try targetID()
        globals.sequenceNumber = try number()
        globals.lastRemoteVersion = SnapshotVersion(try time())
        globals.lastBatchID = BatchID(try number())
        globals.createsIndexes = try number() != 0
        return globals
    }
}
