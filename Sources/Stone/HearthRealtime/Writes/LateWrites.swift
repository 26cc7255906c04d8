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
/// A service that answers writes and no listens makes no more late writes than there is room for. What
/// has no room leaves the tree at once.
struct LateWrites: Sendable {
    /// How many writes may be late, and how many bytes of them.
    static let (countMax, byteCountMax) = (1_000, 4 << 20)

    private var byteCount = 0
    private var rows: TreeDictionary<BatchID, QueuedWrite> = [:]
    /// The state of the listens at the last look.
    private var seen = 0

    /// Whether no write is late.
    var isEmpty: Bool { rows.isEmpty }

    /// Whether another write may be late.
    func hasRoom(for write: QueuedWrite) -> Bool {
        rows.count < Self.countMax && byteCount + write.change.byteCount <= Self.byteCountMax
    }

    /// A write stays in the tree.
    mutating func add(_ write: QueuedWrite) {
        rows[write.id] = write
        byteCount += write.change.byteCount
    }

    /// Whether the writes must be looked at: something has become of a listen since the last look.
    mutating func isDue(_ listens: ListenTable) -> Bool {
        guard !rows.isEmpty, seen != listens.toldCount else { return false }
        seen = listens.toldCount
        return true
    }

    /// Takes out the writes that wait for no listen any more, in their order. O(writes).
    mutating func remove(where isTold: (QueuedWrite) -> Bool) -> [QueuedWrite] {
        let told = rows.values.filter(isTold).sorted { $0.id < $1.id }
        for write in told {
            rows[write.id] = nil
            byteCount -= write.change.byteCount
        }
        return told
    }
}
