import HearthBackend
import HearthFirestore
import HearthModel
import HearthProtocol
import HearthRPC
import HearthServer
import NIOCore
import SwiftProtobuf

/// Many writes in one request; each is a batch with a status of its own.
extension GatewayCall {
    /// Queues each write by itself, and answers when each has been told of.
    ///
    /// - Throws: Why the request is refused at once.
    func batchWrite(_ request: ByteBuffer) throws(HearthError) {
        if mode.writes == .committed { return try batchWriteAtBackend(request) }
        let mutations: [Mutation]
        if let plain = request.plainWrites {
            try WriteRules.checkBatchCount(plain.mutations.count)
            mutations = plain.mutations
        } else {
            mutations = try writes(of: try CheckedWrites.message(request))
        }
        try Self.checkDistinct(mutations, in: session.database)
        let statuses = BatchWriteStatuses(self, count: mutations.count)
        let terms = try WriteTerms(of: session, mode, head, isNumbered: false)
        var writes: [any WriteUnderWay] = []
        for (place, mutation) in mutations.enumerated() {
            do throws(HearthError) {
                try CheckedWrites.check([mutation], by: session)
            } catch {
                statuses.told(.failure(WriteRefusal(error)), at: place)
                continue
            }
            writes.append(
                session.write([mutation], terms, isPart: true, whenTaken: hold()) {
                    statuses.told($0, at: place)
                })
        }
        stream.whenLate { statuses.lateEnd }
        stream.whenGone { statuses.abandon() }
        statuses.begun(writes)
    }

    private func writes(of message: ProtoBatchWriteRequest) throws(HearthError) -> [Mutation] {
        try WriteRules.checkBatchCount(message.writes.count)
        return try RequestReader(database: session.database).writes(message.writes)
    }

    /// The backend takes no two writes to a document in one request, since their order is open.
    private static func checkDistinct(
        _ mutations: [Mutation], in database: DatabaseID
    ) throws(HearthError) {
        var keys: Set<DocumentKey> = []
        for mutation in mutations where !keys.insert(mutation.key).inserted {
            throw .argument(
                "Cannot write to the same document twice in one request: "
                    + "\(database.documentsName)/\(mutation.key)")
        }
    }

    private func batchWriteAtBackend(_ request: ByteBuffer) throws(HearthError) {
        let message: ProtoBatchWriteRequest = try CheckedWrites.message(request)
        let mutations = try writes(of: message)
        try Self.checkDistinct(mutations, in: session.database)
        for mutation in mutations { try CheckedWrites.checkRight(to: mutation, of: session) }
        if let refusal = session.offlineRefusal(of: "A batch of writes", as: mode.offlineStatus) {
            return fail(refusal)
        }
        afterOwnWrites {
            translateEach(mutations) { results in
                orFail { () throws(HearthError) in try send(message, translated: results) }
            }
        }
    }

    /// Sends the writes whose times stand for something; each of the others has its refusal.
    private func send(
        _ message: ProtoBatchWriteRequest, translated results: [Result<Mutation, HearthError>]
    ) throws(HearthError) {
        var real = message
        real.writes = []
        for (write, result) in zip(message.writes, results) {
            if case .success(let mutation) = result { real.writes += [write].naming([mutation]) }
        }
        let refusals = results.map { result -> HearthError? in
            if case .failure(let error) = result { error } else { nil }
        }
        if real.writes.isEmpty, !message.writes.isEmpty {
            return answer(ProtoBatchWriteResponse().with(refusals))
        }
        let forwarded = try ForwardedRequest(
            .batchWrite, ByteBuffer(bytes: FirestoreCodec.bytes(of: real)), in: session.database)
        var told: [UInt8] = []
        let exchange = DoorExchange(session) {
            told = $0
            return true
        } finish: { [stream] end in
            if let error = end.error { return stream.end(error, end.trailing) }
            guard refusals.contains(where: { $0 != nil }),
                let response = try? ProtoBatchWriteResponse(serializedBytes: told)
            else { return stream.answer(.message(told)) }
            answer(response.with(refusals))
        }
        stream.whenGone { exchange.abandon() }
        start(exchange, .batchWrite, forwarded)
    }
}

/// The results of the writes of one request, as they come, in the order of the writes.
private final class BatchWriteStatuses {
    private let call: GatewayCall
    /// The writes that the session has begun, until the answer: each of them holds this.
    private var writes: [any WriteUnderWay] = []
    private var results: [Result<WriteReceipt, WriteRefusal>?]
    private var openCount: Int

    init(_ call: GatewayCall, count: Int) {
        self.call = call
        results = Array(repeating: nil, count: count)
        openCount = count
    }

    /// One write has its result.
    func told(_ result: Result<WriteReceipt, WriteRefusal>, at place: Int) {
        results[place] = result
        openCount -= 1
        answerIfWhole()
    }

    /// All writes have begun, and some may have their results.
    func begun(_ writes: [any WriteUnderWay]) {
        guard openCount >= 0 else { return }  // Answered: nothing was queued.
        self.writes = writes
        answerIfWhole()
    }

    /// How the call ends, if the client's time ends now.
    var lateEnd: LateEnd {
        WriteProgress.lateEnd(of: writes.map { $0.progress }, outOf: results.count)
    }

    /// The client has given the request up.
    func abandon() {
        let writes = takeWrites()
        for write in writes { write.abandon() }
    }

    /// Answers when no result is missing any more.
    private func answerIfWhole() {
        guard openCount == 0 else { return }
        openCount = -1  // Once.
        let writes = takeWrites()
        do throws(CodecError) {
            call.answer(try response())
            for write in writes { write.answered() }
        } catch {
            call.fail(HearthError(code: .internalError, message: "\(error)"))
        }
    }

    private func takeWrites() -> [any WriteUnderWay] {
        defer { writes = [] }
        return writes
    }

    private func response() throws(CodecError) -> ProtoBatchWriteResponse {
        let codec = FirestoreCodec(database: call.session.database)
        var response = ProtoBatchWriteResponse()
        for case let result? in results {
            switch result {
            case .success(let receipt):
                response.writeResults += try receipt.writeResults(codec)
                response.status.append(ProtoStatus())
            case .failure(let refusal):
                response.writeResults.append(ProtoWriteResult())
                response.status.append(FirestoreCodec.encode(refusal.error))
            }
        }
        return response
    }
}

extension ProtoBatchWriteResponse {
    /// The same with the refusals of writes that were not sent, each at its place.
    fileprivate func with(_ refusals: [HearthError?]) -> ProtoBatchWriteResponse {
        var whole = ProtoBatchWriteResponse()
        var (results, statuses) = (writeResults[...], status[...])
        for refusal in refusals {
            if let refusal {
                whole.writeResults.append(ProtoWriteResult())
                whole.status.append(FirestoreCodec.encode(refusal))
            } else {
                whole.writeResults.append(results.popFirst() ?? ProtoWriteResult())
                whole.status.append(statuses.popFirst() ?? ProtoStatus())
            }
        }
        return whole
    }
}
