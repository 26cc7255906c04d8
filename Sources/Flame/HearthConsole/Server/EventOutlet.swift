import NIOCore
import Synchronization

/// Where the events of one stream go, from any thread; an event leaves when the page has read the last.
package final class EventOutlet: Sendable {
    /// What a stream carries out.
    enum Item: Sendable {
        /// Bytes to send.
        case event([UInt8])
        /// The end of the stream.
        case end
    }

    private struct State {
        var isWritable = true
        var isSending = false
        var isClosed = false
        var waiting: CheckedContinuation<Bool, Never>?
        var take: (@Sendable (Item) -> Void)?
    }

    private let eventLoop: any EventLoop
    private let state = Mutex(State())

    /// An outlet that is not connected yet.
    init(on eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    /// Connects the outlet to its stream.
    func connect(_ take: @escaping @Sendable (Item) -> Void) {
        state.withLock { $0.take = take }
    }

    /// Waits until the page has read what was sent before.
    ///
    /// - Returns: Whether the stream still goes on.
    func ready() async -> Bool {
        await withCheckedContinuation { continuation in
            let answer = state.withLock { state -> Bool? in
                if state.isClosed { return false }
                if state.isWritable, !state.isSending { return true }
                state.waiting = continuation
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    /// Sends an event, once the page has read what was sent before.
    ///
    /// - Parameter data: One line.
    /// - Returns: Whether the stream still goes on.
    @discardableResult
    package func send(_ name: String, _ data: [UInt8]) async -> Bool {
        guard await ready() else { return false }
        let bytes = Array("event: \(name)\ndata: ".utf8) + data + Array("\n\n".utf8)
        put(.event(bytes))
        return true
    }

    /// Ends the stream.
    func end() { put(.end) }

    private func put(_ item: Item) {
        let take = state.withLock { state in
            if case .event = item { state.isSending = true }
            return state.isClosed ? nil : state.take
        }
        guard let take else { return }
        eventLoop.execute { take(item) }
    }

    /// The event loop has written the event.
    func sent() { change { $0.isSending = false } }

    /// The page reads as fast as is written, or not.
    func setWritable(_ isWritable: Bool) { change { $0.isWritable = isWritable } }

    /// The stream has ended.
    func close() {
        change {
            $0.isClosed = true
            $0.take = nil
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let (waiting, isOpen) = state.withLock { state in
            body(&state)
            let isReady = state.isClosed || state.isWritable && !state.isSending
            defer { if isReady { state.waiting = nil } }
            return (isReady ? state.waiting : nil, !state.isClosed)
        }
        waiting?.resume(returning: isOpen)
    }
}
