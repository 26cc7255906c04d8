import HearthEngine
import HearthFirestore
import HearthModel

@testable import HearthSQLite
@testable import HearthStore

/// Groups by chance, as programs and a backend cause them, for stores that must end up alike.
struct IntakeActs {
    typealias Act = (SQLiteStore) throws -> Void

    /// What tells whether two stores have the same.
    struct State: Equatable {
        var batches: [BatchID] = []
        var queued: [QueuedBatch] = []
        var overlays: [DocumentKey: Overlay] = [:]
        var documents: [DocumentKey: Document] = [:]
        var records: [WriteRecord<WriteOutcome>?] = []
        var globals = StoreGlobals()
        var load = QueueLoad()
        var loadOfAuthor = QueueLoad()
        var letters: [DeadLetter?] = []
        var keys: Set<DocumentKey> = []
        var target: TargetData?
        var terms: [BatchID: SendingTerms] = [:]

        /// The same without what the twelfth step brought.
        var withoutPromises: State {
            var state = self
            state.queued = queued.map(\.withoutPromise)
            state.overlays = overlays.mapValues(\.withoutPromise)
            state.terms = [:]
            state.globals.lastPromisedAt = StoreGlobals().lastPromisedAt
            return state
        }
    }

    static let client = ClientID(high: 7, low: 8)
    private static let user = UserID.unauthenticated
    private static let names = (0..<8).map { "a/\($0)" }

    private var state: UInt64
    private var last: Int64 = 0
    private var queued: [Int64] = []

    init(seed: UInt64) {
        state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    }

    private mutating func chance(_ bound: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state % UInt64(bound))
    }

    /// Accepts a write as an engine does: batch, effect, record and counters.
    ///
    /// - Parameter first: The first write whose answer the client lacks; if `nil`, it lacks two.
    static func accept(
        _ number: Int64, in store: SQLiteStore, state: BatchState = .queued,
        unanswered first: Int64? = nil
    ) throws {
        let name = names[Int(number) % names.count]
        let mutation = set(name, ["n": .integer(number)])
        let promisedAt = Timestamp(promising: 5_000 + number)
        let accepted = QueuedBatch(
            batch: batch(number, mutation).batch.promised(at: promisedAt), user: user,
            writer: author)
        try store.transaction { transaction throws(StoreError) in
            var globals = try transaction.globals()
            globals.lastBatchID = BatchID(number)
            globals.lastPromisedAt = promisedAt
            globals.sequenceNumber += 1
            try transaction.setGlobals(globals)
            let identity = WriteIdentity(uid: 1_000, client: client, sequence: UInt64(number))
            if number % 4 == 0 {
                try transaction.removeRecords(
                    of: client, uid: 1_000, below: UInt64(first ?? number - 2))
            }
            // Mostly what was written, at times more, at times nothing.
            let effect =
                number % 3 == 1 ? set(name, ["n": .integer(number), "m": .null]) : mutation
            let overlay = Overlay(
                largestBatchID: BatchID(number), promisedAt: promisedAt, mutation: effect)
            try transaction.append(accepted, effects: number % 7 == 0 ? [] : [overlay])
            if number % 5 < 2 {
                try transaction.setTerms(
                    SendingTerms(
                        expiresAt: number % 5 == 0 ? Timestamp(microseconds: 7 * number) : nil,
                        isOnlineOnly: number % 5 == 1), of: BatchID(number))
            }
            try transaction.setRecord(
                WriteRecord(batch: BatchID(number), outcome: .pending), of: identity)
            switch state {
            case .queued: break
            case .held: try transaction.setHeld(true, BatchID(number), of: user)
            case .sentUnanswered: try transaction.noteSent(through: BatchID(number), of: user)
            }
        }
    }

    /// The next group.
    mutating func next() -> Act {
        switch chance(20) {
        case 0, 1: if !queued.isEmpty { return acknowledgeFirst() }
        case 2: if !queued.isEmpty { return rejectFirst() }
        case 3, 4: return remoteEvent()
        case 5:
            let gone = key(Self.names[chance(Self.names.count)])
            return { store in
                try store.transaction { transaction throws(StoreError) in
                    try transaction.removeRemoteDocument(gone)
                    try transaction.removeDeadLetter(BatchID(2))
                }
            }
        case 6:
            return { store in
                guard let index = FieldIndex("a", [.init(FieldPath(["n"]))]) else { return }
                try store.transaction { transaction throws(StoreError) in
                    _ = try transaction.addIndex(index, isAutomatic: false)
                    _ = try transaction.backfillIndexes(countMax: 100)
                }
            }
        case 7:
            return { store in _ = try store.readers.read { $0 }.version }
        case 8, 9: return maintenance()
        case 10: return failure()
        default: break
        }
        last += 1
        queued.append(last)
        let number = last
        let state: BatchState = chance(3) == 0 ? .sentUnanswered : .queued
        let first = queued[0]
        return { store in
            try Self.accept(number, in: store, state: state, unanswered: first)
        }
    }

    /// The backend tells of documents of a target, as one small event.
    private mutating func remoteEvent() -> Act {
        let moment = Int64(chance(1_000) + 1)
        var documents: [DocumentKey: Document] = [:]
        for _ in 0...chance(3) {
            let name = Self.names[chance(Self.names.count)]
            let text = String(repeating: "x", count: chance(4) == 0 ? 6_000 : 20)
            let kinds = [
                found(name, ["n": .integer(moment), "t": .string(text)], at: moment),
                missing(name, at: moment), unknown(name, at: moment),
            ]
            documents[key(name)] = kinds[max(0, chance(5) - 2)]
        }
        let (present, absent) = (
            documents.values.filter(\.isFound).map(\.key).sorted(),
            documents.values.filter { !$0.isFound }.map(\.key).sorted()
        )
        return { store in
            try store.transaction { transaction throws(StoreError) in
                var globals = try transaction.globals()
                globals.sequenceNumber += 1
                globals.lastRemoteVersion = version(moment)
                for document in documents.values.sorted(by: { $0.key < $1.key }) {
                    try transaction.setRemoteDocument(document)
                }
                try transaction.addKeys(present, to: TargetID(2), at: globals.sequenceNumber)
                try transaction.removeKeys(absent, from: TargetID(2), at: globals.sequenceNumber)
                try transaction.setTargetData(
                    TargetData(
                        id: TargetID(2), target: Self.target,
                        sequenceNumber: globals.sequenceNumber, snapshotVersion: version(moment),
                        resumeToken: ResumeToken(Array("\(moment)".utf8))))
                try transaction.setGlobals(globals)
            }
        }
    }

    /// What the store does when nobody waits: a slice of collecting, or of filling an index.
    private mutating func maintenance() -> Act {
        let (bound, limit, step) = (Int64(chance(30)), chance(4) + 1, chance(4))
        return { store in
            try store.transaction { transaction throws(StoreError) in
                switch step {
                case 0:
                    _ = try transaction.removeTargets(usedUpTo: bound, except: [], limit: limit)
                case 1: _ = try transaction.releaseDroppedKeys(limit: limit)
                case 2:
                    var place = CollectionPlace()
                    let pinned = key(Self.names[limit])
                    _ = try transaction.removeOrphans(
                        usedUpTo: bound, from: &place, limit: limit, isPinned: { $0 == pinned })
                default:
                    for index in try transaction.indexes() {
                        try transaction.removeIndex(index.id)
                    }
                    _ = try transaction.backfillIndexes(countMax: limit)
                }
            }
        }
    }

    /// A group that is undone, with all that waits: that is done again from the log.
    private mutating func failure() -> Act {
        let gone = key(Self.names[chance(Self.names.count)])
        return { store in
            try store.begin()
            _ = try? store.turn { transaction throws(StoreError) in
                try transaction.removeRemoteDocument(gone)
                throw StoreError.io("planted")
            }
            store.rollback()
        }
    }

    private static let target = Target(path: path("a"))

    private mutating func rejectFirst() -> Act {
        let number = queued.removeFirst()
        return { store in
            try store.transaction { transaction throws(StoreError) in
                guard let rejected = try transaction.batch(BatchID(number), of: Self.user) else {
                    return
                }
                let refusal = HearthError(code: .permissionDenied, message: "No.")
                let name = rejected.batch.keys
                try transaction.removeBatch(BatchID(number), of: Self.user)
                try transaction.removeOverlays(name, of: Self.user)
                try transaction.touch(name, at: number)
                try transaction.appendDeadLetter(
                    DeadLetter(
                        batch: rejected, error: refusal,
                        rejectedAt: Timestamp(seconds: number, nanoseconds: 5),
                        mayHaveBeenApplied: number % 2 == 0))
                let write = WriteIdentity(
                    uid: 1_000, client: Self.client, sequence: UInt64(number))
                try transaction.setRecord(
                    WriteRecord(
                        batch: BatchID(number),
                        outcome: .rejected(refusal, mayHaveBeenApplied: number % 2 == 0)),
                    of: write)
            }
        }
    }

    private mutating func acknowledgeFirst() -> Act {
        let number = queued.removeFirst()
        return { store in
            try store.transaction { transaction throws(StoreError) in
                let name = key(Self.names[Int(number) % Self.names.count])
                try transaction.removeBatch(BatchID(number), of: Self.user)
                try transaction.touch([name], at: number)
                var document = found(name.description, ["n": .integer(number)], at: number)
                document.markCommittedMutations()
                try transaction.setRemoteDocument(document)
                try transaction.setRecord(
                    WriteRecord(batch: BatchID(number), outcome: .committed(at: version(number))),
                    of: WriteIdentity(
                        uid: 1_000, client: Self.client, sequence: UInt64(number)))
            }
        }
    }

    /// All that can be asked of a store.
    static func state(of store: SQLiteStore) throws -> State {
        try store.transaction { transaction throws(StoreError) in
            var state = State()
            var place = BatchID.none
            while let next = try transaction.nextBatch(after: place, of: user) {
                state.batches.append(next.batch.id)
                state.queued.append(next)
                place = next.batch.id
            }
            let keys = names.map { key($0) }
            state.overlays = try transaction.overlays(keys, of: user)
            state.documents = try transaction.remoteDocuments(keys)
            for number in UInt64(1)...60 {
                state.records.append(
                    try transaction.record(
                        of: WriteIdentity(uid: 1_000, client: client, sequence: number)))
            }
            state.globals = try transaction.globals()
            state.globals.daemon = ""  // Every store has a name of its own.
            state.load = try transaction.queueLoad(of: nil)
            state.loadOfAuthor = try transaction.queueLoad(of: author.uid)
            for number in Int64(1)...60 {
                state.letters.append(try transaction.deadLetter(BatchID(number)))
            }
            state.keys = Set(try transaction.keys(of: TargetID(2)))
            state.target = try transaction.targetData(for: target)
            state.terms = try transaction.terms()
            return state
        }
    }

    /// Every row of a store's file, by table, but for its version and the salt of its log. What waits is
    /// committed first.
    static func rows<Content>(of store: GroupStore<Content>) throws -> [String: [String]] {
        _ = try store.readers.read { $0 }.version
        let connection = try Connection(path: store.configuration.path, isReadOnly: true)
        let names = try connection.text(
            "SELECT group_concat(name) FROM sqlite_schema WHERE type = 'table'")
        var rows: [String: [String]] = [:]
        for name in (names ?? "").split(separator: ",") {
            let columns = try connection.text(
                """
                SELECT group_concat('quote(' || name || ')', ' || '','' || ')
                FROM pragma_table_info('\(name)')
                WHERE name NOT IN ('intake_salt', 'daemon') AND (name <> 'version' OR '\(name)' <> 'store')
                """)
            let lines = try connection.text(
                """
                SELECT group_concat(line, char(10)) FROM
                    (SELECT \(columns ?? "''") AS line FROM \(name))
                """)
            rows[String(name)] = (lines ?? "").split(separator: "\n").map(String.init).sorted()
        }
        return rows
    }
}
