import HashTreeCollections
import HearthModel

/// The places that are kept in step although nobody may listen, each with its silent listener.
struct KeptPlaces: Sendable {
    private var names: TreeDictionary<RealtimePath, ListenerName> = [:]
    /// The places, as they were ordered.
    private(set) var paths: [RealtimePath] = []

    /// Replaces the places.
    ///
    /// - Returns: The places that are kept no more, with their listeners.
    mutating func set(_ paths: [RealtimePath]) -> [(path: RealtimePath, name: ListenerName)] {
        self.paths = paths
        let wanted = Set(paths)
        let gone = names.filter { !wanted.contains($0.key) }
        for path in gone.keys { names[path] = nil }
        return gone.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The places without a listener: new places, and places whose listen the backend ended.
    var missing: [RealtimePath] { paths.filter { names[$0] == nil } }

    /// A place has a listener.
    mutating func add(_ path: RealtimePath, _ name: ListenerName) { names[path] = name }

    /// The backend ended a listen, perhaps the listen of a place.
    mutating func remove(_ name: ListenerName) {
        for (path, listener) in names where listener == name { names[path] = nil }
    }
}
