import HearthEngine
import HearthModel
package import HearthRealtime
import Synchronization

/// The memory that the waiting writes of all instances of the Realtime Database share.
///
/// The memory handles the claims of all engines one after the other, so two engines never take the
/// same room.
package final class SharedWriteMemory: Sendable {
    private struct State {
        var lastNumber = 0
        /// What each open engine holds, or has claimed in a turn that is not over.
        var held: [Int: HeldWrites] = [:]
        /// Bytes of all engines.
        var byteCount = 0

        /// Bytes that one Unix user pays for. O(users of all engines).
        func byteCount(paidBy payer: UInt32, by owners: SubordinateRanges) -> Int {
            held.values.reduce(0) { $0 + $1.byteCount(paidBy: payer, by: owners) }
        }

        mutating func set(_ new: HeldWrites?, of engine: Int) {
            let old =
                if let new {
                    held.updateValue(new, forKey: engine)
                } else {
                    held.removeValue(forKey: engine)
                }
            byteCount += (new?.byteCount ?? 0) - (old?.byteCount ?? 0)
        }

        /// Adds a granted claim to the bytes that an engine has reported.
        mutating func add(_ count: Int, of uid: UInt32, to engine: Int) {
            held[engine]?.queue.add(count, of: uid)
            byteCount += count
        }
    }

    /// One engine's part. When nobody has the part any more, what the engine held is free.
    private final class Part: WriteMemory {
        private let whole: SharedWriteMemory
        private let number: Int

        init(of whole: SharedWriteMemory, _ number: Int) {
            self.whole = whole
            self.number = number
        }

        deinit { whole.state.withLock { $0.set(nil, of: number) } }

        func hold(_ held: HeldWrites) {
            whole.state.withLock { $0.set(held, of: number) }
        }

        func claim(
            _ byteCount: Int, for payer: UInt32, beside held: HeldWrites,
            within limits: QueueLimits
        ) -> MemoryClaim {
            whole.state.withLock { state in
                state.set(held, of: number)
                let claim = MemoryClaim(
                    byteCount, besides: state.byteCount, within: limits.memory,
                    own: { state.byteCount(paidBy: payer, by: limits.owners) })
                if case .granted = claim { state.add(byteCount, of: payer, to: number) }
                return claim
            }
        }
    }

    private let state = Mutex(State())

    /// Memory without a claim.
    package init() {}

    /// Bytes that all engines hold.
    package var byteCount: Int { state.withLock { $0.byteCount } }

    /// The part of one more engine.
    package func part() -> any WriteMemory {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return Part(of: self, number)
    }
}
