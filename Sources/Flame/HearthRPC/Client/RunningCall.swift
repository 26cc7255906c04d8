import HearthModel
import NIOCore
import NIOHPACK
import NIOHTTP2

/// One call between its listener and a stream of a connection. For one event loop.
///
///     queued --start--> open --(answers)--> over
///       ^----refused-----/
final class RunningCall {
    private let request: CallRequest
    private let configuration: ClientConfiguration
    private var listener: CallListener?
    private var machine: ClientCallMachine

    private var connection: ClientConnection?
    private var id = HTTP2StreamID.rootStream
    /// All that was sent, until the answer begins: a server that refuses the call has not read it.
    private var sent: [ByteBuffer] = []
    private var isHalfClosed = false
    private var hasOpened = false
    private var hasAnswer = false
    /// Whether the call was begun anew, which happens once at most.
    private var hasMoved = false
    private var deadline: Scheduled<Void>?

    private var isPaused = false
    private var isTelling = false
    private(set) var isOver = false
    private var countedByteCount = 0
    private var windowDebt = 0

    /// A call that has no stream yet.
    init(
        _ request: CallRequest, to configuration: ClientConfiguration,
        telling listener: CallListener
    ) {
        self.request = request
        self.configuration = configuration
        self.listener = listener
        machine = ClientCallMachine(messageByteCountMax: configuration.messageByteCountMax)
    }

    /// Begins to count the time that the call may take.
    func startClock(on eventLoop: any EventLoop) {
        guard let timeout = request.timeout, !isOver else { return }
        deadline = eventLoop.assumeIsolated().scheduleTask(in: timeout) { [weak self] in
            self?.abandon(.tooLate)
        }
    }

    /// The call has a stream.
    func start(on connection: ClientConnection, _ id: HTTP2StreamID) {
        self.connection = connection
        self.id = id
        let isAll = isHalfClosed && sent.isEmpty
        connection.write(
            id, .headers(.init(headers: request.headers(to: configuration), endStream: isAll)))
        for (number, message) in sent.enumerated() {
            write(message, isLast: isHalfClosed && number == sent.count - 1)
        }
        if hasOpened { return }
        hasOpened = true
        listener?.opened()
    }
}

/// What the caller does.
extension RunningCall {
    func send(_ message: [UInt8]) {
        guard !isOver, !isHalfClosed else { return }
        var bytes = ByteBuffer()
        bytes.writeGRPCMessage(message)
        if !hasAnswer { sent.append(bytes) }
        write(bytes, isLast: false)
    }

    func halfClose() {
        guard !isOver, !isHalfClosed else { return }
        isHalfClosed = true
        write(ByteBuffer(), isLast: true)
    }

    func resume() {
        isPaused = false
        tell()
    }

    func cancel() {
        abandon(.cancelled)
    }

    /// Ends the call from our side; only the end is told.
    func abandon(_ end: CallEnd) {
        if isOver { return }
        isOver = true
        deadline?.cancel()
        deadline = nil
        detach()
        sent = []
        let listener = listener
        self.listener = nil
        listener?.ended(end)
    }

    private func write(_ bytes: ByteBuffer, isLast: Bool) {
        connection?.write(id, .data(.init(data: .byteBuffer(bytes), endStream: isLast)))
    }
}

/// What the stream brings.
extension RunningCall {
    func received(_ headers: HPACKHeaders, isLast: Bool) {
        machine.received(headers, isLast: isLast)
        noteAnswer()
        tell()
    }

    func received(_ data: ByteBuffer, isLast: Bool) {
        machine.received(data, isLast: isLast)
        tell()
    }

    /// The stream is closed.
    func closed(_ code: HTTP2ErrorCode?) {
        machine.closed(code)
        tell()
    }

    /// Notes how many bytes the stream's window lacks to its full size.
    ///
    /// The server gets the bytes at once if the listener keeps up, else when the listener has taken
    /// what waits.
    func owesWindow(_ byteCount: Int) {
        windowDebt = byteCount
        payWindow()
    }

    /// Begins the call anew on whatever connection there is, since no server has begun it; or ends
    /// the call, if that was tried before.
    ///
    /// - Parameter connection: The connection that the call was begun on or waits for.
    func refused(_ end: CallEnd, by connection: ClientConnection?) {
        if isOver { return }
        guard !hasMoved, !hasAnswer, let channel = connection?.channel else { return abandon(end) }
        hasMoved = true
        detach()
        machine = ClientCallMachine(messageByteCountMax: configuration.messageByteCountMax)
        windowDebt = 0
        channel.begin(self)
    }

    /// Tells the listener what came, as far as the listener wants it.
    private func tell() {
        if isTelling { return }
        isTelling = true
        while !isPaused, !isOver, let event = machine.next() {
            switch event {
            case .message(let message):
                isPaused = true
                if listener?.received(message) != false { isPaused = false }
            case .end(let end):
                if end.isUntouched { refused(end, by: connection) } else { abandon(end) }
            }
        }
        isTelling = false
        account()
        payWindow()
    }

    private func noteAnswer() {
        guard !hasAnswer, machine.hasBegun else { return }
        hasAnswer = true
        sent = []
    }

    private func detach() {
        connection?.forget(id, waitingByteCount: countedByteCount)
        connection = nil
        countedByteCount = 0
    }

    private func account() {
        guard let connection else { return }
        let count = machine.waitingByteCount
        connection.account(count - countedByteCount)
        countedByteCount = count
        if connection.waitingByteCount > configuration.waitingByteCountMax {
            abandon(.tooMuch(configuration.waitingByteCountMax))
        }
    }

    private func payWindow() {
        guard windowDebt > 0, !isPaused, machine.isReading, let connection else { return }
        connection.write(id, .windowUpdate(windowSizeIncrement: windowDebt))
        windowDebt = 0
    }
}

extension CallEnd {
    fileprivate static let cancelled = CallEnd(
        HearthError(code: .cancelled, message: "The call was cancelled here."))
    fileprivate static let tooLate = CallEnd(
        HearthError(code: .deadlineExceeded, message: "The call took longer than it may."))

    fileprivate static func tooMuch(_ byteCountMax: Int) -> CallEnd {
        CallEnd(
            HearthError(
                code: .resourceExhausted,
                message: "The answers that wait here are larger than \(byteCountMax) bytes."))
    }
}
