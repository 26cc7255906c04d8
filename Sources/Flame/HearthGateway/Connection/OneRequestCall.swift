import HearthModel
import HearthProtocol
import HearthRPC
import HearthServer
import NIOCore

/// A call of one request on its stream: gathers the request, and sends the answer as the client
/// takes it.
///
/// `GatewayCall` is its face for the families of calls. For one event loop.
final class OneRequestCall: BidirectionalCall {
    /// Where the answer goes.
    let sender: any CallSender
    private let method: FirestoreMethod
    private let head: CallHead
    private let mode: GatewayMode
    private let connection: GatewayConnection
    private var request: ByteBuffer?
    /// Bytes of the request that count for the connection, until the call begins.
    private var gatheredByteCount = 0
    /// The request as its session counts it, while the call is not over.
    private(set) var counted: CountedRequest?
    private var source: (any AnswerSource)?
    private var trailing = CallMetadata()
    private var isDone = false
    /// Bytes of the results that count for the connection, until the call is over.
    private var resultByteCount = 0
    /// Whether the call waits for the client to read answers of its connection.
    private var isUnread = false
    private var whenGone: [() -> Void] = []
    private var whenLate: (() -> LateEnd)?
    private var whenWritable: (() -> Void)?

    /// A call whose headers have come.
    init(
        _ method: FirestoreMethod, _ head: CallHead, _ mode: GatewayMode,
        of connection: GatewayConnection, answering sender: any CallSender
    ) {
        self.method = method
        self.head = head
        self.mode = mode
        self.connection = connection
        self.sender = sender
    }

    /// Has something done if the client gives the call up before the answer has been given whole.
    func whenGone(_ body: @escaping () -> Void) {
        if !isDone { whenGone.append(body) }
    }

    /// Says how the call ends if the client's time ends before the answer has been given whole.
    func whenLate(_ body: @escaping () -> LateEnd) {
        if !isDone { whenLate = body }
    }

    /// Has something done each time that the client takes more.
    func whenWritable(_ body: @escaping () -> Void) { whenWritable = body }

    // MARK: The request

    var isBusy: Bool { false }

    func received(_ request: ByteBuffer) {
        guard self.request == nil, !isDone else {
            return end(
                HearthError(
                    code: .internalError, message: "\(method.rawValue) takes one request, not two.")
            )
        }
        do throws(HearthError) {
            self.request = try connection.gather(request)
            gatheredByteCount = request.readableBytes
        } catch {
            end(error)
        }
    }

    func ended() {
        guard !isDone else { return }
        releaseGathered()
        guard let request else {
            return end(
                HearthError(
                    code: .internalError, message: "\(method.rawValue) needs a request."))
        }
        do throws(HearthError) {
            let database = try database(of: request)
            if let refusal = connection.wrongProject(of: database) {
                return end(refusal.error, refusal.trailing)
            }
            let session = try connection.session(in: database, for: head)
            counted = try CountedRequest(request.readableBytes, of: session)
            let call = GatewayCall(session: session, mode: mode, head: head, stream: self)
            try call.begin(method, request)
        } catch {
            // What is thrown at once is the gateway's own word; the backend's comes as an answer.
            let isForbidden = error.code == .permissionDenied
            end(error, isForbidden ? GatewayError(error, because: .access).trailing : [:])
        }
    }

    private func database(of request: ByteBuffer) throws(HearthError) -> DatabaseID {
        let isInDocument = method == .updateDocument
        return try request.withUnsafeReadableBytes { bytes in
            Result { () throws(HearthError) in
                try RequestDatabase.read(bytes, isInDocument: isInDocument)
            }
        }.get()
    }

    // MARK: The answer

    /// Answers, and ends the call when the client has taken the answer.
    func answer(_ answer: Answer) {
        guard !isDone else { return }  // A race: the client gave up.
        if let refusal = connection.refusalOfAnswer { return end(refusal) }
        if !answer.initial.isEmpty { sender.begin(answer.initial) }
        trailing = answer.trailing
        switch answer.content {
        case .message(let message):
            sender.send(message)
            finish(nil)
        case .messages(let source):
            self.source = source
            sendMore()
        case .error(let error): finish(error)
        }
    }

    /// Keeps a result of so many bytes, which the call answers from, until the call is over.
    ///
    /// - Throws: If the client has left too much unread.
    func keep(result byteCount: Int) throws(HearthError) {
        guard !isDone else { return }
        try connection.keep(result: byteCount)
        resultByteCount += byteCount
    }

    /// Ends the call: well, behind messages that have been sent, or with an error.
    func end(_ error: HearthError?, _ trailing: CallMetadata = [:]) {
        guard !isDone else { return }
        self.trailing = trailing
        finish(error)
    }

    func becameWritable() {
        guard !isDone else { return }
        sendMore()
        if takesMore { whenWritable?() }
    }

    /// Whether the client takes more now. If not, the waiting work is done when the client takes
    /// more.
    var takesMore: Bool {
        guard connection.isUnread else { return sender.isWritable }
        if !isUnread {
            isUnread = true
            connection.whenRead { [weak self] in
                self?.isUnread = false
                self?.becameWritable()
            }
        }
        return false
    }

    func timeEnded() -> LateEnd { whenLate?() ?? LateEnd() }

    func closed() {
        guard !isDone else { return }
        let bodies = whenGone
        release()
        for body in bodies { body() }
    }

    private func sendMore() {
        do throws(HearthError) {
            while source != nil, takesMore {
                guard let message = try source?.next() else { return finish(nil) }
                sender.send(message)
            }
        } catch {
            finish(error)
        }
    }

    private func finish(_ error: HearthError?) {
        release()
        sender.finish(error, trailing)
    }

    private func releaseGathered() {
        connection.release(gathered: gatheredByteCount)
        gatheredByteCount = 0
    }

    private func release() {
        isDone = true
        releaseGathered()
        connection.release(result: resultByteCount)
        resultByteCount = 0
        source = nil
        whenGone = []
        whenLate = nil
        whenWritable = nil
        counted?.letGo()
        counted = nil
        request = nil
    }
}
