package import HearthEngine
import HearthModel
import HearthProtocol
import HearthRealtime
import HearthSQLite

/// One step of a group, as the intake log tells it (`IntakeWriter` has the bytes).
enum RealtimeIntakeEntry: Hashable {
    /// Something of queues and records.
    case queue(QueueIntakeEntry<RealtimeOutcome>)
    /// A write came to the end of a queue.
    case write(QueuedWrite)
    /// A write left the queue of a user.
    case writeLeft(BatchID, UserID)
    /// A write was rejected.
    case deadLetter(RealtimeDeadLetter)
    /// The counters became these. The store's name is not told.
    case globals(RealtimeGlobals)
    /// A node of the server's tree was replaced, or a priority.
    case serverNode(Node, WritePath)
    /// A place of the server's tree was forgotten, except for places below.
    case serverPruned(RealtimePath, except: [RealtimePath])
    /// A query is remembered.
    case trackedQuery(TrackedQuery)
    /// A query was forgotten.
    case trackedQueryRemoved(TrackedQueryID)
    /// Nobody listens to any query.
    case trackedQueriesDeactivated
    /// Children came to a filtered query, or left it.
    case trackedKeys(TrackedQueryID, added: [ChildKey], removed: [ChildKey])
    /// A filtered query has no children.
    case trackedKeysRemoved(TrackedQueryID)

    /// Reads the entries of one record.
    ///
    /// - Throws: `StoreError.damaged` for bytes that no group leaves.
    static func entries(from bytes: [UInt8]) throws(StoreError) -> [RealtimeIntakeEntry] {
        var reader = IntakeReader(bytes)
        var entries: [RealtimeIntakeEntry] = []
        while !reader.isAtEnd { entries.append(try entry(from: &reader)) }
        return entries
    }

    private static func entry(from reader: inout IntakeReader) throws(StoreError)
        -> RealtimeIntakeEntry
    {
        let number = try reader.kind()
        if let entry = try QueueIntakeEntry<RealtimeOutcome>(number, from: &reader) {
            return .queue(entry)
        }
        guard let kind = RealtimeIntakeKind(rawValue: number) else { throw IntakeReader.damage }
        switch kind {
        case .write: return .write(try reader.write())
        case .writeLeft:
            let id = BatchID(try reader.number())
            return .writeLeft(id, try reader.user())
        case .deadLetter: return .deadLetter(try reader.deadLetter())
        case .globals:
            var globals = RealtimeGlobals()
            globals.lastWriteID = BatchID(try reader.number())
            globals.lastQueryID = TrackedQueryID(try reader.number())
            return .globals(globals)
        case .serverNode:
            let place = try reader.place()
            return .serverNode(try reader.node(of: place), place)
        case .serverPruned:
            let path = try reader.path()
            var kept: [RealtimePath] = []
            for _ in 0..<(try reader.count()) { kept.append(try reader.path()) }
            return .serverPruned(path, except: kept)
        case .trackedQuery: return .trackedQuery(try reader.trackedQuery())
        case .trackedQueryRemoved:
            return .trackedQueryRemoved(TrackedQueryID(try reader.number()))
        case .trackedQueriesDeactivated: return .trackedQueriesDeactivated
        case .trackedKeys:
            let id = TrackedQueryID(try reader.number())
            let added = try reader.keys()
            return .trackedKeys(id, added: added, removed: try reader.keys())
        case .trackedKeysRemoved:
            return .trackedKeysRemoved(TrackedQueryID(try reader.number()))
        }
    }
}

/// What entries consist of.
extension IntakeReader {
    fileprivate mutating func write() throws(StoreError) -> QueuedWrite {
        let head = try head()
        return QueuedWrite(head, try ChangeBytes.change(from: try data()))
    }

    fileprivate mutating func deadLetter() throws(StoreError) -> RealtimeDeadLetter {
        let write: QueuedWrite = try write()
        let refusal = try refusal()
        return RealtimeDeadLetter(
            write: write, error: refusal.error, rejectedAt: refusal.at,
            mayHaveBeenApplied: refusal.mayHaveBeenApplied)
    }

    fileprivate mutating func place() throws(StoreError) -> WritePath {
        guard let place = try text().flatMap({ WritePath($0) }) else { throw Self.damage }
        return place
    }

    fileprivate mutating func path() throws(StoreError) -> RealtimePath {
        guard let path = try text().flatMap({ RealtimePath($0) }) else { throw Self.damage }
        return path
    }

    /// A node; if the place is a priority, a node that can be a priority.
    fileprivate mutating func node(of place: WritePath) throws(StoreError) -> Node {
        let bytes = try data()
        guard let node = try? NodeBytes.read(bytes) else { throw Self.damage }
        guard !place.isPriority || node.canBePriority else { throw Self.damage }
        return node
    }

    fileprivate mutating func trackedQuery() throws(StoreError) -> TrackedQuery {
        let id = TrackedQueryID(try number())
        let path = try path()
        let query = try QueryText.query(from: try text() ?? "")
        let lastUse = try time()
        let (isComplete, isActive) = (try number() != 0, try number() != 0)
        _ = try text()  // Once meant for the hash, which the table alone has.
        return TrackedQuery(
            id: id, target: ListenTarget(path, query), lastUse: lastUse, isComplete: isComplete,
            isActive: isActive)
    }

    fileprivate mutating func keys() throws(StoreError) -> [ChildKey] {
        var keys: [ChildKey] = []
        for _ in 0..<(try count()) {
            guard let key = try text().flatMap({ ChildKey($0) }) else { throw Self.damage }
            keys.append(key)
        }
        return keys
    }
}

/// How a store applies the entries.
extension RealtimeSQLiteTransaction {
    package func tellCounters() throws(StoreError) {
        memory.group.intake.globals(try globals())
    }

    package func apply(_ bytes: [UInt8]) throws(StoreError) {
        for entry in try RealtimeIntakeEntry.entries(from: bytes) { try apply(entry) }
    }

    private func apply(_ entry: RealtimeIntakeEntry) throws(StoreError) {
        switch entry {
        case .queue(let entry): try apply(entry)
        case .write(let write):
            guard try highestWriteID(of: write.user) ?? .none < write.id,
                write.id.rawValue < BatchRow.numberMax
            else { throw .damaged("write \(write.id) is behind those that came after it") }
            try append(write)
        case .writeLeft(let id, let user): try removeWrite(id, of: user)
        case .deadLetter(let letter): try appendDeadLetter(letter)
        case .globals(let globals): try setGlobals(globals)
        case .serverNode(let node, let place): try setServerNode(node, at: place)
        case .serverPruned(let path, let kept): try pruneServerNode(at: path, except: kept)
        case .trackedQuery(let query): try setTrackedQuery(query)
        case .trackedQueryRemoved(let id): try removeTrackedQuery(id)
        case .trackedQueriesDeactivated: try deactivateTrackedQueries()
        case .trackedKeys(let id, let added, let removed):
            try changeKeys(of: id, adding: added, removing: removed)
        case .trackedKeysRemoved(let id): try removeKeys(of: id)
        }
    }
}
