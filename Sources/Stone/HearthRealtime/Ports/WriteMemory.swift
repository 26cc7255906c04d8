package import HearthEngine

/// An engine's demand on the memory that the waiting writes of all engines share.
///
/// After each turn that changes the number of bytes, the engine tells how many bytes it holds. A
/// turn that is undone may leave a claim of more than the engine holds; `turnFailed` tells the
/// truth again.
package protocol WriteMemory: AnyObject, Sendable {
    /// From now on the engine holds so much, whatever the limits are.
    func hold(_ held: HeldWrites)
    /// Makes room for one more write, or does not.
    ///
    /// - Parameters:
    ///   - byteCount: What the write takes.
    ///   - payer: The Unix user who pays for the write.
    ///   - held: What the engine holds without the write.
    ///   - limits: How much all engines may hold, and who pays for whom.
    /// - Complexity: O(1), and O(users of all engines) if all hold more than one user may.
    func claim(
        _ byteCount: Int, for payer: UInt32, beside held: HeldWrites, within limits: QueueLimits
    ) -> MemoryClaim
}

/// What becomes of a claim on the memory of waiting writes.
package enum MemoryClaim: Hashable, Sendable {
    /// There is room; all engines hold so many bytes with the write.
    case granted(Int)
    /// One Unix user would have too much, and has so many bytes without the write.
    case tooMuchOfUser(Int)
    /// All would have too much, and have so many bytes without the write.
    case tooMuchOfAll(Int)

    /// Decides on a claim.
    ///
    /// - Parameters:
    ///   - byteCount: What the write takes.
    ///   - all: What all engines hold without the write.
    ///   - limits: How many bytes the writes of one Unix user, and all writes together, may take.
    ///   - own: How many of the bytes in `all` the Unix user pays for. Called only if all writes
    ///     together take more than one user may.
    package init(
        _ byteCount: Int, besides all: Int, within limits: MemoryLimits, own: () -> Int
    ) {
        let sum = all + byteCount
        guard sum > limits.uidByteCountMax else {
            self = sum > limits.byteCountMax ? .tooMuchOfAll(all) : .granted(sum)
            return
        }
        let ownByteCount = own()
        if ownByteCount + byteCount > limits.uidByteCountMax {
            self = .tooMuchOfUser(ownByteCount)
        } else {
            self = sum > limits.byteCountMax ? .tooMuchOfAll(all) : .granted(sum)
        }
    }
}

/// The memory of an engine that shares with nobody.
package final class OwnWriteMemory: WriteMemory {
    /// Memory for one engine.
    package init() {}

    package func hold(_ held: HeldWrites) {}

    package func claim(
        _ byteCount: Int, for payer: UInt32, beside held: HeldWrites, within limits: QueueLimits
    ) -> MemoryClaim {
        MemoryClaim(byteCount, besides: held.byteCount, within: limits.memory) {
            held.byteCount(paidBy: payer, by: limits.owners)
        }
    }
}
