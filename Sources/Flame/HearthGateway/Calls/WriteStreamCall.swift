import FoundationEssentials
import HearthModel
import HearthProtocol
import HearthRPC
import HearthServer
import NIOCore
import SwiftProtobuf

/// A write stream: a handshake, then batches in their order, each answered with a new token.
///
/// A batch is queued when the batch in front has been told of, because the first failure ends the
/// stream: a client sends again what has no answer, and what is behind a failure must not be done.
/// For the event loop of the connection.
final class WriteStreamCall: BidirectionalCall {
    /// The most batches that may wait while one is told of.
    private static let waitingCountMax = 16
    /// Bytes of batches that may wait before the client should send no more.
    private static let waitingByteCountMax = 1 << 20

    private let connection: GatewayConnection
    private let head: CallHead
    private let mode: GatewayMode
    private let sender: any CallSender
    private var session: GatewaySession?
    private var waiting: [ByteBuffer] = []
    private var waitingByteCount = 0
    private var write: (any WriteUnderWay)?
    private var isWriting = false
    private var answerCount = 0
    private var hasEnded = false
    private var isClosed = false

    /// A stream without its handshake.
    init(
        _ head: CallHead, _ mode: GatewayMode, of connection: GatewayConnection,
        answering sender: any CallSender
    ) {
        self.connection = connection
        self.head = head
        self.mode = mode
        self.sender = sender
    }

    var isBusy: Bool {
        waiting.count >= Self.waitingCountMax || waitingByteCount >= Self.waitingByteCountMax
    }

    func received(_ request: ByteBuffer) {
        guard !isClosed else { return }
        do throws(HearthError) {
            waiting.append(try connection.gather(request))
        } catch {
            return sender.finish(error)
        }
        waitingByteCount += request.readableBytes
        goOn()
    }

    func ended() {
        hasEnded = true
        goOn()
    }

    func becameWritable() { goOn() }

    func timeEnded() -> LateEnd { write?.progress.lateEnd ?? LateEnd() }

    func closed() {
        isClosed = true
        waiting = []
        connection.release(gathered: waitingByteCount)
        waitingByteCount = 0
        write?.abandon()
        session?.finished(byteCount: 0)
        session = nil
    }

    // MARK: One after the other

    private func goOn() {
        while !isClosed, !isWriting, sender.isWritable, !waiting.isEmpty {
            let wasBusy = isBusy
            let request = waiting.removeFirst()
            let byteCount = request.readableBytes
            waitingByteCount -= byteCount
            if wasBusy, !isBusy { sender.becameIdle() }
            do throws(HearthError) {
                try take(try CheckedWrites.message(request)) { [connection] in
                    connection.release(gathered: byteCount)
                }
            } catch {
                connection.release(gathered: byteCount)
                return sender.finish(error)
            }
        }
        if hasEnded, !isClosed, !isWriting, waiting.isEmpty { sender.finish(nil) }
    }

    /// - Parameter whenTaken: What must be done when the request's bytes wait no more. Is not called
    ///   if the request is refused at once.
    private func take(
        _ message: ProtoWriteRequest, whenTaken: @escaping () -> Void
    ) throws(HearthError) {
        guard let session else {
            try shakeHands(message)
            return whenTaken()
        }
        if message.writes.isEmpty {
            // The client's goodbye.
            whenTaken()
            sender.send(FirestoreCodec.bytes(of: answer()))
            return sender.finish(nil)
        }
        let mutations = try RequestReader(database: session.database).writes(message.writes)
        try CheckedWrites.check(mutations, by: session)
        if mode.writes == .committed,
            let refusal = session.offlineRefusal(of: "A write", as: mode.offlineStatus)
        {
            whenTaken()
            return sender.finish(refusal.error, refusal.trailing)
        }
        let terms = try WriteTerms(of: session, mode, head, isNumbered: false)
        isWriting = true
        let begun = session.write(mutations, terms, whenTaken: whenTaken) { [self] in told($0) }
        if isWriting { write = begun }
    }

    private func shakeHands(_ message: ProtoWriteRequest) throws(HearthError) {
        guard message.streamID.isEmpty else {
            throw .argument("Resuming streams is not supported, do not set stream ID.")
        }
        guard message.writes.isEmpty else {
            throw .argument("'writes' must not be set on an initial write request.")
        }
        let database = try NameReader.database(message.database)
        let session = try connection.session(in: database, for: head)
        try session.began(byteCount: 0)
        self.session = session
        var answer = answer()
        answer.streamID = "0"
        sender.send(FirestoreCodec.bytes(of: answer))
    }

    private func told(_ result: Result<WriteReceipt, WriteRefusal>) {
        isWriting = false
        write = nil
        guard !isClosed, let session else { return }
        do throws(CodecError) {
            switch result {
            case .failure(let refusal): return refuse(refusal)
            case .success(let receipt):
                var answer = answer()
                answer.writeResults = try receipt.writeResults(
                    FirestoreCodec(database: session.database))
                answer.commitTime = FirestoreCodec.encode(receipt.time)
                sender.send(FirestoreCodec.bytes(of: answer))
            }
        } catch {
            return sender.finish(HearthError(code: .internalError, message: "\(error)"))
        }
        goOn()
    }

    private func refuse(_ refusal: WriteRefusal) {
        let trailing =
            refusal.reason.map { GatewayError(refusal.error, because: $0).trailing } ?? [:]
        sender.finish(refusal.error, trailing)
    }

    /// An answer with the next token.
    private func answer() -> ProtoWriteResponse {
        var answer = ProtoWriteResponse()
        answer.streamToken = Data("\(answerCount)".utf8)
        answerCount += 1
        return answer
    }
}
