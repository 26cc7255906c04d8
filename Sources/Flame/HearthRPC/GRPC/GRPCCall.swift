import HearthModel
import NIOCore

/// One call on one stream: between the stream's machine and the service. For one event loop.
final class GRPCCall: CallSender {
    /// Bytes written and not yet sent after which the service must wait.
    private static let unsentByteCountMax = 256 * 1_024

    let id: StreamID
    private let connection: GRPCConnection
    private var machine = GRPCStreamMachine(
        requestByteCountMax: ConnectionLimits.requestByteCountMax)
    private var authorization: String?
    private var headers = HeaderFields()
    private var headByteCount = 0
    private var timeout: TimeAmount?
    private var deadline: Scheduled<Void>?

    private var stream: (any BidirectionalCall)?
    private var source: (any AnswerSource)?
    private var faults: CallFaults?
    /// Actions that wait for the end of a delay, or for the client to read.
    private var held: [GRPCStreamMachine.Action]?
    /// Bytes of the request of a call that waits for the client to read; `nil` if the call does not.
    private var heldByteCount: Int?
    private var isPacing = false

    private var initial = CallMetadata()
    private var trailing = CallMetadata()
    private var hasSentHeaders = false
    private(set) var isFinished = false
    /// Bytes of messages that the socket has not taken.
    private var unsentByteCount = 0
    private var countedByteCount = 0
    /// Whether the stream's window lacks much of its full size.
    private var isOwingWindow = false

    /// A call on a stream that has just begun.
    init(id: StreamID, on connection: GRPCConnection) {
        self.id = id
        self.connection = connection
    }

    /// Bytes of a request that is not whole yet or waits, and of the headers of a call under way.
    var waitingByteCount: Int { machine.waitingByteCount + (heldByteCount ?? 0) + headByteCount }

    /// Has the connection count what is held of the call's request.
    private func count() {
        let byteCount = waitingByteCount
        if byteCount == countedByteCount { return }
        connection.count(unfinished: byteCount - countedByteCount)
        countedByteCount = byteCount
    }

    /// Takes the call's headers, or the client's trailers.
    func received(_ head: GRPCRequestHead, isLast: Bool) {
        if timeout == nil { timeout = head.timeout }
        if let authorization = head.authorization { self.authorization = authorization }
        var method: CallMethod?
        if !head.path.isEmpty {  // Trailers of a client have none.
            headers = head.headers
            headByteCount = headers.textByteCount
            count()
            method = connection.service.method(at: head.path)
        }
        perform(machine.received(head, of: method, isLast: isLast))
    }

    /// Bytes came.
    func received(_ data: ByteBuffer, isLast: Bool) {
        let actions = machine.received(data, isLast: isLast)
        count()  // Whoever is handed the requests counts them from now on.
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
            if isFinished { return }
            let end = stream?.timeEnded() ?? LateEnd()
            finish(end.error, end.trailing)
        }
    }

    /// The stream has ended, well or not.
    ///
    /// - Parameter byteCount: Bytes of messages that will not be sent.
    func streamClosed(dropped byteCount: Int = 0) {
        isFinished = true
        left(byteCount)
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
            } else if case .call(_, let request) = action, connection.held.isFull {
                held = [.call(method, request.compacted())]
                heldByteCount = request.readableBytes
                count()
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
        heldByteCount = nil
        count()
        for action in actions { begin(action) }
    }

    private func end() {
        machine.finished()
        headers = HeaderFields()
        headByteCount = 0
        heldByteCount = nil
        count()
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
        !isPacing && !connection.held.isFull && unsentByteCount < Self.unsentByteCountMax
    }

    var unreadByteCount: Int { connection.unreadByteCount }

    func sendSoon() {
        connection.sendSoon(self)
    }

    /// Lets a call send that asked for `sendSoon`, or that waited because the client had left too
    /// much unread.
    func sendNow() {
        if isFinished { return }
        if heldByteCount != nil, !connection.held.isFull { release() }
        sendMore()
        stream?.becameWritable()
    }

    func send(_ message: [UInt8]) {
        if isFinished { return }
        if faults?.sends() == false { return finish(CallFaults.lost) }
        if !hasSentHeaders { writeHeaders() }
        let byteCount = connection.machine.send(message: message, on: id)
        unsentByteCount += byteCount
        connection.lastSender = id
        connection.count(unread: byteCount)
        connection.scheduleFlush()
        if let delay = faults?.messageDelay, delay > .zero { pace(delay) }
    }

    func begin(_ metadata: CallMetadata) {
        precondition(!hasSentHeaders, "metadata behind the first message")
        if isFinished { return }
        initial = metadata
        writeHeaders()
        connection.scheduleFlush()
    }

    func finish(_ error: HearthError?, _ metadata: CallMetadata) {
        if isFinished { return }
        isFinished = true
        if !hasSentHeaders, !initial.isEmpty { writeHeaders() }
        let trailers =
            hasSentHeaders
            ? GRPCHeaders.trailers(error, metadata) : GRPCHeaders.only(error, metadata)
        connection.machine.finish(id, trailers)
        end()
        connection.scheduleFlush()
    }

    func becameIdle() {
        guard isOwingWindow, !isFinished else { return }
        isOwingWindow = false
        connection.machine.openWindow(of: id)
        connection.scheduleFlush()
    }

    /// Notes that the stream's window lacks much of its full size.
    ///
    /// A call that is not busy gives the client the bytes at once; a busy call waits for
    /// `becameIdle`.
    func owesWindow() {
        if isFinished || !machine.isReading { return }
        isOwingWindow = true
        if stream?.isBusy != true, held == nil { becameIdle() }
    }

    /// The socket has taken bytes of messages, or nobody will.
    func left(_ byteCount: Int) {
        if byteCount == 0 { return }
        let (wasWritable, wasFull) = (isWritable, connection.held.isFull)
        unsentByteCount -= byteCount
        connection.count(unread: -byteCount)
        // Where all calls waited, the connection wakes them in turn.
        if !wasWritable, !wasFull { becameWritable() }
    }

    private func writeHeaders() {
        hasSentHeaders = true
        connection.machine.send(GRPCHeaders.response(initial), on: id)
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
}
