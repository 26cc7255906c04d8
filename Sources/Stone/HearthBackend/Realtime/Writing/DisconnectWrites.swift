import HearthModel

/// The writes that a connection has left for its end, in the order of the requests.
///
/// Nothing is resolved: a timestamp becomes the moment of the end.
struct DisconnectWrites: Sendable {
    private(set) var writes: [RealtimeWrite] = []
    /// How many places would be written.
    private(set) var placeCount = 0

    /// Takes a write, and forgets the earlier writes that it replaces.
    mutating func append(_ write: RealtimeWrite) {
        for place in write.places { cancel(place) }
        writes.append(write)
        placeCount += write.parts.count
    }

    /// Forgets the writes at a place and below.
    mutating func cancel(_ place: WritePath) {
        // Mostly there is nothing, and then nothing is copied.
        guard writes.contains(where: { $0.places.contains(where: place.covers) }) else { return }
        writes = writes.compactMap { $0.without(place) }
        placeCount = writes.reduce(0) { $0 + $1.parts.count }
    }
}
