import HashTreeCollections
import HearthEngine
import HearthModel

/// All that a memory store keeps. A copy is free: the large parts are persistent trees.
struct RealtimeMemoryState: Sendable {
    /// One client of one Unix user.
    struct Client: Hashable, Sendable {
        let id: ClientID
        let uid: UInt32
    }

    /// What is remembered of a client's writes.
    struct Memory: Sendable {
        var records: TreeDictionary<UInt64, WriteRecord<RealtimeOutcome>> = [:]
        /// The writes that wait.
        var pending: TreeSet<BatchID> = []
        /// The number below which answered writes were forgotten.
        var forgottenBelow: UInt64 = 0
    }

    var globals = RealtimeGlobals()

    /// The server's tree, as far as it is cached.
    private(set) var server = Node.empty
    private(set) var serverByteCount = 0

    var queries: TreeDictionary<TrackedQueryID, TrackedQuery> = [:]
    var queryIDs = PathTree<TreeDictionary<QueryParameters, TrackedQueryID>>()
    /// The queries that nobody listens to, the least lately used first.
    private(set) var unused = OrderedTree<TrackedQuery>()
    var keys: TreeDictionary<TrackedQueryID, TreeSet<ChildKey>> = [:]
    private(set) var hashes: TreeDictionary<TrackedQueryID, ListenHash> = [:]
    private var hashed = HashedQueries()

    var writes: TreeDictionary<BatchID, QueuedWrite> = [:]
    /// The writes of each user, rising.
    var queues: TreeDictionary<UserID, OrderedTree<BatchID>> = [:]
    /// How much each Unix user has in the queues, and all together.
    private(set) var loads: TreeDictionary<UInt32, QueueLoad> = [:]
    private(set) var wholeLoad = QueueLoad()

    var clients: TreeDictionary<Client, Memory> = [:]
    var identities: TreeDictionary<BatchID, WriteIdentity> = [:]
    var deadLetters: TreeDictionary<BatchID, RealtimeDeadLetter> = [:]

    /// Notes the hash of a query's result.
    mutating func setHash(_ hash: ListenHash, of query: TrackedQuery) {
        hashes[query.id] = hash
        hashed.insert(query.id, at: query.target.path)
    }

    /// Forgets the hashes of all data around a changed place, except at some places and below.
    mutating func forgetHashes(touching path: RealtimePath, except kept: [RealtimePath] = []) {
        for id in hashed.take(touching: path, except: kept) { hashes[id] = nil }
    }

    /// Replaces what the server has at a place.
    mutating func setServer(_ node: Node, at place: WritePath) {
        let before = Self.byteCount(server.node(at: place.path))
        server = server.setting(place, to: node)
        serverByteCount += Self.byteCount(server.node(at: place.path)) - before
    }

    private static func byteCount(_ node: Node) -> Int {
        node.isEmpty ? 0 : NodeSize.estimate(node)
    }

    /// Remembers a query, or with `nil` forgets it.
    mutating func setQuery(_ query: TrackedQuery?, _ id: TrackedQueryID) {
        if let old = queries[id] {
            if !old.isActive { unused.remove(old, by: Self.order) }
            queryIDs[old.target.path]?[old.target.query] = nil
            if queryIDs[old.target.path]?.isEmpty ?? false { queryIDs[old.target.path] = nil }
        }
        queries[id] = query
        guard let query else {
            keys[id] = nil
            hashes[id] = nil
            return
        }
        if !query.isActive { unused.insert(query, by: Self.order) }
        var ids = queryIDs[query.target.path] ?? [:]
        ids[query.target.query] = id
        queryIDs[query.target.path] = ids
    }

    private static func order(_ left: TrackedQuery, _ right: TrackedQuery) -> Int {
        if left.lastUse != right.lastUse { return left.lastUse < right.lastUse ? -1 : 1 }
        return left.id == right.id ? 0 : left.id < right.id ? -1 : 1
    }

    /// Counts a write that comes (1) or goes (-1).
    mutating func load(of write: QueuedWrite, counting count: Int) {
        let byteCount = write.change.byteCount * count
        wholeLoad.batchCount += count
        wholeLoad.byteCount += byteCount
        var load = loads[write.writer.uid] ?? QueueLoad()
        load.batchCount += count
        load.byteCount += byteCount
        loads[write.writer.uid] = load.batchCount == 0 ? nil : load
    }
}
