import HashTreeCollections
import HearthEngine
import HearthModel

/// Writes that the backend has, and that the tree shows until listens have told of them.
///
///     answered --a listen there is yet to be told--> late --told, ended, link lost--> out of the tree
///
/// The backend answers requests in order. So a write that is answered before a listen is in what the
/// listen will tell, and nothing has told of the write so far: without the write, the view would fall
/// back to the older value of the cache for a moment. Nor may the cache have the write yet, because the
/// listen's hash is of the cache without the write.
///
/// Each place of a write is late by itself: a place that listens have told of is not late, though another place
/// of the write waits. A later write below a late place is late too, so that the writes leave in their order.
///
/// A service that answers writes and no listens makes no more late writes than there is room for. When the room
/// is used up, all leave the tree at once.
struct LateWrites: Sendable {
    /// A write with the places that wait.
    struct Row: Sendable {
        /// The write, as the queue had it.
        let write: QueuedWrite
        /// The number of the write, and the places that wait.
        let name: WriteName
    }

    /// How many writes may be late, and how many bytes of them.
    static let (countMax, byteCountMax) = (1_000, 4 << 20)

    private var byteCount = 0
    private var rows: TreeDictionary<BatchID, Row> = [:]
    /// How many late writes name each place.
    private var places = PathTree<Int>()
    /// The state of the listens at the last look.
    private var seen = 0

    /// Whether no write is late.
    var isEmpty: Bool { rows.isEmpty }

    /// Takes out all late writes, in their order. O(n log n).
    mutating func removeAll() -> [Row] {
        defer { (rows, places, byteCount) = ([:], PathTree(), 0) }
        return rows.values.sorted { $0.write.id < $1.write.id }
    }

    /// Whether another write may be late.
    func hasRoom(for write: QueuedWrite) -> Bool {
        rows.count < Self.countMax && byteCount + write.change.byteCount <= Self.byteCountMax
    }

    /// Whether a late write names a place, or a place above. O(depth).
    func hold(_ place: WritePath) -> Bool {
        var isHeld = false
        places.walk(to: place.path) { _, _ in
            isHeld = true
            return false
        }
        return isHeld
    }

    /// Some places of a write wait, and no others of the write; `nil` if none waits any more.
    mutating func set(_ name: WriteName?, of write: QueuedWrite) {
        if let old = rows[write.id] {
            count(-1, old.name)
        } else if name != nil {
            byteCount += write.change.byteCount
        }
        if let name {
            count(1, name)
            rows[write.id] = Row(write: write, name: name)
        } else if rows.removeValue(forKey: write.id) != nil {
            byteCount -= write.change.byteCount
        }
    }

    private mutating func count(_ difference: Int, _ name: WriteName) {
        for place in name.places {
            let path = place.below(name.path).path
            let count = (places[path] ?? 0) + difference
            places[path] = count > 0 ? count : nil
        }
    }

    /// Whether the writes must be looked at: something has become of a listen since the last look.
    mutating func isDue(_ listens: ListenTable) -> Bool {
        guard !rows.isEmpty, seen != listens.toldCount else { return false }
        seen = listens.toldCount
        return true
    }
}
