import HearthRPC
import NIOCore
import NIOHTTP1

/// One answer that goes on, as server-sent events. For the connection's event loop.
///
/// Shape: `event: NAME\ndata: JSON\n\n`; lines that begin with a colon show that the stream lives.
final class EventStream: HTTPStream {
    private let exchange: HTTPExchange
    private let outlet: EventOutlet
    private var keepAlive: RepeatedTask?
    private var isOver = false
    private var whenClosed: (() -> Void)?

    /// A stream whose answer has not begun.
    init(_ exchange: HTTPExchange) {
        self.exchange = exchange
        outlet = EventOutlet(on: exchange.eventLoop)
    }

    /// Begins the answer.
    ///
    /// - Returns: Where events go, from any thread.
    func begin() -> EventOutlet {
        let bound = NIOLoopBound(self, eventLoop: exchange.eventLoop)
        outlet.connect { bound.value.take($0) }
        exchange.begin(.ok, ["content-type": "text/event-stream; charset=utf-8"], self)
        write(": hello\n\n")
        let interval = TimeAmount(ConsoleLimits.keepAliveInterval)
        keepAlive = exchange.eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval)
        {
            _ in bound.value.write(": still here\n\n")
        }
        return outlet
    }

    /// Calls `body` once, when the stream has ended, by whichever side; at once if it has.
    func whenClosed(_ body: @escaping () -> Void) {
        if isOver { body() } else { whenClosed = body }
    }

    func becameWritable() { outlet.setWritable(true) }

    /// A client that waits for events and closes its half of the connection has gone.
    func inputEnded() {
        closed()
        exchange.breakOff()
    }

    func closed() {
        if isOver { return }
        isOver = true
        keepAlive?.cancel()
        outlet.close()
        whenClosed?()
        whenClosed = nil
    }

    private func take(_ item: EventOutlet.Item) {
        if isOver { return }
        switch item {
        case .event(let bytes):
            exchange.write(ByteBuffer(bytes: bytes))
            exchange.flush()
            if !exchange.isWritable { outlet.setWritable(false) }
            outlet.sent()
        case .end:
            closed()
            exchange.end()
        }
    }

    private func write(_ text: String) {
        if isOver { return }
        exchange.write(ByteBuffer(string: text))
        exchange.flush()
    }
}
