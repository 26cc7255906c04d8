import HashTreeCollections
import HearthEngine
import HearthModel

/// The writes on the open connection that have no answer.
///
/// The backend applies and answers the requests of a connection in order. A write that is refused
/// does not stop the writes behind it.
struct PutPipeline: Sendable {
    /// How many writes may wait for their answers.
    static let writeCountMax = 256
    /// How many bytes of writes may wait; the last write may exceed this by its own size. 1 MiB.
    static let byteCountMax = 1 << 20

    private var sent: TreeDictionary<BatchID, QueuedWrite> = [:]
    private var byteCount = 0
    /// The last write that the open connection was sent.
    private(set) var lastID = BatchID.none

    /// Whether no write waits for an answer.
    var isEmpty: Bool { sent.isEmpty }

    /// How many writes wait for an answer.
    var count: Int { sent.count }

    /// Whether another write may be sent.
    var hasRoom: Bool { sent.count < Self.writeCountMax && byteCount < Self.byteCountMax }

    /// Whether there is room for a quarter of all that may wait.
    var runsLow: Bool {
        sent.count <= Self.writeCountMax / 4 * 3 && byteCount <= Self.byteCountMax / 4 * 3
    }

    /// A waiting write in its state before the sending.
    subscript(id: BatchID) -> QueuedWrite? { sent[id] }

    /// A write is sent.
    mutating func append(_ write: QueuedWrite) {
        precondition(write.id > lastID, "Write \(write.id) sent after \(lastID)")
        lastID = write.id
        sent[write.id] = write
        byteCount += write.change.byteCount
    }

    /// Passes over a write that is not sent.
    mutating func skip(_ id: BatchID) { lastID = max(lastID, id) }

    /// A write is answered.
    mutating func remove(_ id: BatchID) -> QueuedWrite? {
        guard let write = sent.removeValue(forKey: id) else { return nil }
        byteCount -= write.change.byteCount
        return write
    }
}
