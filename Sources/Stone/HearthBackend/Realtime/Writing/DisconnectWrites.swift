import HearthModel

/// What one connection has left to be written when it ends, in the order in which it was asked for.
///
/// Nothing is resolved: a timestamp becomes the moment of the end.
struct DisconnectWrites: Sendable {
    private(set) var writes: [RealtimeWrite] = []

    /// How many places would be written.
    var placeCount: Int { writes.reduce(0) { $0 + $1.parts.count } }

    /// Takes a write. What it replaces is forgotten.
    mutating func append(_ write: RealtimeWrite) {
        for part in write.parts { cancel(part.place) }
        writes.append(write)
    }

    /// Forgets what was to be written at a place and below.
    mutating func cancel(_ place: WritePath) {
        writes = writes.compactMap { $0.without(place) }
    }
}
