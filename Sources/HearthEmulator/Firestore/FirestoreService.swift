import FoundationEssentials
import GRPCCore
import HearthBackend
import HearthModel
import HearthProtocol
import Logging
import SwiftProtobuf

/// `google.firestore.v1.Firestore`, answered by the host's backend.
///
/// Handlers read a request, ask the host once, and write what it answers. Queries run here, on a
/// picture that the host gave, so that a long one holds up nobody.
struct FirestoreService: ProtoFirestore.SimpleServiceProtocol {
    let host: BackendHost
    let logger: Logger
    /// Who asks. A transport gives each call a service of its own.
    var caller = Caller.admin

    func commit(
        request: ProtoCommitRequest, context: ServerContext
    ) async throws -> ProtoCommitResponse {
        let reader = RequestReader(database: try NameReader.database(request.database))
        let transaction = try RequestReader.transaction(request.transaction)
        let outcome = try await host.commit(
            try reader.writes(request.writes), in: reader.database, transaction: transaction,
            by: caller)
        var response = ProtoCommitResponse()
        response.writeResults = try Self.results(of: outcome, in: reader.database)
        response.commitTime = FirestoreCodec.encode(outcome.version.timestamp)
        return response
    }

    func batchWrite(
        request: ProtoBatchWriteRequest, context: ServerContext
    ) async throws -> ProtoBatchWriteResponse {
        let reader = RequestReader(database: try NameReader.database(request.database))
        try caller.requireAdmin()
        let writes = try reader.writes(request.writes)
        try await host.checkBatch(writes, in: reader.database)
        let codec = FirestoreCodec(database: reader.database)
        let answers = await commitEach(writes, in: reader.database)
        var response = ProtoBatchWriteResponse()
        for answer in answers {
            var result = ProtoWriteResult()
            var status = ProtoStatus()
            switch answer {
            case .success(let outcome):
                if let first = outcome.results.first { result = try codec.encode(first) }
            case .failure(let error):
                status = FirestoreCodec.encode(error)
            }
            response.writeResults.append(result)
            response.status.append(status)
        }
        return response
    }

    func createDocument(
        request: ProtoCreateDocumentRequest, context: ServerContext
    ) async throws -> ProtoDocument {
        guard request.document.name.isEmpty else {
            throw HearthError.argument("document.name must not be set")
        }
        let (database, parent) = try NameReader.parent(request.parent)
        guard !request.collectionID.isEmpty else {
            throw HearthError.argument("collection_id must be set")
        }
        let id = request.documentID.isEmpty ? Self.newDocumentID() : request.documentID
        var document = request.document
        document.name =
            "\(database.documentsName)/\(parent.isEmpty ? "" : "\(parent)/")"
            + "\(request.collectionID)/\(id)"
        let reader = RequestReader(database: database)
        let mutation = try reader.update(document, nil, .exists(false))
        return try await write(
            mutation, in: database,
            answering: try RequestReader.mask(request.hasMask, request.mask))
    }

    func updateDocument(
        request: ProtoUpdateDocumentRequest, context: ServerContext
    ) async throws -> ProtoDocument {
        let (database, _) = try NameReader.document(request.document.name)
        let reader = RequestReader(database: database)
        let mutation = try reader.update(
            request.document, request.hasUpdateMask ? request.updateMask : nil,
            try RequestReader.precondition(request.hasCurrentDocument, request.currentDocument))
        return try await write(
            mutation, in: database,
            answering: try RequestReader.mask(request.hasMask, request.mask))
    }

    func deleteDocument(
        request: ProtoDeleteDocumentRequest, context: ServerContext
    ) async throws -> Google_Protobuf_Empty {
        let (database, key) = try NameReader.document(request.name)
        let precondition = try RequestReader.precondition(
            request.hasCurrentDocument, request.currentDocument)
        let mutation = Mutation(key: key, kind: .delete, precondition: precondition)
        _ = try await host.commit([mutation], in: database, by: caller)
        return Google_Protobuf_Empty()
    }

    func beginTransaction(
        request: ProtoBeginTransactionRequest, context: ServerContext
    ) async throws -> ProtoBeginTransactionResponse {
        let database = try NameReader.database(request.database)
        let options = try RequestReader.options(request.options, isRead: false)
        var response = ProtoBeginTransactionResponse()
        response.transaction = Data(try await host.begin(options, in: database).bytes)
        return response
    }

    func rollback(
        request: ProtoRollbackRequest, context: ServerContext
    ) async throws -> Google_Protobuf_Empty {
        let database = try NameReader.database(request.database)
        guard let id = try RequestReader.transaction(request.transaction) else {
            throw HearthError.argument("Invalid transaction.")
        }
        try await host.rollback(id, in: database)
        return Google_Protobuf_Empty()
    }

    func executePipeline(
        request: ProtoExecutePipelineRequest,
        response: RPCWriter<ProtoExecutePipelineResponse>, context: ServerContext
    ) async throws {
        throw HearthError(
            code: .unimplemented,
            message: "Pipelines are only allowed on ENTERPRISE mode, which this emulator is not.")
    }
}

extension FirestoreService {
    /// The results of a commit's writes.
    static func results(
        of outcome: CommitOutcome, in database: DatabaseID
    ) throws -> [ProtoWriteResult] {
        let codec = FirestoreCodec(database: database)
        return try outcome.results.map { try codec.encode($0) }
    }

    /// Makes each write for itself, all at once, so that they share their way to the disk.
    private func commitEach(
        _ writes: [Mutation], in database: DatabaseID
    ) async -> [Result<CommitOutcome, HearthError>] {
        await withTaskGroup(of: (Int, Result<CommitOutcome, HearthError>).self) { group in
            for (index, write) in writes.enumerated() {
                group.addTask { [host] in
                    do {
                        return (index, .success(try await host.commit([write], in: database)))
                    } catch let error as HearthError {
                        return (index, .failure(error))
                    } catch {
                        let unknown = HearthError(code: .unknown, message: "\(error)")
                        return (index, .failure(unknown))
                    }
                }
            }
            var answers: [Int: Result<CommitOutcome, HearthError>] = [:]
            for await (index, answer) in group { answers[index] = answer }
            return writes.indices.compactMap { answers[$0] }
        }
    }

    private func write(
        _ mutation: Mutation, in database: DatabaseID, answering mask: [FieldPath]?
    ) async throws -> ProtoDocument {
        let outcome = try await host.commit([mutation], in: database, by: caller)
        let view = try await host.read(
            .nothing, in: database, .readTime(outcome.version.timestamp))
        let document = view.document(mutation.key)
        return try FirestoreCodec(database: database).encode(
            mask.map { document.keeping($0) } ?? document)
    }

    private static func newDocumentID() -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
        return String((0..<20).map { _ in letters[Int.random(in: letters.indices)] })
    }
}
