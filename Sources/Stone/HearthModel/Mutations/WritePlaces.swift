/// Finds the writes to a document of a batch, without reading every write for every document.
struct WritePlaces: Hashable, Sendable {
    /// Up to this many writes, a visit reads all writes: reading costs less than sorting.
    private static let unsortedCountMax = 8

    private let byKey: [DocumentKey: [Int]]

    /// Finds the writes to each document. O(writes).
    init(of mutations: [Mutation]) {
        var byKey: [DocumentKey: [Int]] = [:]
        if mutations.count > Self.unsortedCountMax {
            for (place, mutation) in mutations.enumerated() {
                byKey[mutation.key, default: []].append(place)
            }
        }
        self.byKey = byKey
    }

    /// Calls `body` with the place of each write to a document, in their order.
    func visit<Failure: Error>(
        _ key: DocumentKey, in mutations: [Mutation], _ body: (Int) throws(Failure) -> Void
    ) throws(Failure) {
        if mutations.count > Self.unsortedCountMax {
            for place in byKey[key] ?? [] { try body(place) }
        } else {
            for place in mutations.indices where mutations[place].key == key { try body(place) }
        }
    }
}
