/// The bytes that a client sends.
extension HTTP2Connection {
    /// Reads the next frame.
    ///
    /// - Parameters:
    ///   - bytes: All that came and was not read.
    ///   - now: The time since any moment, always the same one.
    /// - Returns: `nil` if bytes of the frame are missing; at most `ConnectionLimits`'s
    ///   `frameByteCountMax` and a head wait then.
    /// - Throws: Why the connection must end; the client is told in `output`. Nothing can be read
    ///   after a fault.
    mutating func read(
        _ bytes: UnsafeRawBufferPointer, at now: Duration
    ) throws(HTTP2Fault) -> Reading? {
        do throws(HTTP2Fault) {
            if case .preface = stage { return try readPreface(bytes) }
            guard let head = FrameHead(bytes) else { return nil }
            guard head.length <= ConnectionLimits.frameByteCountMax else {
                throw HTTP2Fault(.frameSizeError, "a frame is larger than it may be")
            }
            guard bytes.count >= head.frameByteCount else { return nil }
            let payload = bytes.part(FrameHead.byteCount..<head.frameByteCount)
            let event = try received(head, payload, at: now)
            return Reading(byteCount: head.frameByteCount, event: event)
        } catch {
            goAway(last: lastStream, error.code)
            throw error
        }
    }

    private mutating func readPreface(
        _ bytes: UnsafeRawBufferPointer
    ) throws(HTTP2Fault) -> Reading? {
        let count = min(bytes.count, Self.preface.count)
        guard bytes.prefix(count).elementsEqual(Self.preface.prefix(count)) else {
            throw HTTP2Fault(.protocolError, "the connection does not begin as HTTP/2 does")
        }
        guard count == Self.preface.count else { return nil }
        stage = .settings
        return Reading(byteCount: count, event: nil)
    }

    private mutating func received(
        _ head: FrameHead, _ payload: UnsafeRawBufferPointer, at now: Duration
    ) throws(HTTP2Fault) -> Event? {
        if case .settings = stage {
            guard head.kind == .settings, !head.flags.contains(.acknowledgement) else {
                throw HTTP2Fault(.protocolError, "the first frame is not SETTINGS")
            }
            stage = .open
        }
        guard block == nil || head.kind == .continuation else {
            throw HTTP2Fault(.protocolError, "a block of headers is interrupted")
        }
        switch head.kind {
        case .data: return try receivedData(head, payload, at: now)
        case .headers: return try receivedHeaders(head, payload, at: now)
        case .continuation: return try receivedContinuation(head, payload, at: now)
        case .priority: try receivedPriority(head, at: now)
        case .reset: try receivedReset(head, at: now)
        case .settings: try receivedSettings(head, payload, at: now)
        case .push: throw HTTP2Fault(.protocolError, "a client pushes a stream")
        case .ping: return try receivedPing(head, payload, at: now)
        case .goAway: try receivedGoAway(head)
        case .windowUpdate: try receivedWindowUpdate(head, payload, at: now)
        case nil: break
        }
        return nil
    }
}

/// Frames of streams.
extension HTTP2Connection {
    private mutating func receivedData(
        _ head: FrameHead, _ payload: UnsafeRawBufferPointer, at now: Duration
    ) throws(HTTP2Fault) -> Event? {
        try expectBegun(head.stream)
        let content = try unpadded(head, payload)
        let isLast = head.flags.contains(.endStream)
        emptyDataCount = content.isEmpty && !isLast ? emptyDataCount + 1 : 0
        guard emptyDataCount <= ConnectionLimits.emptyDataCountMax else {
            throw HTTP2Fault(.enhanceYourCalm, "DATA without bytes come again and again")
        }
        try countReceived(head.length)
        guard var stream = streams[head.stream] else {
            // A race: the client had not heard of the stream's end.
            try controlRate.count(at: now, "too much comes for streams that are over")
            return nil
        }
        stream.windowDebt += head.length
        if stream.hasClientEnded {
            try refuse(head.stream, .streamClosed, at: now)
            return nil
        }
        if stream.windowDebt > ConnectionLimits.streamWindowByteCount {
            try refuse(head.stream, .flowControlError, at: now)
            return nil
        }
        if isLast { stream.hasClientEnded = true }
        streams[head.stream] = stream
        let start = FrameHead.byteCount + content.lowerBound
        let range = start..<start + content.count
        return .data(head.stream, range, isLast: isLast)
    }

    /// Counts bytes for the connection's window, and gives new room when half of it is used up.
    private mutating func countReceived(_ byteCount: Int) throws(HTTP2Fault) {
        windowDebt += byteCount
        guard windowDebt <= ConnectionLimits.connectionWindowByteCount else {
            throw HTTP2Fault(.flowControlError, "more comes than the connection's window has room")
        }
        guard windowDebt > ConnectionLimits.connectionWindowByteCount / 2 else { return }
        put(.windowUpdate, length: 4)
        output.appendNumber(UInt32(windowDebt))
        windowDebt = 0
    }

    private mutating func receivedHeaders(
        _ head: FrameHead, _ payload: UnsafeRawBufferPointer, at now: Duration
    ) throws(HTTP2Fault) -> Event? {
        guard head.stream.isOfClient else {
            throw HTTP2Fault(.protocolError, "HEADERS of a stream that no client begins")
        }
        emptyDataCount = 0
        var range = try unpadded(head, payload)
        if head.flags.contains(.priority) {
            guard range.count >= 5 else {
                throw HTTP2Fault(.frameSizeError, "HEADERS are too short for their priority")
            }
            range = range.lowerBound + 5..<range.upperBound
        }
        let isLast = head.flags.contains(.endStream)
        guard head.flags.contains(.endHeaders) else {
            block = OpenBlock(
                stream: head.stream, isLast: isLast, bytes: Array(payload.part(range)))
            return nil
        }
        let fields = try decoder.decode(payload.part(range))
        return try receivedBlock(fields, on: head.stream, isLast: isLast, at: now)
    }

    private mutating func receivedContinuation(
        _ head: FrameHead, _ payload: UnsafeRawBufferPointer, at now: Duration
    ) throws(HTTP2Fault) -> Event? {
        guard var open = block, open.stream == head.stream else {
            throw HTTP2Fault(.protocolError, "CONTINUATION continues nothing")
        }
        block = nil
        open.continuationCount += 1
        guard open.continuationCount <= ConnectionLimits.continuationCountMax,
            open.bytes.count + payload.count <= ConnectionLimits.headerByteCountMax
        else { throw HTTP2Fault(.enhanceYourCalm, "a block of headers goes on for too long") }
        open.bytes.append(contentsOf: payload)
        guard head.flags.contains(.endHeaders) else {
            block = open
            return nil
        }
        let decoded = open.bytes.withUnsafeBytes { bytes in
            Result { () throws(HTTP2Fault) in try decoder.decode(bytes) }
        }
        return try receivedBlock(
            try decoded.get(), on: open.stream, isLast: open.isLast, at: now)
    }

    /// Takes the fields of the block that the decoder has just read.
    private mutating func receivedBlock(
        _ fields: HeaderFields, on id: StreamID, isLast: Bool, at now: Duration
    ) throws(HTTP2Fault) -> Event? {
        if let stream = streams[id] {
            if stream.hasClientEnded {
                try refuse(id, .streamClosed, at: now)
                return nil
            }
            guard isLast, decoder.form == .plain else {
                try refuse(id, .protocolError, at: now)
                return nil
            }
            streams[id]?.hasClientEnded = true
            return .headers(id, fields, isLast: true)
        }
        guard id > lastStream else {
            // A race: the client had not heard of the stream's end.
            try controlRate.count(at: now, "too much comes for streams that are over")
            return nil
        }
        lastStream = id
        guard try isRoom(for: id, at: now) else { return nil }
        guard decoder.form != .malformed else {
            try faultRate.count(at: now, "too many streams are used wrongly")
            putReset(id, .protocolError)  // No call has begun, so none must hear of it.
            return nil
        }
        streams[id] = HTTP2Stream(sendWindow: settings.windowByteCount, hasClientEnded: isLast)
        return .headers(id, fields, isLast: isLast)
    }

    /// Whether a further stream may begin.
    private mutating func isRoom(for id: StreamID, at now: Duration) throws(HTTP2Fault) -> Bool {
        // A race: the client had not heard that the server ends.
        guard id <= lastServed else { return false }
        if streams.count < ConnectionLimits.streamCountMax { return true }
        guard !areSettingsKnown else {
            throw HTTP2Fault(.protocolError, "more streams begin than may be open")
        }
        try resetRate.count(at: now, "too many streams begin")
        putReset(id, .refusedStream)
        return false
    }

    private mutating func receivedReset(_ head: FrameHead, at now: Duration) throws(HTTP2Fault) {
        try expectBegun(head.stream)
        guard head.length == 4 else {
            throw HTTP2Fault(.frameSizeError, "RST_STREAM has not four bytes")
        }
        try resetRate.count(at: now, "too many streams are given up")
        remove(head.stream)
    }

    private mutating func receivedPriority(
        _ head: FrameHead, at now: Duration
    ) throws(HTTP2Fault) {
        try controlRate.count(at: now, "too many frames change priorities")
        guard head.stream != .connection else {
            throw HTTP2Fault(.protocolError, "PRIORITY of no stream")
        }
        guard head.length == 5 else {
            throw HTTP2Fault(.frameSizeError, "PRIORITY has not five bytes")
        }
    }

    /// Expects that a frame belongs to a stream that the client has begun, be it over or not.
    private func expectBegun(_ id: StreamID) throws(HTTP2Fault) {
        guard id.isOfClient, id <= lastStream else {
            throw HTTP2Fault(.protocolError, "a frame is for a stream that has not begun")
        }
    }

    /// The place of a payload's content between what only fills up.
    private func unpadded(
        _ head: FrameHead, _ payload: UnsafeRawBufferPointer
    ) throws(HTTP2Fault) -> Range<Int> {
        guard head.flags.contains(.padded) else { return 0..<payload.count }
        guard let count = payload.first, Int(count) < payload.count else {
            throw HTTP2Fault(.protocolError, "a frame has more padding than bytes")
        }
        return 1..<payload.count - Int(count)
    }

    /// Ends a stream whose client broke a rule.
    private mutating func refuse(
        _ id: StreamID, _ code: HTTP2Code, at now: Duration
    ) throws(HTTP2Fault) {
        try faultRate.count(at: now, "too many streams are used wrongly")
        reset(id, code)
    }
}

/// Frames of the connection.
extension HTTP2Connection {
    private mutating func receivedSettings(
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

    private mutating func receivedPing(
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

    /// The client begins no more streams; those that it has begun go on.
    private func receivedGoAway(_ head: FrameHead) throws(HTTP2Fault) {
        guard head.stream == .connection else {
            throw HTTP2Fault(.protocolError, "GOAWAY of a stream")
        }
        guard head.length >= 8 else {
            throw HTTP2Fault(.frameSizeError, "GOAWAY has fewer than eight bytes")
        }
    }

    private mutating func receivedWindowUpdate(
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
