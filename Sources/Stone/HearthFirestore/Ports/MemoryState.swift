import HashTreeCollections
import HearthEngine
import HearthModel

/// All that a memory store keeps. A copy is free: the large parts are persistent trees.
struct MemoryState: Sendable {
    /// A batch's place: whose queue it is in.
    struct Place: Hashable, Sendable {
        let user: UserID
        let batch: BatchID
    }

    /// The pending effects of one user, by key and by newest batch.
    struct Overlays: Sendable {
        var byKey: TreeDictionary<DocumentKey, Overlay> = [:]
        var byCollection: TreeDictionary<ResourcePath, TreeSet<DocumentKey>> = [:]
    }

    /// What is remembered of the use of a document.
    struct Use: Sendable {
        var targetCount = 0
        var sequenceNumber: ListenSequenceNumber = 0
    }

    /// A document of no target.
    struct Orphan: Sendable {
        let key: DocumentKey
        let used: ListenSequenceNumber

        static func order(_ left: Self, _ right: Self) -> Int {
            if left.used != right.used { return left.used < right.used ? -1 : 1 }
            return left.key.compare(to: right.key)
        }
    }

    var globals = StoreGlobals()

    var documents: TreeDictionary<DocumentKey, Document> = [:]
    var keysByCollection: TreeDictionary<ResourcePath, TreeSet<DocumentKey>> = [:]
    var collectionsByGroup: TreeDictionary<UTF8Text, TreeSet<ResourcePath>> = [:]
    /// Of documents that are known or belong to a target.
    private(set) var uses: TreeDictionary<DocumentKey, Use> = [:]
    /// Documents of no target, the least used first.
    private(set) var orphans = OrderedTree<Orphan>()
    var documentByteCount = 0
    /// The latest use that was noted; a document that comes without one was used then.
    var latestUse: ListenSequenceNumber = 0

    var batches: TreeDictionary<BatchID, QueuedBatch> = [:]
    /// The batches of each user, rising.
    var queues: TreeDictionary<UserID, OrderedTree<BatchID>> = [:]
    var markerEras: TreeDictionary<UserID, [MarkerEra]> = [:]
    var writes: TreeDictionary<DocumentKey, [Place]> = [:]
    /// How much each Unix user has in the queues, and all together.
    private(set) var loads: TreeDictionary<UInt32, QueueLoad> = [:]
    private(set) var wholeLoad = QueueLoad()
    var overlays: TreeDictionary<UserID, Overlays> = [:]

    var targets: TreeDictionary<TargetID, TargetData> = [:]
    var targetIDs: TreeDictionary<Target, TargetID> = [:]
    var keysByTarget: TreeDictionary<TargetID, TreeSet<DocumentKey>> = [:]

    var bundles: TreeDictionary<UTF8Text, BundleRecord> = [:]
    var begunBundles: TreeDictionary<UTF8Text, BegunBundle> = [:]
    var namedQueries: TreeDictionary<UTF8Text, NamedQuery> = [:]

    var records: TreeDictionary<WriteIdentity, WriteRecord<WriteOutcome>> = [:]
    var identities: TreeDictionary<BatchID, WriteIdentity> = [:]
    var deadLetters: TreeDictionary<BatchID, DeadLetter> = [:]
    /// What writers said of the sending of their batches.
    var terms: TreeDictionary<BatchID, SendingTerms> = [:]
    /// By the promises' microseconds.
    var promises: TreeDictionary<Int64, SettledPromise> = [:]

    var ledger: TreeDictionary<LedgerRow.Name, LedgerSums> = [:]
    var history = MemoryHistory()

    /// Sets what is remembered of the use of a document; `nil` for nothing.
    mutating func setUse(_ use: Use?, of key: DocumentKey) {
        if let old = uses[key], old.targetCount == 0 {
            orphans.remove(Orphan(key: key, used: old.sequenceNumber), by: Orphan.order)
        }
        uses[key] = use
        if let use, use.targetCount == 0 {
            orphans.insert(Orphan(key: key, used: use.sequenceNumber), by: Orphan.order)
        }
    }

    /// How many documents of no target were last used at or before a sequence number. O(log n).
    func orphanCount(usedUpTo bound: ListenSequenceNumber) -> Int {
        var (low, high) = (0, orphans.count)
        while low < high {
            let middle = (low + high) / 2
            if orphans[middle].used <= bound { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Counts a batch that comes (1) or goes (-1).
    mutating func load(of batch: QueuedBatch, counting count: Int) {
        let byteCount = batch.byteCount * count
        wholeLoad.batchCount += count
        wholeLoad.byteCount += byteCount
        var load = loads[batch.writer.uid] ?? QueueLoad()
        load.batchCount += count
        load.byteCount += byteCount
        loads[batch.writer.uid] = load.batchCount == 0 ? nil : load
    }

    /// Notes that a collection holds something.
    mutating func addCollection(_ collection: ResourcePath) {
        collectionsByGroup[UTF8Text(collection.last), default: []].insert(collection)
    }

    /// Forgets the name of a collection that holds neither documents nor pending effects.
    mutating func pruneCollection(_ collection: ResourcePath) {
        guard keysByCollection[collection] == nil,
            overlays.values.allSatisfy({ $0.byCollection[collection] == nil })
        else { return }
        let group = UTF8Text(collection.last)
        collectionsByGroup[group]?.remove(collection)
        if collectionsByGroup[group]?.isEmpty ?? false { collectionsByGroup[group] = nil }
    }

    /// The collections where a query looks.
    func collections(of query: Query) -> [ResourcePath] {
        guard let group = query.collectionGroup else { return [query.path] }
        return (collectionsByGroup[UTF8Text(group)] ?? []).filter { query.path.isPrefix(of: $0) }
    }
}

extension TreeDictionary where Value == TreeSet<DocumentKey> {
    /// Takes a key out of one of the sets, and the set out of the dictionary if that empties it.
    mutating func remove(_ key: DocumentKey, from name: Key) {
        guard var keys = self[name] else { return }
        keys.remove(key)
        self[name] = keys.isEmpty ? nil : keys
    }
}
