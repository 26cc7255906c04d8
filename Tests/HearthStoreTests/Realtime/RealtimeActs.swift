import HearthEngine
import HearthModel
import HearthRealtime

@testable import HearthSQLite
@testable import HearthStore

/// Groups by chance, as programs and a server cause them, for stores that must end up alike.
struct RealtimeActs {
    typealias Act = (any RealtimeStore) throws -> Void

    /// What tells whether two stores have the same.
    struct State: Equatable {
        var tree = Node.empty
        var treeByteCount = 0
        var queued: [QueuedWrite] = []
        var records: [WriteRecord<RealtimeOutcome>?] = []
        var pending: [BatchID] = []
        var letters: [RealtimeDeadLetter?] = []
        var queries: [TrackedQuery] = []
        var keys: [ChildKey] = []
        var inactiveCount = 0
        var globals = RealtimeGlobals()
        var load = QueueLoad()
        var loadOfAuthor = QueueLoad()
    }

    static let client = ClientID(high: 7, low: 8)
    static let user = UserID("ann")
    static let filtered = QueryParameters(
        index: .child("name"), start: .init(.string("m")),
        limit: QueryParameters.Limit(3, from: .last))

    private var chance: RealtimeChance
    private var last: Int64 = 0
    private var queued: [Int64] = []
    /// As the engine steers: what is held was not sent, and nothing behind it is sent.
    private var sent: Int64 = 0
    private var held: Set<Int64> = []

    init(seed: UInt64) {
        chance = RealtimeChance(seed: seed)
    }

    static func identity(_ number: Int64) -> WriteIdentity {
        WriteIdentity(uid: author.uid, client: client, sequence: UInt64(number))
    }

    mutating func next() -> Act {
        switch chance.chance(12) {
        case 0...3: return accept()
        case 4 where !queued.isEmpty: return commitFirst()
        case 5 where !queued.isEmpty: return rejectOne()
        case 6 where !queued.isEmpty: return holdOrSend()
        case 7: return track()
        case 8: return dropLetter()
        default: return push()
        }
    }

    /// Accepts a write as an engine does: queue, record and counters.
    static func accept(_ write: QueuedWrite, in store: any RealtimeStore) throws {
        try store.turnAlone { transaction in
            var globals = try transaction.globals()
            globals.lastWriteID = write.id
            try transaction.setGlobals(globals)
            let number = write.id.rawValue
            if number % 4 == 0 {
                try transaction.removeRecords(
                    of: client, uid: author.uid, below: UInt64(number - 2))
            }
            try transaction.append(write)
            try transaction.setRecord(
                WriteRecord(batch: write.id, outcome: .pending), of: identity(number))
        }
    }

    private mutating func accept() -> Act {
        last += 1
        queued.append(last)
        let place = WritePath(chance.path())
        let change: RealtimeChange =
            chance.chance(3) > 0
            ? .set(place, UnresolvedNode(chance.node()))
            : .update(place.path, [.init(at("n"), UnresolvedNode(.increment(.integer(1))))])
        let write = queuedWrite(last, change, user: Self.user)
        return { try Self.accept(write, in: $0) }
    }

    /// The server has the oldest write, and tells what is there now.
    private mutating func commitFirst() -> Act {
        let id = BatchID(queued.removeFirst())
        held.remove(id.rawValue)
        let (place, node) = (WritePath(chance.path()), chance.node())
        return { store in
            try store.turnAlone { transaction in
                try transaction.removeWrite(id, of: Self.user)
                try transaction.setRecord(
                    WriteRecord(batch: id, outcome: .committed), of: Self.identity(id.rawValue))
                try transaction.setServerNode(node, at: place)
            }
        }
    }

    private mutating func rejectOne() -> Act {
        let id = BatchID(queued.remove(at: chance.chance(queued.count)))
        held.remove(id.rawValue)
        let wasSent = chance.chance(2) == 0
        return { store in
            try store.turnAlone { transaction in
                guard let write = try transaction.write(id, of: Self.user) else { return }
                let error = HearthError(code: .permissionDenied, message: "No.")
                try transaction.removeWrite(id, of: Self.user)
                try transaction.appendDeadLetter(
                    RealtimeDeadLetter(
                        write: write, error: error,
                        rejectedAt: Timestamp(seconds: id.rawValue, nanoseconds: 5),
                        mayHaveBeenApplied: wasSent))
                try transaction.setRecord(
                    WriteRecord(
                        batch: id, outcome: .rejected(error, mayHaveBeenApplied: wasSent)),
                    of: Self.identity(id.rawValue))
            }
        }
    }

    private mutating func dropLetter() -> Act {
        let id = BatchID(Int64(chance.chance(Int(last) + 1)))
        return { try $0.turnAlone { try $0.removeDeadLetter(id) } }
    }

    private mutating func holdOrSend() -> Act {
        let number = queued[chance.chance(queued.count)]
        let id = BatchID(number)
        if held.remove(number) != nil {
            return { try $0.turnAlone { try $0.setHeld(false, id, of: Self.user) } }
        }
        if chance.chance(2) == 0, number > sent {
            held.insert(number)
            return { try $0.turnAlone { try $0.setHeld(true, id, of: Self.user) } }
        }
        guard number < held.min() ?? .max else { return { _ in } }
        sent = max(sent, number)
        return { try $0.turnAlone { try $0.noteSent(through: id, of: Self.user) } }
    }

    private mutating func push() -> Act {
        if chance.chance(8) == 0 {
            let path = chance.path(2)
            let kept = (0..<chance.chance(4)).map { _ in chance.path() }
            return { try $0.turnAlone { try $0.pruneServerNode(at: path, except: kept) } }
        }
        let place = WritePath(chance.path(), isPriority: chance.chance(6) == 0)
        let node = place.isPriority ? chance.priority().map { Node($0) } ?? .empty : chance.node()
        return { try $0.turnAlone { try $0.setServerNode(node, at: place) } }
    }

    private mutating func track() -> Act {
        let number = Int64(1 + chance.chance(4))
        let id = TrackedQueryID(number)
        let path = RealtimePath(["q", ChildKey(unchecked: "q\(number)")])
        let query = TrackedQuery(
            id: id, target: ListenTarget(path, number == 1 ? .all : Self.filtered),
            lastUse: Timestamp(seconds: Int64(chance.chance(9)), nanoseconds: 1),
            isComplete: chance.chance(2) == 0, isActive: chance.chance(2) == 0)
        let hash = ListenHash(simple: "hash\(chance.chance(9))", ranges: nil)
        let isHashed = chance.chance(2) == 0
        let (added, removed) = ([chance.key(), chance.key()], [ChildKey(unchecked: "gone")])
        let choice = chance.chance(8)
        return { store in
            try store.turnAlone { transaction in
                switch choice {
                case 0: try transaction.removeTrackedQuery(id)
                case 1: try transaction.deactivateTrackedQueries()
                case 2: try transaction.removeKeys(of: id)
                default:
                    var globals = try transaction.globals()
                    globals.lastQueryID = max(globals.lastQueryID, id)
                    try transaction.setGlobals(globals)
                    try transaction.setTrackedQuery(query)
                    if isHashed { try transaction.setHash(hash, of: query) }
                    try transaction.changeKeys(of: id, adding: added, removing: removed)
                }
            }
        }
    }

    /// All that can be asked of a store.
    static func state(of store: any RealtimeStore) throws -> State {
        try store.turnAlone { transaction in
            var state = State()
            state.tree = try transaction.serverNode(at: .root)
            state.treeByteCount = try transaction.serverByteCount()
            var place = BatchID.none
            while let next = try transaction.nextWrite(after: place, of: user) {
                state.queued.append(next)
                place = next.id
            }
            for number in Int64(1)...60 {
                state.records.append(try transaction.record(of: identity(number)))
                state.letters.append(try transaction.deadLetter(BatchID(number)))
            }
            state.pending = try transaction.pendingWrites(of: client, uid: author.uid)
            state.queries = try transaction.trackedQueries(atOrBelow: .root)
                .sorted { $0.id < $1.id }
            for query in state.queries { state.keys += try transaction.keys(of: query.id) }
            state.inactiveCount = try transaction.inactiveQueryCount()
            state.globals = try transaction.globals()
            state.globals.daemon = ""  // Every store has a name of its own.
            state.load = try transaction.queueLoad(of: nil)
            state.loadOfAuthor = try transaction.queueLoad(of: author.uid)
            return state
        }
    }
}
