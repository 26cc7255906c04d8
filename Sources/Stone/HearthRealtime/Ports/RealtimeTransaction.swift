package import HearthEngine
package import HearthModel

/// What an engine may ask of a disk, inside one transaction: all of it happens, or none.
///
/// Methods are synchronous, so reads and writes interleave. Every method throws `StoreError`, and only
/// when the disk fails or a row is damaged; the transaction is then void, whatever the caller does.
package protocol RealtimeTransaction: AnyObject {
    /// Names the step that follows, for the error if it fails. Stores that inject failures throw.
    func enter(_ step: RealtimeStep) throws(StoreError)

    // MARK: Globals

    /// Forgets all but the counters and the forgotten writes of clients.
    ///
    /// The counters stay so that no number is used twice.
    func removeAll() throws(StoreError)
    /// The single row of counters. Fresh in an empty store.
    func globals() throws(StoreError) -> RealtimeGlobals
    /// Replaces the counters.
    func setGlobals(_ globals: RealtimeGlobals) throws(StoreError)

    // MARK: The server's tree, as far as it is cached

    /// The cached node at a place with all below; empty for none. O(size of the node).
    func serverNode(at path: RealtimePath) throws(StoreError) -> Node
    /// The cached children of a place by their keys, as one node without a priority.
    ///
    /// O(size of the children).
    func serverNode(at path: RealtimePath, children keys: [ChildKey]) throws(StoreError) -> Node
    /// The first cached children of a node that lies in many parts on disk, in the order of keys.
    ///
    /// - Parameters:
    ///   - path: The place of the node.
    ///   - partCount: How many parts are read. Of a child that goes over them nothing is told.
    ///   - countMin: The most parts of a node that is read as a whole.
    /// - Returns: `nil` if the node is in no more parts than `countMin`.
    /// - Complexity: O(log n + partCount), and O(countMin) to count the parts.
    func serverBeginning(
        at path: RealtimePath, partCount: Int, ifMoreThan countMin: Int
    ) throws(StoreError) -> Node?
    /// Replaces the cached node at a place with all below, or a priority; an empty node removes.
    ///
    /// As in the tree of the service, a child below a leaf replaces the leaf, and a place without
    /// children is gone. O(size of the old node and of the new node).
    func setServerNode(_ node: Node, at place: WritePath) throws(StoreError)
    /// Forgets the cached node at a place, except for what lies at some places below.
    ///
    /// The priorities of the places between may stay or go. O(size of the removed data + kept
    /// places).
    func pruneServerNode(at path: RealtimePath, except kept: [RealtimePath]) throws(StoreError)
    /// The same, but no more than there is room for.
    ///
    /// - Parameters:
    ///   - path: The place.
    ///   - kept: The same places until nothing is left, or more.
    ///   - room: Must not be used up. What was pruned is taken from the room.
    /// - Returns: Whether nothing is left. If not, the next call goes on.
    /// - Complexity: O(room + kept places).
    func pruneServerNode(
        at path: RealtimePath, except kept: [RealtimePath], within room: inout PruneRoom
    ) throws(StoreError) -> Bool
    /// Bytes that the cached tree takes. O(1).
    func serverByteCount() throws(StoreError) -> Int

    // MARK: Tracked queries

    /// What is remembered of a query. O(log n).
    func trackedQuery(of target: ListenTarget) throws(StoreError) -> TrackedQuery?
    /// The queries at a place and below. O(results).
    func trackedQueries(atOrBelow path: RealtimePath) throws(StoreError) -> [TrackedQuery]
    /// The queries of a place and of the places above, the root's first. O(depth + results).
    func trackedQueries(atOrAbove path: RealtimePath) throws(StoreError) -> [TrackedQuery]
    /// Remembers a query, by its number.
    func setTrackedQuery(_ query: TrackedQuery) throws(StoreError)
    /// Forgets a query, its hash and its keys. What is cached of its result stays.
    func removeTrackedQuery(_ id: TrackedQueryID) throws(StoreError)
    /// The hash of the whole node that a query asks for, as it is cached; `nil` if none is known.
    func hash(of query: TrackedQueryID) throws(StoreError) -> ListenHash?
    /// Whether `hash(of:)` knows a hash. O(log n).
    func isHashed(_ query: TrackedQuery) throws(StoreError) -> Bool
    /// Notes the hash of the whole node that a query asks for, until something there changes.
    func setHash(_ hash: ListenHash, of query: TrackedQuery) throws(StoreError)
    /// Notes for all queries that nobody listens. Called once, at the start.
    func deactivateTrackedQueries() throws(StoreError)
    /// How many queries nobody listens to. O(1), but the first time O(queries).
    func inactiveQueryCount() throws(StoreError) -> Int
    /// The queries that nobody listens to, the least lately used first, at most `count`.
    func leastUsedQueries(count: Int) throws(StoreError) -> [TrackedQuery]
    /// The children that the server named for a filtered query, in the order of keys.
    func keys(of query: TrackedQueryID) throws(StoreError) -> [ChildKey]
    /// Notes the children `adding` that the server named for a filtered query, and the children
    /// `removing` that left the query.
    func changeKeys(
        of query: TrackedQueryID, adding: some Collection<ChildKey>,
        removing: some Collection<ChildKey>) throws(StoreError)
    /// Notes that no child belongs to a filtered query.
    func removeKeys(of query: TrackedQueryID) throws(StoreError)

    // MARK: Queue, one for each user

    /// Puts a write at the end of its user's queue.
    func append(_ write: QueuedWrite) throws(StoreError)
    /// One write. O(log n).
    func write(_ id: BatchID, of user: UserID) throws(StoreError) -> QueuedWrite?
    /// The first write behind `id`, held or not. O(log n).
    func nextWrite(after id: BatchID, of user: UserID) throws(StoreError) -> QueuedWrite?
    /// The first write behind `id`; `nil` also if that write is held, whose change is not read then.
    /// O(log n).
    func nextWriteToSend(after id: BatchID, of user: UserID) throws(StoreError) -> QueuedWrite?
    /// Whether the first write behind `id` is there and not held. O(log n), whatever the write's size.
    func nextMayBeSent(after id: BatchID, of user: UserID) throws(StoreError) -> Bool
    /// The number of the last write in front of `id`, held or not. O(log n).
    func previousWriteID(before id: BatchID, of user: UserID) throws(StoreError) -> BatchID?
    /// Whose queue a write is in; `nil` if it is in none. O(log n).
    func user(of write: BatchID) throws(StoreError) -> UserID?
    /// The last write of the queue. O(log n).
    func highestWriteID(of user: UserID) throws(StoreError) -> BatchID?
    /// Holds the write `id` of a user's queue if the write was not sent, or with `isHeld` false
    /// lets go of the write. An unknown number changes nothing.
    func setHeld(_ isHeld: Bool, _ id: BatchID, of user: UserID) throws(StoreError)
    /// Notes a user's writes up to `write` as sent, except held writes.
    func noteSent(through write: BatchID, of user: UserID) throws(StoreError)
    /// Takes a write out of its queue. If the write left the queue before, nothing happens.
    func removeWrite(_ id: BatchID, of user: UserID) throws(StoreError)
    /// Puts `write` in the place of the write with the same number.
    func replaceWrite(_ write: QueuedWrite) throws(StoreError)
    /// How much of all queues a Unix user pays for; `nil` for everybody.
    ///
    /// O(1), but the first time for the owners O(queue).
    ///
    /// - Parameter owners: Who pays for whom.
    func queueLoad(of payer: UInt32?, by owners: SubordinateRanges) throws(StoreError) -> QueueLoad

    // MARK: Resends and dead letters

    /// What became of a write that was seen before. O(log n).
    func record(of write: WriteIdentity) throws(StoreError) -> WriteRecord<RealtimeOutcome>?
    /// The identity of the write with a number; `nil` if no client named the write.
    func identity(of write: BatchID) throws(StoreError) -> WriteIdentity?
    /// Notes a write, or what became of it.
    func setRecord(
        _ record: WriteRecord<RealtimeOutcome>, of write: WriteIdentity) throws(StoreError)
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
    /// The writes of a client that wait, in the order of acceptance. O(results log n).
    func pendingWrites(of client: ClientID, uid: UInt32) throws(StoreError) -> [BatchID]
    /// Keeps a rejected write among the dead letters.
    func appendDeadLetter(_ letter: RealtimeDeadLetter) throws(StoreError)
    /// A rejected write by its number. O(log n).
    func deadLetter(_ write: BatchID) throws(StoreError) -> RealtimeDeadLetter?
    /// Forgets a rejected write, because it was dropped or queued anew.
    func removeDeadLetter(_ write: BatchID) throws(StoreError)
}

/// The steps of an engine that a store can fail in.
package enum RealtimeStep: String, Hashable, Sendable, CaseIterable {
    case start = "Start"
    case listen = "Listen"
    case unlisten = "Unlisten"
    case writeLocally = "Write locally"
    case settle = "Settle a write"
    case steerQueue = "Steer the queue"
    case applyPush = "Apply a push"
    case changeUser = "Change the user"
    case fillPipeline = "Fill the pipeline"
    case collectGarbage = "Collect garbage"
}

/// A store of one Realtime Database, as the host of an engine drives it.
package protocol RealtimeStore: EngineStore
where Transaction == any RealtimeTransaction, Changes == Void {}

extension RealtimeStore {
    /// No memory of answers is kept beside the engine.
    package var changes: Void { () }
}

extension RealtimeTransaction {
    /// How much of all queues a Unix user has written; `nil` for everybody.
    package func queueLoad(of uid: UInt32?) throws(StoreError) -> QueueLoad {
        try queueLoad(of: uid, by: SubordinateRanges())
    }
}
