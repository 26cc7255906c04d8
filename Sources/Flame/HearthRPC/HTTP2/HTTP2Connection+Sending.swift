/// What the server sends. Whatever is for a stream that is over is dropped: a race, since the
/// client may have given the stream up.
extension HTTP2Connection {
    /// Sends the headers of an answer.
    mutating func send(_ fields: HeaderFields, on id: StreamID) {
        guard streams[id] != nil else { return }
        streams[id]?.hasAnswer = true
        putBlock(fields, on: id, isLast: false)
    }

    /// Sends a message of gRPC behind its prefix, now or when the client has room.
    ///
    /// - Returns: The bytes, which the stream's departures or its end will tell; 0 if the stream is
    ///   over.
    mutating func send(message: [UInt8], on id: StreamID) -> Int {
        // The stream is looked up once, and changed in its place.
        guard let place = streams.index(forKey: id) else { return 0 }
        let count = [UInt8].messagePrefixByteCount + message.count
        if hasRoom, count <= sendWindow, count <= frameByteCountMax,
            streams.values[place].takeRoom(count)
        {
            beginData(count, on: id)
            output.appendMessage(message)
        } else {
            streams.values[place].wait(message)
            enqueue(id)
            sendWaiting()
        }
        return count
    }

    /// Ends a stream behind its messages. A client that still sends is told to stop.
    mutating func finish(_ id: StreamID, _ trailers: HeaderFields) {
        guard let stream = streams[id] else { return }
        if stream.waitingByteCount > 0 {
            streams[id]?.trailers = trailers
        } else {
            putTrailers(trailers, on: id)
        }
    }

    /// Answers a request that is no call of gRPC with a text, and ends the stream.
    ///
    /// If the client has no room for the whole text now, the answer has none.
    mutating func refuse(_ id: StreamID, _ fields: HeaderFields, _ text: [UInt8]) {
        guard let stream = streams[id] else { return }
        guard hasRoom, text.count <= min(sendWindow, stream.sendWindow, frameByteCountMax) else {
            return putTrailers(fields, on: id)
        }
        putBlock(fields, on: id, isLast: false)
        sendWindow -= text.count
        put(.data, .endStream, on: id, length: text.count)
        output.append(contentsOf: text)
        if !stream.hasClientEnded { putReset(id, .noError) }
        remove(id)
    }

    /// Gives a stream up.
    mutating func reset(_ id: StreamID, _ code: HTTP2Code) {
        guard streams[id] != nil else { return }
        putReset(id, code)
        remove(id)
    }

    /// The bytes of a stream for which the client was not given new room.
    func windowDebt(of id: StreamID) -> Int { streams[id]?.windowDebt ?? 0 }

    /// The bytes of a stream that wait for room at the client.
    func waitingByteCount(of id: StreamID) -> Int { streams[id]?.waitingByteCount ?? 0 }

    /// Gives the client room for all that came on a stream.
    mutating func openWindow(of id: StreamID) {
        guard let debt = streams[id]?.windowDebt, debt > 0 else { return }
        streams[id]?.windowDebt = 0
        put(.windowUpdate, on: id, length: 4)
        output.appendNumber(UInt32(debt))
    }

    /// Asks whether the client lives; the answer is `pong`.
    mutating func ping() {
        put(.ping, length: 8)
        output.appendNumber(0)
        output.appendNumber(1)
    }

    /// Tells the client that streams above `last` will not be served.
    ///
    /// An earlier goodbye stays true: the client may have made the refused calls elsewhere since.
    /// So the number in a further goodbye never rises, though `lastStream` also counts streams that
    /// this side did not serve.
    ///
    /// Source: RFC 9113, 6.8.
    mutating func goAway(last: StreamID, _ code: HTTP2Code) {
        lastServed = min(lastServed, last)
        put(.goAway, length: 8)
        output.appendNumber(lastServed.number)
        output.appendNumber(code.rawValue)
    }

    /// The socket takes more, or takes no more for now.
    mutating func socketChanged(isWritable: Bool) {
        isSocketWritable = isWritable
        sendWaiting()
    }
}

/// Messages that wait.
extension HTTP2Connection {
    /// Puts a stream in the line of senders, if the stream has bytes and the client has room for
    /// the bytes.
    mutating func enqueue(_ id: StreamID) {
        guard let stream = streams[id], !stream.isQueued, stream.sendWindow > 0,
            stream.waitingByteCount > 0
        else { return }
        streams[id]?.isQueued = true
        // The numbers of streams that were reset in the line are still in the line.
        if queue.count > 2 * ConnectionLimits.streamCountMax {
            queue.removeAll { streams[$0] == nil }
        }
        queue.append(id)
    }

    /// Whether messages wait that can be sent once the output has left.
    ///
    /// The shell must call `sendWaiting` again then: neither the client nor the socket will say
    /// anything that would cause it.
    var isSendingDue: Bool { isSocketWritable && sendWindow > 0 && !queue.isEmpty }

    /// Whether the socket and the output take more messages.
    private var hasRoom: Bool {
        isSocketWritable && output.count < ConnectionLimits.outputByteCountMax
    }

    /// Sends what waits, as far as the client, the socket and the output have room: a frame of each
    /// stream in turn.
    mutating func sendWaiting() {
        guard hasRoom, sendWindow > 0, !queue.isEmpty else { return }
        var turns = queue
        queue = []
        var next = 0
        while hasRoom, sendWindow > 0 {
            if next == turns.count {
                if queue.isEmpty { return }
                (turns, next) = (queue, 0)
                queue = []
            }
            let id = turns[next]
            next += 1
            guard var stream = streams[id] else { continue }  // It was reset meanwhile.
            stream.isQueued = false
            let count = min(
                stream.waitingByteCount, stream.sendWindow, sendWindow, frameByteCountMax)
            if count > 0 {
                stream.sendWindow -= count
                beginData(count, on: id)
                stream.takeWaiting(count, into: &output)
            }
            streams[id] = stream
            if let trailers = stream.trailers, stream.waitingByteCount == 0 {
                putTrailers(trailers, on: id)
            } else {
                enqueue(id)
            }
        }
        queue = turns[next...] + queue
    }

    private var frameByteCountMax: Int {
        min(settings.frameByteCount, ConnectionLimits.answerFrameByteCountMax)
    }

    /// Begins bytes of messages, in the frame before if it is of the same stream.
    private mutating func beginData(_ count: Int, on id: StreamID) {
        pingRate.forgive()
        sendWindow -= count
        if let last = departures.last, last.stream == id {
            departures[departures.count - 1].byteCount += count
        } else {
            departures.append(Departure(stream: id, byteCount: count))
        }
        if let frame = openFrame, frame.stream == id, frame.length + count <= frameByteCountMax {
            output.setFrameLength(frame.length + count, at: frame.index)
            openFrame?.length += count
            return
        }
        let index = output.count
        output.appendFrameHead(.data, on: id, length: count)
        openFrame = OpenFrame(stream: id, index: index, length: count)
    }
}

/// Frames.
extension HTTP2Connection {
    private mutating func putTrailers(_ trailers: HeaderFields, on id: StreamID) {
        putBlock(trailers, on: id, isLast: true)
        if streams[id]?.hasClientEnded == false { putReset(id, .noError) }
        remove(id)
    }

    mutating func putReset(_ id: StreamID, _ code: HTTP2Code) {
        put(.reset, on: id, length: 4)
        output.appendNumber(code.rawValue)
    }

    /// Writes a block of headers, in several frames if it is large.
    private mutating func putBlock(_ fields: HeaderFields, on id: StreamID, isLast: Bool) {
        pingRate.forgive()
        let end: FrameHead.Flags = isLast ? .endStream : []
        let index = output.count
        put(.headers, end.union(.endHeaders), on: id, length: 0)
        encoder.encode(fields, into: &output)
        let start = index + FrameHead.byteCount
        let count = output.count - start
        if count <= settings.frameByteCount { return output.setFrameLength(count, at: index) }
        let bytes = Array(output[start...])
        output.removeSubrange(index...)
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = rest.prefix(settings.frameByteCount)
            rest = rest.dropFirst(part.count)
            let isWhole: FrameHead.Flags = rest.isEmpty ? .endHeaders : []
            let isFirst = part.startIndex == bytes.startIndex
            put(
                isFirst ? .headers : .continuation, isFirst ? end.union(isWhole) : isWhole, on: id,
                length: part.count)
            output.append(contentsOf: part)
        }
    }
}
