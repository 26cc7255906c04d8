import HashTreeCollections
import HearthModel

/// The places, whole or as a query shows them, that are kept in step although nobody may listen, each
/// with its silent listener.
struct KeptPlaces: Sendable {
    private var names: TreeDictionary<ListenTarget, ListenerName> = [:]
    /// The queries, as they were ordered.
    private(set) var targets: [ListenTarget] = []

    /// Replaces the queries.
    ///
    /// - Returns: The queries that are kept no more, with their listeners.
    mutating func set(_ targets: [ListenTarget]) -> [(target: ListenTarget, name: ListenerName)] {
        self.targets = targets
        let wanted = Set(targets)
        let gone = names.filter { !wanted.contains($0.key) }
        for target in gone.keys { names[target] = nil }
        return gone.sorted { $0.value < $1.value }.map { ($0.key, $0.value) }
    }

    /// The queries without a listener: new queries, and queries whose listen the backend ended.
    var missing: [ListenTarget] { targets.filter { names[$0] == nil } }

    /// A query has a listener.
    mutating func add(_ target: ListenTarget, _ name: ListenerName) { names[target] = name }

    /// The backend ended a listen, perhaps the listen of a kept query.
    mutating func remove(_ name: ListenerName) {
        for (target, listener) in names where listener == name { names[target] = nil }
    }
}
