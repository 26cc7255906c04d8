import HearthThreads
import NIOCore
import Synchronization

/// Lets the connections that came for one event loop come in, a few in each round of the loop.
///
/// Before a loop reads of anybody, the loop runs all waiting tasks, also the tasks that come meanwhile. So one
/// task for each connection would let a program that connects without end keep the loop from everybody else.
final class LoopQueue: Sendable {
    /// How many connections come in before the loop goes on.
    private static let roundCount = 8
    /// How long the loop has at least until more come in. A moment that lies ahead ends a round of the loop.
    private static let pause = TimeAmount.microseconds(100)

    private struct State {
        var waiting = CircularBuffer<@Sendable () -> Void>()
        /// Whether the loop is to let more come in.
        var isDue = false
    }

    private let loop: any EventLoop
    private let state = Mutex(State())

    /// A queue in which nobody waits.
    init(of loop: any EventLoop) {
        self.loop = loop
    }

    /// Has a connection come in on the loop.
    ///
    /// - Returns: How many wait.
    func add(_ enter: @escaping @Sendable () -> Void) -> Int {
        let (count, isFirst) = state.withLock { state in
            state.waiting.append(enter)
            defer { state.isDue = true }
            return (state.waiting.count, !state.isDue)
        }
        if isFirst { loop.execute { self.letSomeIn() } }
        return count
    }

    /// Drops those who wait, whose connections close. For a loop that runs no more.
    func close() {
        let dropped = state.withLock { state in
            defer { state.waiting = CircularBuffer() }
            return state.waiting
        }
        withExtendedLifetime(dropped) {}
    }

    private func letSomeIn() {
        for _ in 0..<Self.roundCount {
            let enter = state.withLock { state in
                state.isDue = !state.waiting.isEmpty
                return state.waiting.popFirst()
            }
            guard let enter else { return }
            enter()
        }
        _ = loop.scheduleTask(in: Self.pause) { self.letSomeIn() }
    }
}

/// The queues of all event loops.
final class LoopQueues: Sendable {
    private let queues = LoopPieces<LoopQueue>()

    /// No loop has a queue.
    init() {}

    /// Drops all who wait.
    func close() {
        for queue in queues.all { queue.close() }
    }

    /// The queue of a loop.
    func queue(of loop: any EventLoop) -> LoopQueue {
        queues.piece(of: loop) { LoopQueue(of: loop) }
    }
}
