import HashTreeCollections
import HearthEngine
import HearthModel

/// Tells why a write finds no memory, and when that is news.
struct MemoryGate: Sendable {
    /// Unix users with writes refused, since the memory was last mostly free.
    private var fullFor: TreeSet<UInt32> = []

    /// Why a Unix user's claim came to nothing; `nil` if it was granted.
    ///
    /// - Parameters:
    ///   - payer: The Unix user who pays.
    ///   - byteCount: What the user's write or order takes.
    mutating func refusal(
        of payer: UInt32, _ byteCount: Int, _ claim: MemoryClaim, within limits: MemoryLimits
    ) -> QueueGate.Refusal? {
        switch claim {
        case .granted(let all):
            if !fullFor.isEmpty, all <= limits.uidByteCountMax / 2, all <= limits.byteCountMax / 2 {
                fullFor = []
            }
            return nil
        case .tooMuchOfUser(let held):
            return refusal(
                of: payer, byteCount, "the programs of uid \(payer) have \(held) bytes of",
                "realtime.uidQueueByteCountMax = \(limits.uidByteCountMax) bytes")
        case .tooMuchOfAll(let held):
            return refusal(
                of: payer, byteCount, "all programs have \(held) bytes of",
                "realtime.queueByteCountMax = \(limits.byteCountMax) bytes")
        }
    }

    private mutating func refusal(
        of payer: UInt32, _ byteCount: Int, _ fact: String, _ limit: String
    ) -> QueueGate.Refusal {
        let error = HearthError(
            code: .resourceExhausted,
            message: "The write is refused: it would take about \(byteCount) bytes of the daemon's "
                + "memory while it waits, \(fact) writes and orders waiting in all instances of the "
                + "Realtime Database, and the limit is \(limit). Write again when the backend has "
                + "taken some, write less at once, or raise the limit; `hearth queue` shows what "
                + "waits.")
        return QueueGate.Refusal(error: error, isNews: fullFor.insert(payer).inserted)
    }
}
