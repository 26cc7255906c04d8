import HashTreeCollections
package import HearthModel

/// How many bytes of memory writes take, by the Unix users who made the writes.
package struct HeldBytes: Sendable {
    /// Bytes of a written place besides the node and the way to the place.
    ///
    /// A small write was measured with 172 to 250 (`Benchmarks/README.md`).
    static let placeByteCount = 256
    /// Bytes of each key on the way to a written place, as if no other write went that way.
    static let keyByteCount = 192

    /// Bytes of all users.
    package private(set) var byteCount = 0
    private var byUser: TreeDictionary<UInt32, Int> = [:]

    /// Nothing.
    package init() {}

    /// Counts what comes, or with a negative number what goes.
    package mutating func add(_ count: Int, of uid: UInt32) {
        byteCount += count
        let isNothingLeft = byUser.updateValue(forKey: uid, default: 0) { own in
            own += count
            return own == 0
        }
        if isNothingLeft { byUser[uid] = nil }
    }

    /// Bytes that one Unix user pays for. O(users).
    package func byteCount(paidBy payer: UInt32, by owners: SubordinateRanges) -> Int {
        byUser.reduce(0) { sum, entry in
            owners.owner(of: entry.key) == payer ? sum + entry.value : sum
        }
    }
}

/// What an engine holds in memory until the backend has spoken, or a program has ended.
package struct HeldWrites: Sendable {
    /// The waiting writes of the present Firebase user.
    package var queue = HeldBytes()
    /// The orders for the ends of programs, each with the write that comes of the order.
    package var orders = HeldBytes()

    /// Nothing.
    package init(queue: HeldBytes = HeldBytes(), orders: HeldBytes = HeldBytes()) {
        self.queue = queue
        self.orders = orders
    }

    /// Bytes of all users.
    package var byteCount: Int { queue.byteCount + orders.byteCount }

    /// Bytes that one Unix user pays for. O(users).
    package func byteCount(paidBy payer: UInt32, by owners: SubordinateRanges) -> Int {
        queue.byteCount(paidBy: payer, by: owners) + orders.byteCount(paidBy: payer, by: owners)
    }
}

extension RealtimeChange {
    /// At most so many bytes of memory the change takes while it waits. O(size).
    ///
    /// The same change has the same number whenever the change is asked, before and after a restart.
    package var heldByteCount: Int {
        if case .set(let place, let node) = self {
            return Self.heldByteCount(of: node, at: place)
        }
        return parts.reduce(0) { $0 + Self.heldByteCount(of: $1.node, at: $1.place) }
    }

    /// The same for one place of a change.
    static func heldByteCount(of node: UnresolvedNode, at place: WritePath) -> Int {
        place.path.keys.reduce(HeldBytes.placeByteCount + NodeMemory.byteCount(node.template)) {
            $0 + HeldBytes.keyByteCount + NodeMemory.byteCount($1.text)
        }
    }
}
