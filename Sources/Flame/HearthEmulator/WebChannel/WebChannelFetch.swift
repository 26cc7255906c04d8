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
    /// - Returns: How the session writes it, from any thread.
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

    /// The session bounds what the client has not fetched.
    func becameWritable() {}

    /// Who fetches could always post on other connections; this one has gone.
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
