import HearthBackend
import HearthModel
import HearthProtocol
import Synchronization

/// The messages that one listening connection still has to send.
///
/// Past a bound the connection ends. The client then listens anew, with the hash of the data that
/// the client holds.
///
/// The host puts messages in under its lock and never waits. The connection takes the messages out
/// on its own loop.
final class RealtimeOutbox: Sendable {
    /// The most messages that may wait before the connection ends.
    ///
    /// All listeners share a change's values, so a waiting message costs little more than its place
    /// in the queue.
    static let messageCountMax = 16_384

    /// A message for the client. Messages wait in the order of the events.
    enum Message: Sendable {
        /// Data changed.
        case push(SharedChange, tag: Int?)
        /// The backend has ended a listen.
        case revoke(RealtimePath, QueryParameters, tag: Int?)
        /// The answer to a request.
        case answer(RealtimeBackend.Answer, request: Int)
        /// Changes that the client may know did not reach the disk; the connection must end.
        case lost(HearthError)
    }

    private struct State {
        var messages: [Message] = []
        var isOver = false
    }

    private let state = Mutex(State())
    private let wake: @Sendable () -> Void

    /// An empty outbox.
    ///
    /// - Parameter wake: Called on any thread, under the host's lock, when an empty outbox gets a
    ///   message.
    init(wake: @escaping @Sendable () -> Void) {
        self.wake = wake
    }

    /// Adds a message. Past the bound, one `lost` replaces all messages, and the connection ends.
    func put(_ message: Message) {
        let wasEmpty = state.withLock { state in
            if state.isOver { return false }
            let wasEmpty = state.messages.isEmpty
            state.messages.append(message)
            if state.messages.count > Self.messageCountMax {
                state.isOver = true
                state.messages = [.lost(Self.tooSlow)]
                return true
            }
            return wasEmpty
        }
        if wasEmpty { wake() }
    }

    /// Takes all messages that wait.
    func take() -> [Message] {
        state.withLock { state in
            defer { state.messages = [] }
            return state.messages
        }
    }

    private static let tooSlow = HearthError(
        code: .resourceExhausted,
        message: "More than \(messageCountMax) changes wait to be read.")
}
