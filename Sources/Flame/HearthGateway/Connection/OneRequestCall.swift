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
    private var session: GatewaySession?
    private var source: (any AnswerSource)?
    private var trailing = CallMetadata()
    private var isDone = false
    private var whenGone: [() -> Void] = []
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
    func whenGone(_ body: @escaping () -> Void) { whenGone.append(body) }

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
        self.request = request
    }

    func ended() {
        guard !isDone else { return }
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
            try session.began(byteCount: request.readableBytes)
            self.session = session
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
        let unreadMax = connection.settings.limits.unreadByteCountMax
        guard sender.unreadByteCount <= unreadMax else { return end(.unreadAnswers(unreadMax)) }
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

    /// Ends the call: well, behind messages that have been sent, or with an error.
    func end(_ error: HearthError?, _ trailing: CallMetadata = [:]) {
        guard !isDone else { return }
        self.trailing = trailing
        finish(error)
    }

    func becameWritable() {
        sendMore()
        whenWritable?()
    }

    func closed() {
        guard !isDone else { return }
        let bodies = whenGone
        release()
        for body in bodies { body() }
    }

    private func sendMore() {
        do throws(HearthError) {
            while source != nil, sender.isWritable {
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

    private func release() {
        isDone = true
        source = nil
        whenGone = []
        whenWritable = nil
        if let request { session?.finished(byteCount: request.readableBytes) }
        request = nil
        session = nil
    }
}
