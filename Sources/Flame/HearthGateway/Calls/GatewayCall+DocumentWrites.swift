import HearthEngine
import HearthFirestore
import HearthModel
import HearthProtocol
import HearthServer
import HearthWire
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
        let mutation = try reader.update(document, nil, .exists(false))
        let mask = try RequestReader.mask(message.hasMask, message.mask)
        if mode.writes == .committed {
            return try forwardAlone(.createDocument, mutation) { _ in request }
        }
        // The document is what was written, and nothing of anybody else's.
        try queue([mutation]) { receipt in
            answer(mutation.written(as: receipt), cut: mask, receipt)
        }
    }

    /// Changes a document, or sets it. The answer has the whole document, so the program needs the
    /// right to read.
    ///
    /// - Throws: Why the request is refused at once.
    func updateDocument(_ request: ByteBuffer) throws(HearthError) {
        let message: ProtoUpdateDocumentRequest = try CheckedWrites.message(request)
        let mutation = try RequestReader(database: session.database).update(
            message.document, message.hasUpdateMask ? message.updateMask : nil,
            try RequestReader.precondition(message.hasCurrentDocument, message.currentDocument))
        let mask = try RequestReader.mask(message.hasMask, message.mask)
        try session.check(.read, .document(mutation.key.path))
        if mode.writes == .committed {
            return try forwardAlone(.updateDocument, mutation) { mutation in
                var real = message
                if let time = mutation.namedTime { real.currentDocument.updateTime = time }
                return ByteBuffer(bytes: FirestoreCodec.bytes(of: real))
            }
        }
        try queue([mutation]) { receipt in
            readWritten(mutation, receipt) { answer($0, cut: mask, receipt) }
        }
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
        if mode.writes == .committed {
            return try forwardAlone(.deleteDocument, mutation) { mutation in
                var real = message
                if let time = mutation.namedTime { real.currentDocument.updateTime = time }
                return ByteBuffer(bytes: FirestoreCodec.bytes(of: real))
            }
        }
        try queue([mutation]) { receipt in answer(receipt) { _ in [] } }
    }

    /// Has the backend write a document past the queue, behind all that the session has queued.
    ///
    /// - Parameter request: The request with the backend's time in its precondition.
    private func forwardAlone(
        _ method: FirestoreMethod, _ mutation: Mutation,
        _ request: @escaping (Mutation) -> ByteBuffer
    ) throws(HearthError) {
        try CheckedWrites.checkRight(to: mutation, of: session)
        if let refusal = session.offlineRefusal(of: "A write", as: mode.offlineStatus) {
            return fail(refusal)
        }
        afterOwnWrites {
            translate([mutation]) { translated in
                orFail { () throws(HearthError) in try forward(method, request(translated[0])) }
            }
        }
    }

    /// The document as its own program sees it right after the write.
    ///
    /// The write is done, whatever becomes of the document or of the engine: if the document is not
    /// surely known here, the backend is asked for it, and if it has no answer, the document is what
    /// was written.
    private func readWritten(
        _ mutation: Mutation, _ receipt: WriteReceipt, then body: @escaping (Document) -> Void
    ) {
        read(mutation.key, .cache) { found in
            let known = found ?? mutation.written(as: receipt)
            // Fields that a change leaves alone are known only as far as the cache had them.
            let isPartial = found.map { $0.hasCommittedMutations && !mutation.isWhole } ?? true
            guard isPartial, receipt.state == .committed, session.unreachable == nil else {
                return body(known)
            }
            read(mutation.key, .default) { body($0 ?? known) }
        }
    }

    /// Reads a document; `nil` if it is not found, or nobody can tell.
    private func read(
        _ key: DocumentKey, _ source: ReadSource, then body: @escaping (Document?) -> Void
    ) {
        ask({ .read($0, [key], source) }) { delivery in
            switch delivery {
            case .result(_, .read(let read)): body(read.documents.first { $0.isFound })
            case .refuse: body(nil)
            case .snapshot, .fail, .inSync, .answer, .accept, .settle, .complete, .loaded, .found,
                .explained, .indexes, .result:
                preconditionFailure("The answer to another question: \(delivery)")
            }
            return false
        }
    }

    private func answer(_ document: Document, cut mask: [FieldPath]?, _ receipt: WriteReceipt) {
        answer(receipt) { codec throws(CodecError) in
            try codec.documentBytes(document.answer(mask))
        }
    }

    private static func newDocumentID() -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
        return String((0..<20).map { _ in letters[Int.random(in: letters.indices)] })
    }
}

extension Mutation {
    /// Whether the write says all of the document.
    fileprivate var isWhole: Bool {
        if case .set = kind { return true }
        return false
    }

    /// The document as far as the write itself tells.
    fileprivate func written(as receipt: WriteReceipt) -> Document {
        let fields: MapValue =
            switch kind {
            case .set(let fields): fields
            case .patch(let values, let mask): Mutation.patched(.empty, values, mask)
            case .delete, .verify: .empty
            }
        return .found(key, at: receipt.results[0].version, fields)
    }
}
