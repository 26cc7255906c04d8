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
        guard message.transaction.isEmpty else { return try commitPastQueue(request) }
        let mutations = try RequestReader(database: session.database).writes(message.writes)
        if mutations.isEmpty || mode.writes == .committed {
            return try commitAtBackend(message, mutations)
        }
        try queue(mutations)
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
        let write = QueuedWrite.begin(mutations, by: session, terms) { result in
            switch result {
            case .failure(let refusal): fail(refusal)
            case .success(let receipt): body(receipt)
            }
        }
        stream.whenGone { write.abandon() }
    }

    /// Answers writes that are done, with what the metadata says of them.
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

    /// Has the backend commit writes past the queue, behind all that the session has queued.
    ///
    /// A commit of nothing goes this way too: only the backend knows the time.
    private func commitAtBackend(
        _ message: ProtoCommitRequest, _ mutations: [Mutation]
    ) throws(HearthError) {
        try CheckedWrites.check(mutations, by: session)
        if let refusal = session.offlineRefusal(of: "This commit", as: mode.offlineStatus) {
            return fail(refusal)
        }
        // Promises are settled when the session's own writes are.
        afterOwnWrites {
            translate(mutations) { translated in
                do throws(HearthError) {
                    let real = message.naming(translated)
                    try commitPastQueue(ByteBuffer(bytes: FirestoreCodec.bytes(of: real)))
                } catch {
                    fail(error)
                }
            }
        }
    }

    /// Puts the backend's times in the place of promised times in preconditions.
    private func translate(_ mutations: [Mutation], then body: @escaping ([Mutation]) -> Void) {
        ask({ .translate($0, mutations) }) { delivery in
            switch delivery {
            case .result(_, .translated(let translated)): body(translated)
            case .refuse(_, let error): fail(error)
            case .snapshot, .fail, .inSync, .answer, .accept, .settle, .complete, .loaded, .found,
                .explained, .indexes, .result:
                preconditionFailure("The answer to another question: \(delivery)")
            }
            return false
        }
    }
}

extension ProtoCommitRequest {
    /// The same with the times that the preconditions of writes name.
    fileprivate func naming(_ mutations: [Mutation]) -> ProtoCommitRequest {
        var request = self
        for (place, mutation) in mutations.enumerated() {
            guard case .updateTime(let version) = mutation.precondition else { continue }
            let time = FirestoreCodec.encode(version.timestamp)
            request.writes[place].currentDocument.updateTime = time
        }
        return request
    }
}

extension ByteBuffer {
    /// The writes of a request that has nothing unusual.
    var plainWrites: PlainWrites? { withUnsafeReadableBytes { PlainWrites($0) } }
}
