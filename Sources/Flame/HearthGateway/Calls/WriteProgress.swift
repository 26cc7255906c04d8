import HearthModel
import HearthRPC

/// How far writes have come, for a caller whose time ends before the answer.
enum WriteProgress: Hashable {
    /// Nothing of the writes is in the queue, and nothing will be.
    case nothing
    /// The engine was asked to queue the writes, and has not answered.
    case asked
    /// The writes are durable here.
    case accepted(BatchID)
    /// The backend has the writes.
    case committed(BatchID)

    /// How a call of these writes alone ends, if its time ends now.
    var lateEnd: LateEnd {
        switch self {
        case .nothing: LateEnd()
        case .asked: LateEnd("\(Self.asking) \(Self.remedy)")
        case .accepted(let batch):
            LateEnd(
                "The writes are in the queue as batch \(batch) and wait for the backend: do not "
                    + "write them again.",
                trailing: Self.metadata(.accepted, batch))
        case .committed(let batch):
            LateEnd(
                "The backend has committed the writes, which were batch \(batch).",
                trailing: Self.metadata(.committed, batch))
        }
    }

    /// How a call of many writes ends, each a batch of its own, if its time ends now.
    ///
    /// - Parameters:
    ///   - parts: How far each write has come that was not refused at once.
    ///   - count: The writes of the call.
    static func lateEnd(of parts: [WriteProgress], outOf count: Int) -> LateEnd {
        var batches: [BatchID] = []
        var (askedCount, committedCount) = (0, 0)
        for part in parts {
            switch part {
            case .nothing: break
            case .asked: askedCount += 1
            case .accepted(let batch): batches.append(batch)
            case .committed: committedCount += 1
            }
        }
        var sentences: [String] = []
        if let first = batches.min(), let last = batches.max() {
            let place = Self.place(of: batches.count, from: first, to: last)
            sentences.append(
                "Of \(count) writes, \(batches.count) are in the queue as \(place) and wait "
                    + "for the backend: do not write them again.")
        }
        if committedCount > 0 {
            sentences.append("Of \(count) writes, \(committedCount) are committed.")
        }
        if askedCount > 0 {
            sentences.append("Of \(count) writes, \(askedCount) may still be queued.")
        }
        let areAllAccepted = !batches.isEmpty && batches.count + committedCount == count
        return LateEnd(
            sentences.joined(separator: " "),
            trailing: areAllAccepted ? [state: WriteReceipt.State.accepted.rawValue] : [:])
    }

    /// What the batches are called. Others may have written between them.
    private static func place(of count: Int, from first: BatchID, to last: BatchID) -> String {
        if first == last { return "batch \(first)" }
        let isGapless = last.rawValue - first.rawValue == Int64(count) - 1
        return isGapless
            ? "batches \(first) to \(last)" : "\(count) of the batches \(first) to \(last)"
    }

    private static let state = "hearth-state"
    private static let asking =
        "The daemon had not queued the writes yet, and may still queue them."
    private static let remedy =
        "Send them again under the same hearth-request-id, or look into the queue first."

    private static func metadata(_ state: WriteReceipt.State, _ batch: BatchID) -> CallMetadata {
        ["hearth-batch": "\(batch)", Self.state: state.rawValue]
    }
}
