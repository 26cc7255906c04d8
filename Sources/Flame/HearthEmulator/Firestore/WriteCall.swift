import FoundationEssentials
import HearthBackend
import HearthModel
import HearthProtocol
import HearthRPC
import NIOCore
import SwiftProtobuf

/// A write stream: a handshake, then batches in order. The answer to each batch has a new token.
final class WriteCall: BidirectionalCall {
    /// The most batches that may wait while the host commits a batch.
    private static let waitingCountMax = 16

    private let host: BackendHost
    private let caller: NotedCaller
    private let sender: any CallSender
    private let eventLoop: any EventLoop
    private var reader: RequestReader?
    private var answerCount = 0
    private var waiting: [ByteBuffer] = []
    private var isCommitting = false
    private var hasEnded = false
    private var isClosed = false

    /// A stream without its handshake.
    init(
        host: BackendHost, caller: NotedCaller, sender: any CallSender, on eventLoop: any EventLoop
    ) {
        self.host = host
        self.caller = caller
        self.sender = sender
        self.eventLoop = eventLoop
    }

    var isBusy: Bool { waiting.count >= Self.waitingCountMax }

    func received(_ request: ByteBuffer) {
        waiting.append(request)
        goOn()
    }

    func ended() {
        hasEnded = true
        goOn()
    }

    func becameWritable() {
        goOn()
    }

    func closed() {
        isClosed = true
        waiting = []
    }

    /// Handles waiting requests, one after the other.
    private func goOn() {
        while !isClosed, !isCommitting, sender.isWritable, !waiting.isEmpty {
            let wasBusy = isBusy
            let request = waiting.removeFirst()
            if wasBusy, !isBusy { sender.becameIdle() }
            do throws(HearthError) {
                try take(try FirestoreService.read(request))
            } catch {
                return sender.finish(error)
            }
        }
        if hasEnded, !isClosed, !isCommitting, waiting.isEmpty { sender.finish(nil) }
    }

    private func take(_ message: ProtoWriteRequest) throws(HearthError) {
        guard let reader else {
            reader = try Self.handshake(message)
            var answer = answer()
            answer.streamID = "0"
            sender.send(FirestoreCodec.bytes(of: answer))
            return
        }
        if message.writes.isEmpty {
            // The client's goodbye.
            sender.send(FirestoreCodec.bytes(of: answer()))
            sender.finish(nil)
            return
        }
        isCommitting = true
        let call = NIOLoopBound(self, eventLoop: eventLoop)
        let eventLoop = eventLoop
        let writes = try reader.writes(message.writes)
        let asking = caller.asking(.write, at: host.clock.now)
        host.commit(writes, in: reader.database, by: asking) { result in
            asking.record?.end(result)
            if eventLoop.inEventLoop {
                call.value.committed(result)
            } else {
                eventLoop.execute {
                    call.value.committed(result)
                    call.value.goOn()
                }
            }
        }
    }

    private func committed(_ result: Result<CommitOutcome, HearthError>) {
        isCommitting = false
        guard !isClosed, let reader else { return }
        switch result {
        case .failure(let error):
            sender.finish(error)
        case .success(let outcome):
            do throws(CodecError) {
                var answer = answer()
                answer.writeResults = try FirestoreService.results(
                    of: outcome, in: reader.database)
                answer.commitTime = FirestoreCodec.encode(outcome.version.timestamp)
                sender.send(FirestoreCodec.bytes(of: answer))
            } catch {
                sender.finish(HearthError(code: .internalError, message: "\(error)"))
            }
        }
    }

    /// An answer with the next token.
    private func answer() -> ProtoWriteResponse {
        var answer = ProtoWriteResponse()
        answer.streamToken = Data("\(answerCount)".utf8)
        answerCount += 1
        return answer
    }

    private static func handshake(
        _ message: ProtoWriteRequest
    ) throws(HearthError) -> RequestReader {
        guard message.streamID.isEmpty else {
            throw HearthError.argument(
                "Resuming streams is not supported, do not set stream ID.")
        }
        guard message.writes.isEmpty else {
            throw HearthError.argument("'writes' must not be set on an initial write request.")
        }
        return RequestReader(database: try NameReader.database(message.database))
    }
}
