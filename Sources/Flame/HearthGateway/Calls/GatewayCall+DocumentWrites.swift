import HearthEngine
import HearthFirestore
import HearthModel
import HearthProtocol
import HearthServer
import NIOCore
import SwiftProtobuf

/// Writes of one document that are answered with the document: commits of one.
extension GatewayCall {
    /// Creates a document.
    ///
    /// - Throws: Why the request is refused at once.
    func createDocument(_ request: ByteBuffer) throws(HearthError) {
        let message: ProtoCreateDocumentRequest = try CheckedWrites.message(request)
        guard message.document.name.isEmpty else {
            throw .argument("document.name must not be set")
        }
        let (_, parent) = try NameReader.parent(message.parent)
        guard !message.collectionID.isEmpty else { throw .argument("collection_id must be set") }
        for id in [message.collectionID, message.documentID] where id.utf8.contains(0x2F) {
            throw .argument("Resource id \"\(id)\" is invalid because it contains \"/\".")
        }
        let id = message.documentID.isEmpty ? Self.newDocumentID() : message.documentID
        var document = message.document
        document.name =
            "\(session.database.documentsName)/\(parent.isEmpty ? "" : "\(parent)/")"
            + "\(message.collectionID)/\(id)"
        let reader = RequestReader(database: session.database)
        if mode.writes == .committed { return try forwardAlone(.createDocument, request) }
        try write(
            try reader.update(document, nil, .exists(false)),
            answering: try RequestReader.mask(message.hasMask, message.mask))
    }

    /// Changes a document, or sets it.
    ///
    /// - Throws: Why the request is refused at once.
    func updateDocument(_ request: ByteBuffer) throws(HearthError) {
        let message: ProtoUpdateDocumentRequest = try CheckedWrites.message(request)
        let mutation = try RequestReader(database: session.database).update(
            message.document, message.hasUpdateMask ? message.updateMask : nil,
            try RequestReader.precondition(message.hasCurrentDocument, message.currentDocument))
        if mode.writes == .committed { return try forwardAlone(.updateDocument, request) }
        try write(mutation, answering: try RequestReader.mask(message.hasMask, message.mask))
    }

    /// Deletes a document.
    ///
    /// - Throws: Why the request is refused at once.
    func deleteDocument(_ request: ByteBuffer) throws(HearthError) {
        let message: ProtoDeleteDocumentRequest = try CheckedWrites.message(request)
        let mutation = Mutation(
            key: try NameReader.document(message.name, in: session.database), kind: .delete,
            precondition: try RequestReader.precondition(
                message.hasCurrentDocument, message.currentDocument))
        if mode.writes == .committed { return try forwardAlone(.deleteDocument, request) }
        try queue([mutation]) { receipt in answer(receipt) { _ in [] } }
    }

    /// Writes a document, and answers with the document as it is locally then.
    private func write(
        _ mutation: Mutation, answering mask: [FieldPath]?
    ) throws(HearthError) {
        try queue([mutation]) { receipt in
            readLocal(mutation.key) { document in answer(document, cut: mask, receipt) }
        }
    }

    /// Has the backend write a document past the queue, behind all that the session has queued.
    private func forwardAlone(
        _ method: FirestoreMethod, _ request: ByteBuffer
    ) throws(HearthError) {
        if let refusal = session.offlineRefusal(of: "A write", as: mode.offlineStatus) {
            return fail(refusal)
        }
        afterOwnWrites {
            do throws(HearthError) {
                try forward(method, request)
            } catch {
                fail(error)
            }
        }
    }

    /// The document as its own program sees it, right after the write.
    private func readLocal(_ key: DocumentKey, then body: @escaping (Document) -> Void) {
        ask({ .get($0, Query(path: key.path), .cache) }) { delivery in
            switch delivery {
            case .answer(_, let shared):
                body(shared.snapshot.documents.documents.first ?? .invalid(key))
            case .refuse(_, let error): fail(error)
            case .snapshot, .fail, .inSync, .accept, .settle, .complete, .loaded, .found,
                .explained, .indexes, .result:
                preconditionFailure("The answer to another question: \(delivery)")
            }
            return false
        }
    }

    private func answer(_ document: Document, cut mask: [FieldPath]?, _ receipt: WriteReceipt) {
        guard document.isFound else {
            // A race: somebody has deleted the document.
            return fail(.deletedMeanwhile(document.key, in: session.database))
        }
        answer(receipt) { codec throws(CodecError) in
            try codec.documentBytes(document.answer(mask))
        }
    }

    private static func newDocumentID() -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
        return String((0..<20).map { _ in letters[Int.random(in: letters.indices)] })
    }
}

extension HearthError {
    fileprivate static func deletedMeanwhile(
        _ key: DocumentKey, in database: DatabaseID
    ) -> HearthError {
        HearthError(
            code: .notFound,
            message: "The document \(database.documentsName)/\(key) was written, and somebody has "
                + "deleted it since.")
    }
}
