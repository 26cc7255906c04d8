import FoundationEssentials
import GRPCCore
import HearthBackend
import HearthModel
import HearthProtocol
import SwiftProtobuf

extension FirestoreService {
    /// The write stream: a handshake, then batches in order, each answered with a new token.
    func write(
        request: RPCAsyncSequence<ProtoWriteRequest, any Error>,
        response: RPCWriter<ProtoWriteResponse>, context: ServerContext
    ) async throws {
        var stream = WriteExchange(host: host, caller: caller)
        for try await message in request {
            let answer = try await stream.answer(to: message)
            try await response.write(answer)
            if stream.isOver { return }
        }
    }

    /// The watch stream. One task takes requests, another sends what the host puts in the outbox.
    func listen(
        request: RPCAsyncSequence<ProtoListenRequest, any Error>,
        response: RPCWriter<ProtoListenResponse>, context: ServerContext
    ) async throws {
        let channel = WatchChannel(
            host: host, caller: caller, outbox: Outbox(), log: WatchLog(logger))
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await channel.receive(request) }
                group.addTask { try await channel.send(response) }
                group.addTask {
                    try await context.cancellation.cancelled
                    throw CancellationError()
                }
                // Both must end for the stream to end well; any error ends it at once.
                defer { group.cancelAll() }
                try await group.next()
                try await group.next()
            }
        } catch {
            await channel.close()
            throw error
        }
        await channel.close()
    }
}

/// One watch stream between its client and the host.
private actor WatchChannel {
    private let host: BackendHost
    private let caller: Caller
    private let outbox: Outbox
    private var log: WatchLog
    private var stream: (id: StreamID, reader: RequestReader)?

    init(host: BackendHost, caller: Caller, outbox: Outbox, log: WatchLog) {
        self.host = host
        self.caller = caller
        self.outbox = outbox
        self.log = log
    }

    func receive(_ requests: RPCAsyncSequence<ProtoListenRequest, any Error>) async throws {
        for try await message in requests {
            let (id, reader) = try await open(message.database)
            // Who does not read the answers may not ask for more of them.
            while outbox.count > Outbox.messageCountMax {
                try await Task.sleep(for: .milliseconds(20))
            }
            switch message.targetChange {
            case .addTarget(let target):
                let request = reader.watch(target)
                log.asked(request)
                try await host.watch(request, on: id)
            case .removeTarget(let target): try await host.unwatch(WireTargetID(target), on: id)
            case nil: throw HearthError.argument("A listen request needs a target change.")
            }
        }
        outbox.end()
    }

    func send(_ response: RPCWriter<ProtoListenResponse>) async throws {
        while true {
            let messages = await outbox.take()
            if messages.isEmpty { return }
            guard let (id, reader) = stream else { return }
            let codec = FirestoreCodec(database: reader.database)
            for message in messages {
                log.told(message)
                try await response.write(try codec.encode(message))
            }
            if outbox.takeSlowness() { try await host.resume(id) }
        }
    }

    func close() async {
        if let stream { await host.close(stream.id) }
        stream = nil
    }

    private func open(_ database: String) async throws -> (StreamID, RequestReader) {
        if let stream {
            guard utf8Equals(stream.reader.database.name, database) || database.isEmpty else {
                throw HearthError.argument("A stream is for one database.")
            }
            return (stream.id, stream.reader)
        }
        let reader = RequestReader(database: try NameReader.database(database))
        let id = await host.open(outbox, in: reader.database, by: caller)
        stream = (id, reader)
        return (id, reader)
    }
}

/// What one write stream has come to: the handshake, then commits in order.
private struct WriteExchange {
    let host: BackendHost
    let caller: Caller
    private var reader: RequestReader?
    private var answerCount = 0
    /// Whether the client has said goodbye, by a request without writes.
    private(set) var isOver = false

    init(host: BackendHost, caller: Caller) {
        self.host = host
        self.caller = caller
    }

    /// Carries out a request. An error ends the stream.
    mutating func answer(to message: ProtoWriteRequest) async throws -> ProtoWriteResponse {
        var answer = ProtoWriteResponse()
        answer.streamToken = Data("\(answerCount)".utf8)
        answerCount += 1
        guard let reader else {
            reader = try Self.handshake(message)
            answer.streamID = "0"
            return answer
        }
        isOver = message.writes.isEmpty
        if isOver { return answer }
        let outcome = try await host.commit(
            try reader.writes(message.writes), in: reader.database, by: caller)
        answer.writeResults = try FirestoreService.results(of: outcome, in: reader.database)
        answer.commitTime = FirestoreCodec.encode(outcome.version.timestamp)
        return answer
    }

    private static func handshake(_ message: ProtoWriteRequest) throws -> RequestReader {
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
