import HearthEngine
import HearthModel
import HearthRealtime
import Synchronization

/// Tells an engine events one by one, in their order, and knows how much the engine has yet to
/// take.
///
/// While too much waits, nothing more is read from the WebSocket. So a slow engine slows the
/// service by TCP's own flow control.
final class LinkEvents: Sendable {
    private struct Waiting: Sendable {
        let event: RealtimeUpstreamEvent
        let byteCount: Int
    }

    private struct State {
        var byteCount = 0
        var count = 0
        var reader: CheckedContinuation<Void, Never>?
        var isOver = false
        /// The last link that the engine has closed; no event of that link may follow.
        var closed = StreamNumber(0)
    }

    /// So many bytes of messages may wait. One message may be larger.
    static let byteCountMax = 1 << 20
    /// So many events may wait.
    static let countMax = 256

    private let queue = BatchQueue<Waiting>()
    private let state = Mutex(State())

    /// Tells `sink`. Ends with `end`.
    init(_ sink: @escaping @Sendable (RealtimeUpstreamEvent) async -> Void) {
        Task { [self] in
            while let batch = await queue.take() {
                for waiting in batch {
                    if isWanted(waiting.event) { await sink(waiting.event) }
                    told(waiting)
                }
            }
        }
    }

    /// Adds an event that a message of this size has brought.
    func put(_ event: RealtimeUpstreamEvent, byteCount: Int) {
        state.withLock { state in
            state.byteCount += byteCount
            state.count += 1
        }
        queue.put(Waiting(event: event, byteCount: byteCount))
    }

    /// Whether so much waits that nothing more may be read.
    var isFull: Bool { state.withLock { Self.isFull($0) } }

    /// Returns when more may be read. Only one task may wait.
    func waitForRoom() async {
        await withCheckedContinuation { continuation in
            let mayRead = state.withLock { state in
                if !Self.isFull(state) { return true }
                // A reader of a WebSocket that was given up may wait still.
                let former = state.reader
                state.reader = continuation
                former?.resume()
                return false
            }
            if mayRead { continuation.resume() }
        }
    }

    /// The engine has closed a link. No event of the link, or of an earlier link, is told any more.
    func silence(_ number: StreamNumber) {
        state.withLock { $0.closed = max($0.closed, number) }
    }

    /// Tells nothing more.
    func end() {
        queue.end()
        let reader = state.withLock { state in
            defer { state.reader = nil }
            state.isOver = true
            return state.reader
        }
        reader?.resume()
    }

    private static func isFull(_ state: State) -> Bool {
        !state.isOver && (state.byteCount >= byteCountMax || state.count >= countMax)
    }

    private func isWanted(_ event: RealtimeUpstreamEvent) -> Bool {
        state.withLock { !$0.isOver && event.number > $0.closed }
    }

    private func told(_ waiting: Waiting) {
        let reader = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.byteCount -= waiting.byteCount
            state.count -= 1
            guard !Self.isFull(state) else { return nil }
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume()
    }
}

extension RealtimeUpstreamEvent {
    /// The link of the event.
    fileprivate var number: StreamNumber {
        switch self {
        case .opened(let number, _), .answered(let number, _), .pushed(let number, _),
            .closed(let number, _):
            number
        }
    }
}
