import HearthModel
import NIOCore
import NIOHPACK
import NIOHTTP2

/// One call on one stream: between the stream's machine and the service. For one event loop.
final class GRPCCall: CallSender {
    /// Bytes written and not yet sent after which the service must wait.
    private static let unsentByteCountMax = 256 * 1_024
    /// Bytes of messages that are written in one go.
    private static let chunkByteCount = 64 * 1_024

    let id: HTTP2StreamID
    private let connection: GRPCConnection
    private var machine = GRPCStreamMachine(
        requestByteCountMax: ConnectionLimits.requestByteCountMax)
    private var authorization: String?
    private var headers: HPACKHeaders = [:]
    private var headByteCount = 0
    private var timeout: TimeAmount?
    private var deadline: Scheduled<Void>?

    private var stream: (any BidirectionalCall)?
    private var source: (any AnswerSource)?
    private var faults: CallFaults?
    /// Actions that wait for the end of a delay.
    private var held: [GRPCStreamMachine.Action]?
    private var isPacing = false

    private var hasClientEnded = false
    private var initial = CallMetadata()
    private var trailing = CallMetadata()
    private var hasSentHeaders = false
    private(set) var isFinished = false
    private var outgoing: ByteBuffer?
    private var unsentByteCount = 0
    /// Bytes of the call's small last messages, which leave before its stream is closed.
    private var lastByteCount = 0
    private var counted = (unfinished: 0, unread: 0)
    private var windowDebt = 0

    /// A call on a stream that has just begun.
    init(id: HTTP2StreamID, on connection: GRPCConnection) {
        self.id = id
        self.connection = connection
    }

    /// Bytes of a request that is not whole yet, and of the headers of a call under way.
    var waitingByteCount: Int { machine.waitingByteCount + headByteCount }

    /// By how much the bytes that are held for the call have changed since they were last counted.
    func heldSinceCounted() -> (unfinished: Int, unread: Int) {
        let before = counted
        counted = (waitingByteCount, lastByteCount)
        return (counted.unfinished - before.unfinished, counted.unread - before.unread)
    }

    /// Takes the call's headers, or the client's trailers.
    func received(_ head: GRPCRequestHead, isLast: Bool) {
        if timeout == nil { timeout = head.timeout }
        if let authorization = head.authorization { self.authorization = authorization }
        if isLast { hasClientEnded = true }
        var method: CallMethod?
        if !head.path.isEmpty {  // Trailers of a client have none.
            headers = head.headers
            headByteCount = headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
            connection.count(self)
            method = connection.service.method(at: head.path)
        }
        perform(machine.received(head, of: method, isLast: isLast))
    }

    /// Bytes came.
    func received(_ data: ByteBuffer, isLast: Bool) {
        if isLast { hasClientEnded = true }
        let actions = machine.received(data, isLast: isLast)
        connection.count(self)  // Whoever is handed the requests counts them from now on.
        perform(actions)
    }

    /// The connection will bring no more.
    func inputClosed() {
        perform(machine.inputClosed())
    }

    /// Begins to count the time that the client gives the call.
    func startClock() {
        guard let timeout, !isFinished else { return }
        deadline = connection.schedule(in: timeout) { [self] in
            finish(
                HearthError(
                    code: .deadlineExceeded, message: "The time that the client gave is over."))
        }
    }

    /// The stream has ended, well or not.
    func streamClosed() {
        isFinished = true
        lastByteCount = 0
        end()
    }

    /// Ends a streaming or delayed call with an error, because the server stops.
    ///
    /// Lets other calls finish.
    func stop() {
        if stream != nil || held != nil {
            finish(connection.service.stopping)
        }
    }

    private func perform(_ actions: [GRPCStreamMachine.Action]) {
        for action in actions {
            if held != nil {
                held?.append(action)
            } else {
                perform(action)
            }
        }
    }

    private func perform(_ action: GRPCStreamMachine.Action) {
        if isFinished { return }
        switch action {
        case .call(let method, _), .open(let method):
            faults = connection.faults?.take(method)
            if let refusal = faults?.refusal {
                finish(refusal)
            } else if let delay = faults?.delay, delay > .zero {
                held = [action]
                _ = connection.schedule(in: TimeAmount(delay)) { [self] in release() }
            } else {
                begin(action)
            }
        case .deliver(let message): stream?.received(message)
        case .halfClose: stream?.ended()
        case .refuse(let error): finish(error)
        }
    }

    private func begin(_ action: GRPCStreamMachine.Action) {
        switch action {
        case .call(let method, let request):
            let call = NIOLoopBound(self, eventLoop: connection.eventLoop)
            let eventLoop = connection.eventLoop
            connection.service.answer(head(of: method), request) { result in
                if eventLoop.inEventLoop {
                    call.value.answered(result)
                } else {
                    eventLoop.execute { call.value.answered(result) }
                }
            }
        case .open(let method):
            do throws(HearthError) {
                stream = try connection.service.open(
                    head(of: method), answering: self, on: connection.eventLoop, faults: faults)
            } catch {
                finish(error)
            }
        case .deliver, .halfClose, .refuse:
            perform(action)
        }
    }

    private func head(of method: CallMethod) -> CallHead {
        CallHead(method, authorization: authorization, timeout: timeout, headers: headers)
    }

    private func release() {
        guard let actions = held, !isFinished else { return }
        held = nil
        for action in actions { begin(action) }
    }

    private func end() {
        machine.finished()
        headers = [:]
        headByteCount = 0
        connection.count(self)
        deadline?.cancel()
        deadline = nil
        held = nil
        source = nil
        let stream = stream
        self.stream = nil
        stream?.closed()
    }
}

/// Answers.
extension GRPCCall {
    var isWritable: Bool {
        !isPacing && unsentByteCount + (outgoing?.readableBytes ?? 0) < Self.unsentByteCountMax
    }

    var unreadByteCount: Int { connection.unreadByteCount }

    func sendSoon() {
        connection.sendSoon(self)
    }

    /// Lets a stream that asked for `sendSoon` send now.
    func sendNow() {
        if !isFinished { stream?.becameWritable() }
    }

    func send(_ message: [UInt8]) {
        if isFinished { return }
        if faults?.sends() == false { return finish(CallFaults.lost) }
        if outgoing == nil {
            outgoing = connection.allocator.buffer(
                capacity: message.count + GRPCMessageDecoder.prefixByteCount)
        }
        outgoing?.writeGRPCMessage(message)
        connection.mustFlush(self)
        if let delay = faults?.messageDelay, delay > .zero { pace(delay) }
    }

    func begin(_ metadata: CallMetadata) {
        precondition(!hasSentHeaders && outgoing == nil, "metadata behind the first message")
        if isFinished { return }
        initial = metadata
        writeHeaders()
        connection.mustFlush(self)
    }

    func finish(_ error: HearthError?, _ metadata: CallMetadata) {
        if isFinished { return }
        isFinished = true
        if hasSentHeaders || outgoing != nil || !initial.isEmpty {
            writeOutgoing(isLast: true)
            if !hasSentHeaders { writeHeaders() }
            connection.put(
                id,
                .headers(.init(headers: GRPCHeaders.trailers(error, metadata), endStream: true)),
                promise: hasClientEnded ? nil : resetWhenSent())
        } else {
            connection.put(
                id, .headers(.init(headers: GRPCHeaders.only(error, metadata), endStream: true)),
                promise: hasClientEnded ? nil : resetWhenSent())
        }
        end()
        connection.mustFlush(self)
    }

    func becameIdle() {
        guard windowDebt > 0, !isFinished else { return }
        connection.put(id, .windowUpdate(windowSizeIncrement: windowDebt))
        windowDebt = 0
        connection.mustFlush(self)
    }

    /// Notes how many bytes the stream's window lacks to its full size.
    ///
    /// A call that is not busy gives the client the bytes at once; a busy call waits for
    /// `becameIdle`.
    func owesWindow(_ byteCount: Int) {
        if isFinished || !machine.isReading { return }
        windowDebt = byteCount
        if stream?.isBusy != true, held == nil { becameIdle() }
    }

    /// Writes the messages that have gathered.
    func writeOutgoing(isLast: Bool = false) {
        guard let bytes = outgoing else { return }
        outgoing = nil
        if !hasSentHeaders { writeHeaders() }
        let count = bytes.readableBytes
        let goesOn = !isLast && (stream != nil || source != nil)
        guard goesOn || count >= ConnectionLimits.countedByteCountMin else {
            connection.put(id, .data(.init(data: .byteBuffer(bytes))))
            lastByteCount += count
            return connection.count(self)
        }
        if goesOn { unsentByteCount += count }
        connection.write(bytes, on: id) { [self] in
            guard goesOn else { return }
            let wasWritable = isWritable
            unsentByteCount -= count
            if !wasWritable { becameWritable() }
        }
    }

    private func writeHeaders() {
        hasSentHeaders = true
        connection.put(id, .headers(.init(headers: GRPCHeaders.response(initial))))
    }

    private func answered(_ result: Result<Answer, HearthError>) {
        if isFinished { return }
        switch result {
        case .success(let answer):
            initial = answer.initial
            trailing = answer.trailing
            switch answer.content {
            case .message(let message):
                send(message)
                finish(nil, trailing)
            case .messages(let source):
                self.source = source
                sendMore()
            case .error(let error):
                finish(error, trailing)
            }
        case .failure(let error):
            finish(error)
        }
    }

    private func becameWritable() {
        guard isWritable, !isFinished else { return }
        sendMore()
        stream?.becameWritable()
    }

    /// Sends as much of a long answer as the client takes.
    private func sendMore() {
        do throws(HearthError) {
            while source != nil, isWritable {
                guard let message = try source?.next() else { return finish(nil, trailing) }
                send(message)
                if let outgoing, outgoing.readableBytes >= Self.chunkByteCount { writeOutgoing() }
            }
        } catch {
            finish(error, trailing)
        }
    }

    private func pace(_ delay: Duration) {
        isPacing = true
        _ = connection.schedule(in: TimeAmount(delay)) { [self] in
            isPacing = false
            becameWritable()
        }
    }

    /// Makes a promise that resets the stream once the trailers have left.
    ///
    /// The reset stops a client that still sends.
    private func resetWhenSent() -> EventLoopPromise<Void> {
        let promise = connection.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenSuccess { [connection, id] in
            connection.reset(id)
        }
        return promise
    }
}
