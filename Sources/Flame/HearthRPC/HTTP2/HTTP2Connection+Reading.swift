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
            try receivedLateData(on: head.stream, isLast: isLast, at: now)
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
        let isAsAnnounced = stream.takes(content.count, isLast: isLast)
        if isLast { stream.hasClientEnded = true }
        streams[head.stream] = stream
        guard isAsAnnounced else {
            try refuse(head.stream, .protocolError, at: now)
            return nil
        }
        let start = FrameHead.byteCount + content.lowerBound
        let range = start..<start + content.count
        return .data(head.stream, range, isLast: isLast)
    }

    /// Data came for a stream that is over.
    private mutating func receivedLateData(
        on id: StreamID, isLast: Bool, at now: Duration
    ) throws(HTTP2Fault) {
        if case .byClient? = ended.ending(of: id) {
            try faultRate.count(at: now, "too many streams are used wrongly")
            return putReset(id, .streamClosed)
        }
        // A race: the client had not heard of the stream's end.
        try controlRate.count(at: now, "too much comes for streams that are over")
        if isLast { ended.clientEnded(id) }
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
        if var stream = streams[id] {
            if stream.hasClientEnded {
                try refuse(id, .streamClosed, at: now)
                return nil
            }
            let isSound = isLast && decoder.form == .plain && stream.takes(0, isLast: true)
            stream.hasClientEnded = isLast
            streams[id] = stream
            guard isSound else {
                try refuse(id, .protocolError, at: now)
                return nil
            }
            return .headers(id, fields, isLast: true)
        }
        guard id > lastStream else {
            try receivedLateHeaders(on: id, isLast: isLast, at: now)
            return nil
        }
        lastStream = id
        guard try isRoom(for: id, at: now) else {
            ended.add(id, isClientDone: isLast)
            return nil
        }
        guard case .request(let byteCount) = decoder.form, !isLast || byteCount ?? 0 == 0 else {
            try faultRate.count(at: now, "too many streams are used wrongly")
            putReset(id, .protocolError)  // No call has begun, so none must hear of it.
            ended.add(id, isClientDone: isLast)
            return nil
        }
        streams[id] = HTTP2Stream(
            sendWindow: settings.windowByteCount, hasClientEnded: isLast,
            announcedByteCount: byteCount)
        return .headers(id, fields, isLast: isLast)
    }

    /// Headers came for a stream that has ended, or for a stream that the client skipped when it
    /// began a later stream.
    ///
    /// Source: RFC 9113, 5.1.1.
    private mutating func receivedLateHeaders(
        on id: StreamID, isLast: Bool, at now: Duration
    ) throws(HTTP2Fault) {
        switch ended.ending(of: id) {
        case .byClient?:
            throw HTTP2Fault(.streamClosed, "HEADERS of a stream that the client has ended")
        case .byServer?:
            // A race: the client had not heard of the stream's end.
            try controlRate.count(at: now, "too much comes for streams that are over")
            if isLast { ended.clientEnded(id) }
        case nil:
            throw HTTP2Fault(.protocolError, "a stream begins below the last one")
        }
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
        guard head.length == 4 else {
            throw HTTP2Fault(.frameSizeError, "RST_STREAM has not four bytes")
        }
        try expectBegun(head.stream)
        try resetRate.count(at: now, "too many streams are given up")
        guard let stream = streams[head.stream] else { return ended.clientEnded(head.stream) }
        if !stream.hasAnswer {
            try earlyResetRate.count(at: now, "too many streams are given up before an answer")
        }
        streams[head.stream]?.hasClientEnded = true
        remove(head.stream)
    }

    private mutating func receivedPriority(
        _ head: FrameHead, at now: Duration
    ) throws(HTTP2Fault) {
        try controlRate.count(at: now, "too many frames change priorities")
        guard head.stream != .connection else {
            throw HTTP2Fault(.protocolError, "PRIORITY of no stream")
        }
        guard head.length != 5 else { return }
        guard streams[head.stream] != nil else {
            // No stream that could be reset.
            throw HTTP2Fault(.frameSizeError, "PRIORITY has not five bytes")
        }
        try refuse(head.stream, .frameSizeError, at: now)
    }

    /// Expects that a frame belongs to a stream that the client has begun. The stream may have
    /// ended.
    func expectBegun(_ id: StreamID) throws(HTTP2Fault) {
        guard id.isOfClient, id <= lastStream else {
            throw HTTP2Fault(.protocolError, "a frame is for a stream that has not begun")
        }
    }

    /// The place of a payload's content between what only fills up.
    private func unpadded(
        _ head: FrameHead, _ payload: UnsafeRawBufferPointer
    ) throws(HTTP2Fault) -> Range<Int> {
        guard head.flags.contains(.padded) else { return 0..<payload.count }
        guard let count = payload.first else {
            throw HTTP2Fault(.frameSizeError, "a frame has no room for the count of its padding")
        }
        guard Int(count) < payload.count else {
            throw HTTP2Fault(.protocolError, "a frame has more padding than bytes")
        }
        return 1..<payload.count - Int(count)
    }

    /// Ends a stream whose client broke a rule.
    mutating func refuse(
        _ id: StreamID, _ code: HTTP2Code, at now: Duration
    ) throws(HTTP2Fault) {
        try faultRate.count(at: now, "too many streams are used wrongly")
        reset(id, code)
    }
}
