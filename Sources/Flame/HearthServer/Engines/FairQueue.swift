package import Dispatch
import Synchronization

/// Answers questions to the daemon itself in turn, on a thread that may block on the disk.
///
/// Users take turns by the work that their questions cause, as in an engine's mailbox: a user who
/// asks for the queue again and again delays only that user's own questions.
package final class QuestionQueue: Sendable {
    private let queue: DispatchQueue
    private let questions = Mutex(Mailbox<@Sendable () -> Void>(quota: .max))

    /// Runs questions on a serial queue.
    package init(on queue: DispatchQueue) {
        self.queue = queue
    }

    /// Runs `body` when it is its turn.
    package func run(from source: MailboxSource, _ body: @escaping @Sendable () -> Void) {
        _ = questions.withLock { $0.append(body, from: source) }
        queue.async { self.runNext() }
    }

    private func runNext() {
        guard let question = questions.withLock({ $0.next() }) else { return }
        let began = ContinuousClock.now
        question.element()
        let work = ContinuousClock.now - began
        questions.withLock { $0.charge(work, to: question.source) }
    }
}
