import HearthBackend
import HearthModel
import HearthProtocol
import NIOCore
import Synchronization

/// The messages that one listening connection still has to send.
///
/// Past a bound of messages or of bytes the connection ends. The client then listens anew, with the
/// hash of the data that the client holds.
///
/// The host puts messages in under its lock and never waits. The connection takes the messages out
/// on its own loop.
final class RealtimeOutbox: Sendable {
    /// The most messages that may wait before the connection ends.
    ///
    /// All listeners share a change's values, so a waiting message costs little more than its place
    /// in the queue.
    static let messageCountMax = 16_384
    /// The most bytes of changes that may wait before the connection ends.
    ///
    /// The largest write of the protocol fits in.
    static let byteCountMax = RealtimeLimits.wireWriteByteCountMax
    /// The room for messages that an empty outbox keeps, so that the next message allocates nothing.
    private static let keptCountMax = 16

    /// A message for the client. Messages wait in the order of the events.
    enum Message: Sendable {
        /// Data changed.
        case push(SharedChange, tag: Int?)
        /// The backend has ended a listen.
        ///
        /// Apart, because the query would make every message large.
        indirect case revoke(RealtimePath, QueryParameters, tag: Int?)
        /// The answer to a request.
        case answer(RealtimeBackend.Answer, request: Int)
        /// Changes that the client may know did not reach the disk; the connection must end.
        case lost(HearthError)
    }

    private struct State {
        var messages = CircularBuffer<Message>(initialCapacity: 2)
        var byteCount = 0
        var isOver = false
    }

    /// The loop in whose broadcasts the connection takes part; `nil` for a connection that takes
    /// part in none.
    let loop: RealtimeWakes.Loop?
    private let state = Mutex(State())
    private let wake: @Sendable () -> Void

    /// An empty outbox.
    ///
    /// - Parameters:
    ///   - loop: The loop in whose broadcasts the connection takes part, if it does.
    ///   - wake: Called on any thread, under the host's lock, when an empty outbox gets a message.
    init(in loop: RealtimeWakes.Loop? = nil, wake: @escaping @Sendable () -> Void) {
        self.loop = loop
        self.wake = wake
    }

    /// Adds a message. Past the bound, one `lost` replaces all messages, and the connection ends.
    func put(_ message: Message) {
        if add(message) { wake() }
    }

    /// Adds a message as `put` does, and wakes nobody: the caller does.
    ///
    /// - Returns: Whether the connection must be woken.
    func add(_ message: Message) -> Bool {
        state.withLock { state in
            if state.isOver { return false }
            let wasEmpty = state.messages.isEmpty
            state.messages.append(message)
            state.byteCount += message.byteCount
            let isTooMuch = state.byteCount > Self.byteCountMax && state.messages.count > 1
            if isTooMuch || state.messages.count > Self.messageCountMax {
                state = State(messages: [.lost(Self.tooSlow)], isOver: true)
                return true
            }
            return wasEmpty
        }
    }

    /// Takes the oldest message that waits; `nil` if none waits.
    ///
    /// - Returns: The message, and whether it is the last: the next one wakes the connection.
    func next() -> (message: Message, isLast: Bool)? {
        state.withLock { state in
            guard let message = state.messages.popFirst() else { return nil }
            state.byteCount -= message.byteCount
            let isLast = state.messages.isEmpty
            if isLast, state.messages.capacity > Self.keptCountMax { state.messages.removeAll() }
            return (message, isLast)
        }
    }

    private static let tooSlow = HearthError(
        code: .resourceExhausted,
        message: "More than \(messageCountMax) messages or \(byteCountMax) bytes wait to be read.")
}

extension RealtimeOutbox.Message {
    /// About how many bytes of memory the message holds.
    fileprivate var byteCount: Int {
        switch self {
        case .push(let change, _): change.byteCount
        case .revoke, .answer, .lost: 0
        }
    }
}
