import HashTreeCollections
import HearthModel

/// One watch stream: its targets, and how far it has heard.
struct WatchSession: Sendable {
    /// What a target of the stream stands for.
    enum Target: Sendable {
        case query(WatchedQueryID)
        case documents([DocumentKey])
    }

    private(set) var targets: TreeDictionary<WireTargetID, Target> = [:]
    private var watchers: TreeDictionary<WatchedQueryID, TreeSet<WireTargetID>> = [:]
    /// Since when the stream has heard nothing, if its client does not keep up.
    var behind: SnapshotVersion?
    /// Whether the client leaves the names of targets to us; `nil` before the first.
    private var choosesNames: Bool?
    private var lastChosen: Int32 = 0

    /// Names a new target.
    ///
    /// - Throws: `HearthError` that ends the stream: the name is taken, or nonsense.
    mutating func name(_ asked: WireTargetID) throws(HearthError) -> WireTargetID {
        guard asked.rawValue >= 0 else {
            throw .argument("Target id \(asked) is negative.")
        }
        let isOurs = asked.rawValue == 0
        guard choosesNames == nil || choosesNames == isOurs else {
            throw .argument(
                "Either all targets of a stream have target_id 0, or none of them.")
        }
        choosesNames = isOurs
        if isOurs {
            lastChosen += 1
            return WireTargetID(lastChosen)
        }
        guard targets[asked] == nil else {
            throw .argument("Target id \(asked) is already in use on this stream.")
        }
        return asked
    }

    mutating func add(_ id: WireTargetID, _ target: Target) {
        targets[id] = target
        if case .query(let query) = target { watchers[query, default: []].insert(id) }
    }

    /// Takes a target away, and returns it if there was one.
    mutating func remove(_ id: WireTargetID) -> Target? {
        let target = targets.removeValue(forKey: id)
        if case .query(let query)? = target {
            watchers[query]?.remove(id)
            if watchers[query]?.isEmpty ?? false { watchers[query] = nil }
        }
        return target
    }

    /// The queries that the stream watches, in no order.
    var queries: TreeDictionary<WatchedQueryID, TreeSet<WireTargetID>>.Keys { watchers.keys }

    /// The targets that stand for a query, in order.
    func targets(of query: WatchedQueryID) -> [WireTargetID] {
        (watchers[query] ?? []).sorted()
    }
}

/// Names a watched query within a hub.
struct WatchedQueryID: Hashable, Comparable, Sendable {
    let rawValue: UInt64

    static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}
