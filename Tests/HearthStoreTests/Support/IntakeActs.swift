import HearthFirestore
import HearthModel
import HearthStore

/// Groups by chance, as programs and a backend cause them, for stores that must end up alike.
struct IntakeActs {
    typealias Act = (SQLiteStore) throws -> Void

    /// What tells whether two stores have the same.
    struct State: Equatable {
        var batches: [BatchID] = []
        var queued: [QueuedBatch] = []
        var overlays: [DocumentKey: Overlay] = [:]
        var documents: [DocumentKey: Document] = [:]
        var records: [WriteRecord?] = []
        var globals = StoreGlobals()
        var load = QueueLoad()
        var loadOfAuthor = QueueLoad()
        var found: [[String]] = []
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
    static func accept(_ number: Int64, in store: SQLiteStore, state: BatchState = .queued)
        throws
    {
        let name = names[Int(number) % names.count]
        let mutation = set(name, ["n": .integer(number)])
        try store.transaction { transaction throws(StoreError) in
            var globals = try transaction.globals()
            globals.lastBatchID = BatchID(number)
            globals.sequenceNumber += 1
            try transaction.setGlobals(globals)
            let identity = WriteIdentity(uid: 1_000, client: client, sequence: UInt64(number))
            if number % 4 == 0 {
                try transaction.removeRecords(of: client, uid: 1_000, below: UInt64(number - 2))
            }
            try transaction.append(batch(number, mutation))
            try transaction.setOverlays(
                [Overlay(largestBatchID: BatchID(number), mutation: mutation)], of: user)
            try transaction.setRecord(
                WriteRecord(batch: BatchID(number), outcome: .pending), of: identity)
            if state != .queued {
                try transaction.setState(state, of: BatchID(number), user: user)
            }
        }
    }

    /// The next group.
    mutating func next() -> Act {
        switch chance(10) {
        case 0 where !queued.isEmpty: return acknowledgeFirst()
        case 1:
            let name = Self.names[chance(Self.names.count)]
            let number = Int64(chance(1_000) + 1)
            return { store in
                try store.transaction { transaction throws(StoreError) in
                    try transaction.setRemoteDocument(
                        found(name, ["n": .integer(number)], at: number))
                }
            }
        case 2:
            return { store in
                guard let index = FieldIndex("a", [.init(FieldPath(["n"]))]) else { return }
                try store.transaction { transaction throws(StoreError) in
                    _ = try transaction.addIndex(index, isAutomatic: false)
                    _ = try transaction.backfillIndexes(countMax: 100)
                }
            }
        case 3:
            return { store in _ = try store.readers.read { $0 }.version }
        default:
            last += 1
            queued.append(last)
            let number = last
            let state: BatchState = chance(3) == 0 ? .sentUnanswered : .queued
            return { store in try Self.accept(number, in: store, state: state) }
        }
    }

    private mutating func acknowledgeFirst() -> Act {
        let number = queued.removeFirst()
        return { store in
            try store.transaction { transaction throws(StoreError) in
                let name = key(Self.names[Int(number) % Self.names.count])
                try transaction.removeBatch(BatchID(number), writingTo: [name], of: Self.user)
                try transaction.removeOverlays(
                    [name], largestBatch: BatchID(number), of: Self.user)
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
            state.load = try transaction.queueLoad(of: nil)
            state.loadOfAuthor = try transaction.queueLoad(of: author.uid)
            return state
        }
    }
}
