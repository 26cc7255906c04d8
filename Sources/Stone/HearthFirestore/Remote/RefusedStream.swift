import HearthEngine
import HearthModel

/// A write stream that the backend ended for good while several batches were on the way, and what becomes known
/// of the batches.
///
/// The backend takes the batches of a stream in order, and answers each before it takes the next. So the stream
/// should have ended over the first batch. But the backend may also refuse a later batch before it has answered
/// the first, so the batches are sent again one at a time. If the first batch, alone, is refused in the same
/// words, the first batch was at fault both times: the backend has applied no copy of the first batch, nor of the
/// batches behind.
///
///     unexplained --first refused in the same words--> explained
///         \--anything else becomes of the first--> void
struct RefusedStream: Sendable {
    private let error: HearthError
    /// The batches that had no answer, in order. Without copies at the backend, once the end is explained.
    private var batches: [BatchID]
    private var isExplained = false

    /// - Parameters:
    ///   - error: What the backend said.
    ///   - batches: What was sent on the stream and not answered, in order.
    init(_ error: HearthError, over batches: [BatchID]) {
        self.error = error
        self.batches = batches
    }

    /// Whether the backend has certainly applied no earlier copy of a batch.
    ///
    /// - Parameter refusal: What the backend says of the batch alone.
    func hasNoCopy(of batch: BatchID, refusedWith refusal: HearthError) -> Bool {
        isExplained ? batches.contains(batch) : batches.first == batch && refusal == error
    }

    /// A batch that was sent alone was refused.
    mutating func refused(_ batch: BatchID, with refusal: HearthError) {
        if !isExplained, hasNoCopy(of: batch, refusedWith: refusal) { isExplained = true }
        forget(batch)
    }

    /// Something else became of a batch that was sent alone: an answer, or a stream that broke.
    mutating func forget(_ batch: BatchID) {
        if isExplained {
            batches.removeAll { $0 == batch }
        } else {
            batches = []
        }
    }
}
