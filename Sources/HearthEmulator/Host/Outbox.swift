import HearthModel
import Synchronization

/// What one watch stream has still to send. Bounded: past the bound the backend pauses the stream.
///
/// The host puts messages in and never waits; the stream's own task takes them out.
final class Outbox: Sendable {
    /// Messages after which a stream counts as slow. A large first answer may exceed it once.
    static let messageCountMax = 1_024

    private struct State {
        var messages: [WatchChange] = []
        var isEnded = false
        var wasSlow = false
        var taker: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// Adds messages.
    ///
    /// - Returns: Whether the stream keeps up.
    func put(_ messages: [WatchChange]) -> Bool {
        let (taker, keepsUp) = state.withLock { state in
            state.messages += messages
            defer { state.taker = nil }
            let keepsUp = state.messages.count <= Self.messageCountMax
            if !keepsUp { state.wasSlow = true }
            return (state.taker, keepsUp)
        }
        taker?.resume()
        return keepsUp
    }

    /// Whether the stream was too slow since this was last asked, and so may have missed something.
    func takeSlowness() -> Bool {
        state.withLock { state in
            defer { state.wasSlow = false }
            return state.wasSlow
        }
    }

    /// How many messages wait.
    var count: Int { state.withLock { $0.messages.count } }

    /// Lets the taker leave when all is sent.
    func end() {
        let taker = state.withLock { state in
            state.isEnded = true
            defer { state.taker = nil }
            return state.taker
        }
        taker?.resume()
    }

    /// Takes all messages, and waits for the first; empty when the outbox has ended.
    ///
    /// One task may wait at a time. A cancelled one gets nothing.
    func take() async -> [WatchChange] {
        while true {
            let (messages, isEnded) = state.withLock { state in
                defer { state.messages = [] }
                return (state.messages, state.isEnded)
            }
            if !messages.isEmpty || isEnded || Task.isCancelled { return messages }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let isLate = state.withLock { state in
                        if !state.messages.isEmpty || state.isEnded || Task.isCancelled {
                            return true
                        }
                        state.taker = continuation
                        return false
                    }
                    if isLate { continuation.resume() }
                }
            } onCancel: {
                end()
            }
        }
    }
}
