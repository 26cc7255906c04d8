import HearthFirestore
import HearthModel
import HearthProtocol
import HearthRPC
import HearthServer
import NIOCore
import SwiftProtobuf

/// Commits without a transaction: queued durably, and answered as the mode says.
extension GatewayCall {
    /// Commits writes that stand or fall together.
    ///
    /// - Throws: Why the request is refused at once.
    func commit(_ request: ByteBuffer) throws(HearthError) {
        if mode.writes != .committed, let plain = request.plainWrites, !plain.mutations.isEmpty {
            return try queue(plain.mutations)
        }
        let message: ProtoCommitRequest = try CheckedWrites.message(request)
        let mutations = try RequestReader(database: session.database).writes(message.writes)
        guard message.transaction.isEmpty else {
            return try commitPastQueue(request, message, mutations)
        }
        if mode.writes == .committed || mutations.isEmpty && session.unreachable == nil {
            // Of nothing, too: the backend knows the time.
            try CheckedWrites.check(mutations, by: session)
            return try commitPastQueue(request, message, mutations)
        }
        if mutations.isEmpty { return commitNothing() }
        try queue(mutations)
    }

    /// Answers a commit of nothing while the backend cannot be reached: with a promised time, as a
    /// commit of something.
    private func commitNothing() {
        let writer = session.writer(ProgramName.read(head))
        ask({ .write(WriteRequest(id: $0, writer: writer, mutations: [], conditions: .judged)) }) {
            delivery in
            switch delivery {
            case .result(_, .promised(let promise)):
                var response = ProtoCommitResponse()
                response.commitTime = FirestoreCodec.encode(promise.promisedAt)
                var answer = Answer.message(FirestoreCodec.bytes(of: response))
                answer.initial = ["hearth-state": WriteReceipt.State.accepted.rawValue]
                self.answer(answer)
            case .refuse(_, let error): fail(error)
            case .snapshot, .fail, .inSync, .answer, .accept, .settle, .complete, .loaded, .found,
                .explained, .indexes, .result:
                preconditionFailure("The answer to another question: \(delivery)")
            }
            return false
        }
    }

    private func queue(_ mutations: [Mutation]) throws(HearthError) {
        try queue(mutations) { receipt in
            answer(receipt) { codec throws(CodecError) in
                FirestoreCodec.bytes(of: try receipt.commitResponse(codec))
            }
        }
    }

    /// Queues writes, and goes on when they are answered as the mode says.
    ///
    /// - Throws: Why the writes are refused at once.
    func queue(
        _ mutations: [Mutation], then body: @escaping (WriteReceipt) -> Void
    ) throws(HearthError) {
        try CheckedWrites.check(mutations, by: session)
        let terms = try WriteTerms(of: session, mode, head, isNumbered: true)
        let write = session.write(mutations, terms, whenTaken: hold()) { result in
            switch result {
            case .failure(let refusal): fail(refusal)
            case .success(let receipt): body(receipt)
            }
        }
        stream.whenLate { write.progress.lateEnd }
        stream.whenGone { write.abandon() }
    }

    /// Has the request counted until the engine has taken a write of it.
    ///
    /// - Returns: What must be called then.
    func hold() -> () -> Void {
        let counted = stream.counted
        counted?.hold()
        return { counted?.letGo() }
    }

    /// Answers finished writes, with the writes' metadata.
    func answer(
        _ receipt: WriteReceipt, _ message: (FirestoreCodec) throws(CodecError) -> [UInt8]
    ) {
        do throws(CodecError) {
            var answer = Answer.message(try message(FirestoreCodec(database: session.database)))
            answer.initial = receipt.metadata
            self.answer(answer)
        } catch {
            fail(HearthError(code: .internalError, message: "\(error)"))
        }
    }
}

extension ByteBuffer {
    /// The writes of a request that has nothing unusual.
    var plainWrites: PlainWrites? { withUnsafeReadableBytes { PlainWrites($0) } }
}
