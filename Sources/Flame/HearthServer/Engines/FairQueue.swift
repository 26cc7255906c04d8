package import Dispatch
import Synchronization

/// Does work in turn, on a thread of its own that may block on the disk.
///
/// Users take turns by the work that they cause, as in an engine's mailbox: a user who asks for the
/// queue again and again delays only that user's own questions. The users together take at most a
/// part of a processor, so that they do not take the processor from loops and engines. Root and the
/// daemon itself never wait for that.
package final class FairQueue: Sendable {
    /// A piece of work. As an element of a generic container, a bare closure would be wrapped once
    /// more each time that the container moves its elements.
    private struct Work: Sendable {
        let body: @Sendable () -> Void
    }

    private struct State {
        var waiting = Mailbox<Work>(quota: .max)
        /// Whether the next piece of the users' work has been ordered.
        var isOrdered = false
        /// When the users' next piece of work may begin.
        var restsUntil = ContinuousClock.now
    }

    private let queue: DispatchQueue
    private let part: Double
    private let state = Mutex(State())

    /// Does the work on a serial queue.
    ///
    /// - Parameter part: The part of a processor that the users' work may take, above 0 and at most
    ///   1.
    package init(on queue: DispatchQueue, part: Double) {
        precondition(part > 0 && part <= 1, "A part of \(part)")
        self.queue = queue
        self.part = part
    }

    /// Runs `body` when it is its turn.
    package func run(from source: MailboxSource, _ body: @escaping @Sendable () -> Void) {
        guard case .session(_, of: let uid) = source, uid != 0 else {
            return queue.async(execute: body)
        }
        let rest: Duration? = state.withLock { state in
            _ = state.waiting.append(Work(body: body), from: source)
            if state.isOrdered { return nil }
            state.isOrdered = true
            return state.restsUntil - .now
        }
        if let rest { order(after: rest) }
    }

    private func order(after rest: Duration) {
        guard rest > .zero else { return queue.async { self.runNext() } }
        let wait = DispatchTimeInterval.nanoseconds(Int(rest / .nanoseconds(1)))
        queue.asyncAfter(deadline: .now() + wait) { self.runNext() }
    }

    private func runNext() {
        guard let next = state.withLock({ $0.waiting.next() }) else { return }
        let (began, beganWith) = (ContinuousClock.now, ThreadClock.processorTime)
        next.element.body()
        // A busy machine may have stopped the thread in between, and nobody rests for that.
        let used = ThreadClock.processorTime - beganWith
        let end = ContinuousClock.now
        let rest = used * ((1 - part) / part)
        let isMore = state.withLock { state in
            state.waiting.charge(end - began, to: next.source)
            state.restsUntil = end + rest
            state.isOrdered = !state.waiting.isEmpty
            return state.isOrdered
        }
        if isMore { order(after: rest) }
    }
}
