import HearthModel
import Synchronization

/// The messages that one watch stream still has to send.
///
/// Past a bound the backend pauses the stream.
///
/// The host puts messages in and never waits. The stream takes the messages out on its own thread,
/// and calls `sent` when the messages have left.
final class Outbox: Sendable {
    /// The most messages of a stream that keeps up.
    ///
    /// A large first answer may exceed this count once.
    static let messageCountMax = 1_024

    private struct State {
        var messages: [WatchChange] = []
        var takenCount = 0
        var wasSlow = false
    }

    private let state = Mutex(State())
    private let wake: @Sendable () -> Void

    /// An empty outbox.
    ///
    /// - Parameter wake: Called on any thread when an empty outbox gets a message.
    init(wake: @escaping @Sendable () -> Void = {}) {
        self.wake = wake
    }

    /// Adds messages.
    ///
    /// - Returns: Whether the stream keeps up.
    func put(_ messages: [WatchChange]) -> Bool {
        let (wasEmpty, keepsUp) = state.withLock { state in
            let wasEmpty = state.messages.isEmpty
            state.messages += messages
            let keepsUp = state.messages.count + state.takenCount <= Self.messageCountMax
            if !keepsUp { state.wasSlow = true }
            return (wasEmpty, keepsUp)
        }
        if wasEmpty, !messages.isEmpty { wake() }
        return keepsUp
    }

    /// Notes that the stream has missed changes, however fast the stream is.
    func fellBehind() {
        state.withLock { $0.wasSlow = true }
        wake()
    }

    /// Whether the stream was too slow since the last call, and so may have missed changes.
    func takeSlowness() -> Bool {
        state.withLock { state in
            defer { state.wasSlow = false }
            return state.wasSlow
        }
    }

    /// How many messages wait, with the messages that were taken and not sent yet.
    var count: Int { state.withLock { $0.messages.count + $0.takenCount } }

    /// Takes all messages. The messages count as waiting until `sent` is called.
    func take() -> [WatchChange] {
        state.withLock { state in
            defer { state.messages = [] }
            state.takenCount += state.messages.count
            return state.messages
        }
    }

    /// Notes that so many taken messages have left.
    func sent(_ count: Int) {
        state.withLock { $0.takenCount -= count }
    }
}
