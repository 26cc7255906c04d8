import NIOCore
import Synchronization

/// Wakes connections that have something to send. One task wakes all connections of an event loop.
///
/// A change for a thousand listeners would otherwise be a thousand tasks.
///
///     host's turn --wake--> waiting connections of the loop --one task--> each connection sends
final class RealtimeWakes: Sendable {
    private let loops = Mutex<[ObjectIdentifier: Loop]>([:])

    /// The wakes of one event loop. A connection asks once.
    func wakes(of eventLoop: any EventLoop) -> Loop {
        loops.withLock { loops in
            let id = ObjectIdentifier(eventLoop)
            if let loop = loops[id] { return loop }
            let loop = Loop(eventLoop)
            loops[id] = loop
            return loop
        }
    }

    /// The connections of one event loop that wait to be woken.
    final class Loop: Sendable {
        private let eventLoop: any EventLoop
        private let waiting = Mutex<[@Sendable () -> Void]>([])

        fileprivate init(_ eventLoop: any EventLoop) {
            self.eventLoop = eventLoop
        }

        /// Has a connection woken on the event loop, after the connections that wait already.
        ///
        /// Any thread may call, under a lock: the call itself wakes nobody.
        func wake(_ connection: @escaping @Sendable () -> Void) {
            let isFirst = waiting.withLock { waiting in
                waiting.append(connection)
                return waiting.count == 1
            }
            if isFirst { eventLoop.execute { self.wakeAll() } }
        }

        private func wakeAll() {
            let woken = waiting.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            for connection in woken { connection() }
        }
    }
}
