import HearthModel
import Synchronization

/// What one watch stream has still to send. Bounded: past the bound the backend pauses the stream.
///
/// The host puts messages in and never waits; the stream takes them out on its own thread, and says
/// when they have left.
final class Outbox: Sendable {
    /// Messages after which a stream counts as slow. A large first answer may exceed it once.
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
    /// - Parameter wake: Called on any thread when something is there again.
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

    /// The stream has missed something, however fast it is.
    func fellBehind() {
        state.withLock { $0.wasSlow = true }
        wake()
    }

    /// Whether the stream was too slow since this was last asked, and so may have missed something.
    func takeSlowness() -> Bool {
        state.withLock { state in
            defer { state.wasSlow = false }
            return state.wasSlow
        }
    }

    /// How many messages wait, those taken and not sent included.
    var count: Int { state.withLock { $0.messages.count + $0.takenCount } }

    /// Takes all messages. They count as waiting until `sent` says otherwise.
    func take() -> [WatchChange] {
        state.withLock { state in
            defer { state.messages = [] }
            state.takenCount += state.messages.count
            return state.messages
        }
    }

    /// Messages that were taken have left.
    func sent(_ count: Int) {
        state.withLock { $0.takenCount -= count }
    }
}
