import FoundationEssentials
import HearthBackend
import HearthModel
import HearthProtocol
import HearthRPC
import NIOCore
import SwiftProtobuf

extension FirestoreService {
    func commit(_ bytes: ByteBuffer, _ reply: @escaping Reply) throws(HearthError) {
        if let plain = bytes.withUnsafeReadableBytes({ PlainWrites($0) }) {
            return commit(plain.mutations, in: plain.database, transaction: nil, reply)
        }
        let request: ProtoCommitRequest = try Self.read(bytes)
        let reader = RequestReader(database: try NameReader.database(request.database))
        let transaction = try RequestReader.transaction(request.transaction)
        commit(
            try reader.writes(request.writes), in: reader.database, transaction: transaction, reply)
    }

    private func commit(
        _ writes: [Mutation], in database: DatabaseID, transaction: TransactionID?,
        _ reply: @escaping Reply
    ) {
        host.commit(
            writes, in: database, transaction: transaction, by: caller,
            then: Self.answer(reply) { outcome in
                .message(try CommitAnswer.bytes(of: outcome, in: database))
            })
    }

    func batchWrite(_ bytes: ByteBuffer, _ reply: @escaping Reply) throws(HearthError) {
        try caller.require(.batchWrites)
        if let plain = bytes.withUnsafeReadableBytes({ PlainWrites($0) }) {
            return batchWrite(plain.mutations, in: plain.database, reply)
        }
        let request: ProtoBatchWriteRequest = try Self.read(bytes)
        let reader = RequestReader(database: try NameReader.database(request.database))
        batchWrite(try reader.writes(request.writes), in: reader.database, reply)
    }

    private func batchWrite(
        _ writes: [Mutation], in database: DatabaseID, _ reply: @escaping Reply
    ) {
        host.commitEach(
            writes, in: database, by: caller,
            then: Self.answer(reply) { answers in
                .message(try CommitAnswer.bytes(of: answers, in: database))
            })
    }

    func createDocument(
        _ request: ProtoCreateDocumentRequest, _ reply: @escaping Reply
    ) throws(HearthError) {
        guard request.document.name.isEmpty else {
            throw HearthError.argument("document.name must not be set")
        }
        let (database, parent) = try NameReader.parent(request.parent)
        guard !request.collectionID.isEmpty else {
            throw HearthError.argument("collection_id must be set")
        }
        for id in [request.collectionID, request.documentID] where id.utf8.contains(0x2F) {
            throw HearthError.argument(
                "Resource id \"\(id)\" is invalid because it contains \"/\".")
        }
        let id = request.documentID.isEmpty ? Self.newDocumentID() : request.documentID
        var document = request.document
        document.name =
            "\(database.documentsName)/\(parent.isEmpty ? "" : "\(parent)/")"
            + "\(request.collectionID)/\(id)"
        let reader = RequestReader(database: database)
        let mutation = try reader.update(document, nil, .exists(false))
        write(
            mutation, in: database,
            answering: try RequestReader.mask(request.hasMask, request.mask), reply)
    }

    func updateDocument(
        _ request: ProtoUpdateDocumentRequest, _ reply: @escaping Reply
    ) throws(HearthError) {
        let (database, _) = try NameReader.document(request.document.name)
        let reader = RequestReader(database: database)
        let mutation = try reader.update(
            request.document, request.hasUpdateMask ? request.updateMask : nil,
            try RequestReader.precondition(request.hasCurrentDocument, request.currentDocument))
        write(
            mutation, in: database,
            answering: try RequestReader.mask(request.hasMask, request.mask), reply)
    }

    func deleteDocument(
        _ request: ProtoDeleteDocumentRequest, _ reply: @escaping Reply
    ) throws(HearthError) {
        let (database, key) = try NameReader.document(request.name)
        let precondition = try RequestReader.precondition(
            request.hasCurrentDocument, request.currentDocument)
        let mutation = Mutation(key: key, kind: .delete, precondition: precondition)
        host.commit(
            [mutation], in: database, by: caller, then: Self.answer(reply) { _ in .message([]) })
    }

    func beginTransaction(
        _ request: ProtoBeginTransactionRequest, _ reply: @escaping Reply
    ) throws(HearthError) {
        let database = try NameReader.database(request.database)
        let options = try RequestReader.options(request.options, isRead: false)
        host.begin(
            options, in: database,
            then: Self.answer(reply) { id in
                var response = ProtoBeginTransactionResponse()
                response.transaction = Data(id.bytes)
                return Self.message(response)
            })
    }

    func rollback(_ request: ProtoRollbackRequest, _ reply: @escaping Reply) throws(HearthError) {
        let database = try NameReader.database(request.database)
        guard let id = try RequestReader.transaction(request.transaction) else {
            throw HearthError.argument("Invalid transaction.")
        }
        host.rollback(id, in: database, then: Self.answer(reply) { _ in .message([]) })
    }

    /// The results of a commit's writes.
    static func results(
        of outcome: CommitOutcome, in database: DatabaseID
    ) throws(CodecError) -> [ProtoWriteResult] {
        let codec = FirestoreCodec(database: database)
        var results: [ProtoWriteResult] = []
        results.reserveCapacity(outcome.results.count)
        for result in outcome.results { results.append(try codec.encode(result)) }
        return results
    }

    private func write(
        _ mutation: Mutation, in database: DatabaseID, answering mask: [FieldPath]?,
        _ reply: @escaping Reply
    ) {
        host.commit([mutation], in: database, by: caller) { [host] result in
            switch result {
            case .failure(let error): reply(.failure(error))
            case .success(let outcome):
                host.read(
                    .nothing, in: database, .readTime(outcome.version.timestamp),
                    then: Self.answer(reply) { view in
                        let document = view.document(mutation.key)
                        return .message(
                            try FirestoreCodec(database: database).documentBytes(
                                mask.map { document.keeping($0) } ?? document))
                    })
            }
        }
    }

    private static func newDocumentID() -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
        return String((0..<20).map { _ in letters[Int.random(in: letters.indices)] })
    }
}
