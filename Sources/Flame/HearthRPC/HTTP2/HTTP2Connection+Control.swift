/// Frames of the connection, and room for what is sent.
extension HTTP2Connection {
    mutating func receivedSettings(
        _ head: FrameHead, _ payload: UnsafeRawBufferPointer, at now: Duration
    ) throws(HTTP2Fault) {
        guard head.stream == .connection else {
            throw HTTP2Fault(.protocolError, "SETTINGS of a stream")
        }
        if head.flags.contains(.acknowledgement) {
            guard payload.isEmpty else {
                throw HTTP2Fault(.frameSizeError, "an acknowledgement of SETTINGS has bytes")
            }
            areSettingsKnown = true
            return
        }
        try controlRate.count(at: now, "too many frames change settings")
        let before = settings
        try settings.take(payload)
        encoder.tableResized(
            to: settings.tableByteCount, least: settings.leastTableByteCount)
        put(.settings, .acknowledgement, length: 0)
        try resizeWindows(by: settings.windowByteCount - before.windowByteCount)
    }

    private mutating func resizeWindows(by change: Int) throws(HTTP2Fault) {
        if change == 0 { return }
        for id in Array(streams.keys) { try grow(id, by: change) }
        sendWaiting()
    }

    mutating func receivedPing(
        _ head: FrameHead, _ payload: UnsafeRawBufferPointer, at now: Duration
    ) throws(HTTP2Fault) -> Event? {
        guard head.stream == .connection else {
            throw HTTP2Fault(.protocolError, "PING of a stream")
        }
        guard payload.count == 8 else {
            throw HTTP2Fault(.frameSizeError, "PING has not eight bytes")
        }
        if head.flags.contains(.acknowledgement) { return .pong }
        try pingRate.count(at: now, "too many pings come between answers")
        put(.ping, .acknowledgement, length: payload.count)
        output.append(contentsOf: payload)
        return nil
    }

    /// The client begins no more streams. The client's open streams go on.
    func receivedGoAway(_ head: FrameHead) throws(HTTP2Fault) {
        guard head.stream == .connection else {
            throw HTTP2Fault(.protocolError, "GOAWAY of a stream")
        }
        guard head.length >= 8 else {
            throw HTTP2Fault(.frameSizeError, "GOAWAY has fewer than eight bytes")
        }
    }

    mutating func receivedWindowUpdate(
        _ head: FrameHead, _ payload: UnsafeRawBufferPointer, at now: Duration
    ) throws(HTTP2Fault) {
        guard payload.count == 4 else {
            throw HTTP2Fault(.frameSizeError, "WINDOW_UPDATE has not four bytes")
        }
        let more = Int(StreamID(payload.number(at: 0)).number)
        if head.stream == .connection {
            guard more > 0 else {
                throw HTTP2Fault(.protocolError, "WINDOW_UPDATE gives no room")
            }
            sendWindow += more
            guard sendWindow <= PeerSettings.windowByteCountMax else {
                throw HTTP2Fault(.flowControlError, "the connection's window is too large")
            }
        } else {
            try expectBegun(head.stream)
            guard let stream = streams[head.stream] else { return }  // A race: it is over.
            guard more > 0 else { return try refuse(head.stream, .protocolError, at: now) }
            guard stream.sendWindow + more <= PeerSettings.windowByteCountMax else {
                return try refuse(head.stream, .flowControlError, at: now)
            }
            try grow(head.stream, by: more)
        }
        sendWaiting()
    }

    /// Changes how much a stream may carry to the client.
    private mutating func grow(_ id: StreamID, by change: Int) throws(HTTP2Fault) {
        guard var stream = streams[id] else { return }
        stream.sendWindow += change
        guard stream.sendWindow <= PeerSettings.windowByteCountMax else {
            throw HTTP2Fault(.flowControlError, "a stream's window is too large")
        }
        streams[id] = stream
        enqueue(id)
    }
}
