package import HearthModel

/// How much may wait for the backend. A write beyond is refused; what waits already stays.
///
/// The check counts only the batches that wait before the new write. So the last accepted write may
/// exceed a limit of bytes by its own size.
package struct QueueLimits: Hashable, Sendable {
    /// Batches of everybody.
    package var batchCountMax = 1_000_000
    /// Bytes of everybody's batches. 1 GiB.
    package var byteCountMax = 1 << 30
    /// Batches of one Unix user: half, so that nobody alone can stop everybody.
    package var uidBatchCountMax = 500_000
    /// Bytes of one Unix user's batches. 512 MiB.
    package var uidByteCountMax = 1 << 29
    /// How much memory waiting writes may take, where they wait in memory too.
    package var memory = MemoryLimits()
    /// Who pays for whom: the limits of one Unix user count the batches of all whom the user pays for.
    package var owners = SubordinateRanges()
    /// What the engine does with a batch that was sent and got no answer.
    package var lostAnswers = LostAnswerPolicy()

    /// The defaults.
    package init() {}

    /// Why a Unix user may not write now; `nil` if nothing speaks against it.
    ///
    /// - Parameters:
    ///   - uid: The Unix user who pays.
    ///   - own: The load of the waiting batches that the user pays for.
    ///   - all: The load of all waiting batches.
    package func refusal(of uid: UInt32, own: QueueLoad, all: QueueLoad) -> HearthError? {
        if own.batchCount >= uidBatchCountMax {
            return Self.error(
                "uid \(uid) has \(own.batchCount) batches in the queue",
                "queue.uidBatchCountMax = \(uidBatchCountMax) batches")
        }
        if own.byteCount >= uidByteCountMax {
            return Self.error(
                "uid \(uid) has \(own.byteCount) bytes in the queue",
                "queue.uidByteCountMax = \(uidByteCountMax) bytes")
        }
        if all.batchCount >= batchCountMax {
            return Self.error(
                "the queue holds \(all.batchCount) batches",
                "queue.batchCountMax = \(batchCountMax) batches")
        }
        if all.byteCount >= byteCountMax {
            return Self.error(
                "the queue holds \(all.byteCount) bytes",
                "queue.byteCountMax = \(byteCountMax) bytes")
        }
        return nil
    }

    /// Whether so little waits that reaching a limit would be news again.
    package func isRelaxed(own: QueueLoad, all: QueueLoad) -> Bool {
        own.batchCount <= uidBatchCountMax / 2 && own.byteCount <= uidByteCountMax / 2
            && all.batchCount <= batchCountMax / 2 && all.byteCount <= byteCountMax / 2
    }

    private static func error(_ fact: String, _ limit: String) -> HearthError {
        HearthError(
            code: .resourceExhausted,
            message: "The write is refused: \(fact), and the limit is \(limit). Write again when "
                + "the backend has taken some; `hearth queue` shows what waits.")
    }
}

/// How much memory the waiting writes of all engines together may take. The engine refuses a write
/// that would take more. The writes that wait already stay, also the writes that an earlier daemon
/// has accepted.
package struct MemoryLimits: Hashable, Sendable {
    /// Bytes of everybody's writes. 384 MiB.
    package var byteCountMax = 384 << 20
    /// Bytes of one Unix user's writes: half, so that nobody alone can stop everybody.
    package var uidByteCountMax = 192 << 20

    /// The defaults.
    package init() {}
}
