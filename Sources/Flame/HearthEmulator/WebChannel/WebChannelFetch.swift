import HearthRPC
import NIOCore
import NIOHTTP1

/// A back channel's answer under way, on its connection's event loop.
final class WebChannelFetch: HTTPStream {
    private let id: WebChannelSession.LineID
    private let session: WebChannels.Handle
    private let exchange: HTTPExchange
    private var isOver = false

    /// An answer that has not begun.
    init(
        _ id: WebChannelSession.LineID, of session: WebChannels.Handle, on exchange: HTTPExchange
    ) {
        self.id = id
        self.session = session
        self.exchange = exchange
    }

    /// Begins the answer.
    ///
    /// - Returns: A line for the session, which may write the answer from any thread.
    func begin() -> WebChannelLine {
        var headers = HTTPReply.channelHeaders
        headers.add(name: "content-type", value: HTTPReply.channelType)
        exchange.begin(.ok, headers, self)
        exchange.flush()
        let bound = NIOLoopBound(self, eventLoop: exchange.eventLoop)
        let eventLoop = exchange.eventLoop
        return WebChannelLine(
            id: id,
            write: { bytes in eventLoop.execute { bound.value.write(bytes) } },
            end: { eventLoop.execute { bound.value.end() } })
    }

    /// Does nothing: the session itself bounds the arrays that the client has not fetched.
    func becameWritable() {}

    /// Ends the answer, because a client that closes its input has gone.
    ///
    /// A living client posts on other connections, and keeps the input of this connection open.
    func inputEnded() {
        closed()
        exchange.breakOff()
    }

    func closed() {
        if isOver { return }
        isOver = true
        session.run { [id] call in call.lost(id) }
    }

    private func write(_ bytes: [UInt8]) {
        if isOver { return }  // Race: the connection is gone.
        exchange.write(ByteBuffer(bytes: bytes))
        exchange.flush()
    }

    private func end() {
        if isOver { return }  // Race: the connection is gone.
        isOver = true
        exchange.end()
    }
}
