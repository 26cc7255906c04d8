import HashTreeCollections
import HearthModel

/// The writes that a connection has left for its end, by the order of the requests.
///
/// The writes stay unresolved, so a timestamp becomes the moment of the connection's end. The
/// places of all writes stand in one tree, so a later write finds the writes that it replaces
/// without a look at the others.
struct DisconnectWrites: Sendable {
    /// A write without its places.
    private struct Head {
        let base: RealtimePath
        let isMerge: Bool
        var placeCount: Int
    }

    /// What a write leaves at one place.
    private struct Entry {
        let number: Int
        let node: UnresolvedNode
    }

    /// One place, with what is left there and below.
    private struct Point {
        var content: Entry?
        var priority: Entry?
        var children: TreeDictionary<ChildKey, Point> = [:]

        var isEmpty: Bool { content == nil && priority == nil && children.isEmpty }

        mutating func update(_ keys: ArraySlice<ChildKey>, _ body: (inout Point) -> Void) {
            guard let key = keys.first else { return body(&self) }
            var child = children.removeValue(forKey: key) ?? Point()
            child.update(keys.dropFirst(), body)
            if !child.isEmpty { children[key] = child }
        }

        /// Visits everything here and below.
        func visit(at path: RealtimePath, _ body: (WritePath, Entry) -> Void) {
            if let content { body(WritePath(path), content) }
            if let priority { body(WritePath(path, isPriority: true), priority) }
            for (key, child) in children { child.visit(at: path.appending(key), body) }
        }
    }

    private var root = Point()
    private var heads: TreeDictionary<Int, Head> = [:]
    private var lastNumber = 0
    /// How many places would be written.
    private(set) var placeCount = 0

    /// Takes a write, and forgets the earlier writes that it replaces. O(d) for each place, and for
    /// each that is replaced.
    mutating func append(_ write: RealtimeWrite) {
        lastNumber += 1
        heads[lastNumber] = Head(
            base: write.base, isMerge: write.isMerge, placeCount: write.parts.count)
        placeCount += write.parts.count
        for part in write.parts {
            put(Entry(number: lastNumber, node: part.node), at: part.place)
        }
    }

    /// Forgets the writes at a place and below.
    mutating func cancel(_ place: WritePath) {
        put(nil, at: place)
    }

    /// The writes, in the order of the requests. O(n log n).
    var writes: [RealtimeWrite] {
        var parts: [Int: [RealtimeChange.Part]] = [:]
        root.visit(at: .root) { place, entry in
            parts[entry.number, default: []].append(.init(place, entry.node))
        }
        return parts.sorted { $0.key < $1.key }.compactMap { number, parts in
            heads[number].map {
                RealtimeWrite(base: $0.base, isMerge: $0.isMerge, placing: parts)
            }
        }
    }

    /// Replaces what is left at a place and below.
    private mutating func put(_ entry: Entry?, at place: WritePath) {
        var replaced: [Int] = []
        root.update(place.path.keys[...]) { point in
            if place.isPriority {
                if let old = point.priority { replaced.append(old.number) }
                point.priority = entry
            } else {
                point.visit(at: .root) { replaced.append($1.number) }
                point = Point(content: entry)
            }
        }
        for number in replaced { forgetPlace(of: number) }
    }

    private mutating func forgetPlace(of number: Int) {
        placeCount -= 1
        guard var head = heads[number] else { return }
        head.placeCount -= 1
        heads[number] = head.placeCount > 0 ? head : nil
    }
}
