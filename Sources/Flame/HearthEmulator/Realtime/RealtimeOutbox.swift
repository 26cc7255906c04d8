import HearthBackend
import HearthModel
import HearthProtocol
import Synchronization

/// What one listening connection has still to send. Bounded: past the bound the connection ends, and its
/// client asks anew with the hash of what it holds.
///
/// The host puts messages in under its lock and never waits; the connection takes them out on its own loop.
final class RealtimeOutbox: Sendable {
    /// Messages after which a connection that does not read is given up. Values are shared by all listeners,
    /// so what waits costs little but the changes themselves.
    static let messageCountMax = 16_384

    /// One thing to tell, in the order in which things happened.
    enum Message: Sendable {
        /// Something changed.
        case push(SharedChange, tag: Int?)
        /// A listen has ended.
        case revoke(RealtimePath, QueryParameters, tag: Int?)
        /// A request is answered.
        case answer(RealtimeBackend.Answer, request: Int)
        /// Nothing that was told lately is kept; the connection must end.
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
    /// - Parameter wake: Called on any thread, under the host's lock, when something is there again.
    init(wake: @escaping @Sendable () -> Void) {
        self.wake = wake
    }

    /// Adds a message, or ends all if too many wait.
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

    /// Takes out what waits.
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
