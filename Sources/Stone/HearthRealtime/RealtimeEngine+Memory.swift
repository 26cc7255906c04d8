import HearthEngine
import HearthModel

/// The memory that waiting writes take.
///
///     what all engines hold <= limit, at each acceptance
///
/// The limit counts when a write or an order comes, and never when the queue is loaded: what was
/// accepted is kept and sent.
extension RealtimeEngine {
    /// What the engine holds for programs until the backend has spoken, or a program has ended.
    package var held: HeldWrites { HeldWrites(queue: heldQueue, orders: onDisconnects.held) }

    /// Bytes of the waiting writes and of the orders for the end of programs.
    var heldByteCount: Int { heldQueue.byteCount + onDisconnects.held.byteCount }

    /// A write of the present Firebase user lies over the tree from now on.
    ///
    /// - Parameter byteCount: What the write takes; `nil` if the caller has not reckoned it.
    mutating func keepInMemory(_ write: QueuedWrite, taking byteCount: Int? = nil) {
        heldQueue.add(byteCount ?? write.change.heldByteCount, of: write.writer.uid)
    }

    /// A write no longer lies over the tree.
    mutating func letGo(_ write: QueuedWrite) {
        heldQueue.add(-write.change.heldByteCount, of: write.writer.uid)
    }

    /// Why there is no memory for what a Unix user writes or orders; `nil` if there is, and is claimed.
    ///
    /// - Parameter byteCount: What the write or the order takes.
    mutating func memoryRefusal(
        of uid: UInt32, _ byteCount: Int, _ effects: inout Effects
    ) -> HearthError? {
        let limits = gate.limits
        let payer = limits.owners.owner(of: uid)
        let claim = memory.claim(byteCount, for: payer, beside: held, within: limits)
        guard let refusal = memoryGate.refusal(of: payer, byteCount, claim, within: limits.memory)
        else {
            hasClaimedMemory = true
            return nil
        }
        if refusal.isNews { effects.actions.append(.note(.queueFull(refusal.error))) }
        return refusal.error
    }
}
