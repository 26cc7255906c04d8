import HearthThreads
import NIOCore
import Synchronization

/// Requests that came behind other requests of their connection, and wait to be answered.
///
/// An event loop looks at its sockets only when none of its tasks is due. If a loop answered the waiting requests
/// right after each other, the loop would neither serve its other clients nor learn that the requests' own client
/// is gone. So all connections of a loop share one queue, the loop answers one request at a time, and between two
/// answers is a moment without a task.
///
///     request --wait--> queue of the loop --moment--> answer the first --moment--> answer the next
final class PipelinedRequests: Sendable {
    private let loops = LoopPieces<Loop>()

    /// The requests that wait on one event loop.
    func requests(on eventLoop: any EventLoop) -> Loop {
        loops.piece(of: eventLoop) { Loop(eventLoop) }
    }

    /// The requests of one event loop, in their order.
    final class Loop: Sendable {
        /// How often a request waits another moment because the loop had other work in the last one.
        private static let lateCountMax = 2

        private let eventLoop: any EventLoop
        private let waiting = Mutex(CircularBuffer<@Sendable () -> Void>())

        fileprivate init(_ eventLoop: any EventLoop) {
            self.eventLoop = eventLoop
        }

        /// Has a request answered on the event loop, after the requests that wait already.
        func wait(_ answer: @escaping @Sendable () -> Void) {
            let isFirst = waiting.withLock { waiting in
                waiting.append(answer)
                return waiting.count == 1
            }
            if isFirst { awaitMoment(lateCount: 0) }
        }

        private func awaitMoment(lateCount: Int) {
            let moment = ConnectionLimits.pipelinedMoment
            let end = eventLoop.now + moment
            eventLoop.scheduleTask(deadline: end) {
                // A loop that comes late had tasks, and may not have looked at its sockets.
                if self.eventLoop.now - end > moment, lateCount < Self.lateCountMax {
                    self.awaitMoment(lateCount: lateCount + 1)
                } else {
                    self.answerFirst()
                }
            }
        }

        private func answerFirst() {
            // The request stays in the queue meanwhile: whoever comes now is not the first.
            let answer = waiting.withLock { $0.first }
            answer?()
            let hasMore = waiting.withLock { waiting in
                waiting.removeFirst()
                return !waiting.isEmpty
            }
            if hasMore { awaitMoment(lateCount: 0) }
        }
    }
}
