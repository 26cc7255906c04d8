import HearthBackend
import HearthFirestore
import HearthModel
import HearthProtocol
import HearthRPC
import HearthServer
import HearthWire
import NIOCore

/// GetDocument and BatchGetDocuments.
extension GatewayCall {
    /// Answers with one document.
    func getDocument(_ bytes: ByteBuffer) throws(HearthError) {
        let request: ProtoGetDocumentRequest = try Self.read(bytes)
        guard request.isOfNow else { return try forward(.getDocument, bytes) }
        let key = try readableKey(request.name)
        let mask = try RequestReader.mask(request.hasMask, request.mask)
        readDocuments([key]) { read throws(HearthError) in
            guard let document = read.documents.first, document.isFound else {
                throw HearthError(
                    code: .notFound,
                    message: "Document (\(session.database.documentsName)/\(key)) not found.")
            }
            let marks = Marks(showing: [document], isFromCache: read.isFromCache)
            answer(
                try documentBytes(document, mask), marks,
                asOf: marks.readTime(heard: read.readAt, showing: [document]))
        }
    }

    /// Answers with documents, each once, those found first.
    func batchGetDocuments(_ bytes: ByteBuffer) throws(HearthError) {
        let request: ProtoBatchGetDocumentsRequest = try Self.read(bytes)
        guard request.isOfNow else { return try forward(.batchGetDocuments, bytes) }
        var keys: [DocumentKey] = []
        var seen: Set<DocumentKey> = []
        for name in request.documents {
            let key = try readableKey(name)
            if seen.insert(key).inserted { keys.append(key) }
        }
        let mask = try RequestReader.mask(request.hasMask, request.mask)
        if keys.isEmpty { return answer(.messages(ReadyAnswers([]))) }
        readDocuments(keys) { read in
            let marks = Marks(showing: read.documents, isFromCache: read.isFromCache)
            let readTime = marks.readTime(heard: read.readAt, showing: read.documents)
            let answers = BatchGetAnswers(
                read.documents, mask, codec: codec, readTime: readTime)
            answer(answers, marks, asOf: readTime)
        }
    }

    /// The bytes of a document, which all clients share if it is whole.
    private func documentBytes(
        _ document: Document, _ mask: [FieldPath]?
    ) throws(HearthError) -> [UInt8] {
        if let mask { return try codec.answerBytes(document, mask) }
        return try session.connection.gateway.documentBytes.bytes(
            of: document, in: session.database)
    }

    /// Reads a name of a document that the program may read.
    private func readableKey(_ name: String) throws(HearthError) -> DocumentKey {
        let key = try NameReader.document(name, in: session.database)
        try NameRules.check(key.path, in: session.database)
        try session.check(.read, .document(key.path))
        return key
    }

    /// Reads documents that somebody here knows of: each is found or missing.
    ///
    /// Unknown is not missing: a client would write over what it believes is not there.
    ///
    /// - Parameter take: Gets the documents in the order asked.
    private func readDocuments(
        _ keys: [DocumentKey],
        then take: @escaping (DocumentsRead) throws(HearthError) -> Void
    ) {
        guard let source = firstSource else {
            return failOffline(Self.documentRead)
        }
        // What lies in memory needs no turn.
        if source == .cache, let read = session.remembered(keys) {
            return orFail { () throws(HearthError) in try take(read) }
        }
        readDocuments(keys, source, then: take)
    }

    private func readDocuments(
        _ keys: [DocumentKey], _ source: ReadSource,
        then take: @escaping (DocumentsRead) throws(HearthError) -> Void
    ) {
        ask({ .read($0, keys, source) }) { delivery in
            switch delivery {
            case .result(_, .read(let read)):
                let unknown = read.documents.first { !$0.isFound && !$0.isMissing }
                if let unknown {
                    if asksBackend(after: source) {
                        readDocuments(keys, .default, then: take)
                    } else {
                        fail(.notCached("\"\(unknown.key)\"", as: mode.offlineStatus))
                    }
                } else {
                    orFail { () throws(HearthError) in try take(read) }
                }
            case .refuse(_, let error):
                refuse(Self.documentRead, error)
            case .snapshot, .fail, .inSync, .answer, .accept, .settle, .complete, .loaded, .found,
                .explained, .indexes, .result:
                preconditionFailure("A read of documents is not answered by \(delivery)")
            }
            return false
        }
    }

    private static let documentRead = "A read in the mode \"server\""
}

/// The answers of a BatchGetDocuments, one message each.
private struct BatchGetAnswers: AnswerSource {
    private let codec: FirestoreCodec
    private let readTime: Timestamp
    private let mask: [FieldPath]?
    private var documents: ArraySlice<Document>

    init(
        _ documents: [Document], _ mask: [FieldPath]?, codec: FirestoreCodec, readTime: Timestamp
    ) {
        self.codec = codec
        self.readTime = readTime
        self.mask = mask
        // The order is not promised to clients; found documents come first, as in production.
        self.documents = (documents.filter(\.isFound) + documents.filter(\.isMissing))[...]
    }

    mutating func next() throws(HearthError) -> [UInt8]? {
        guard let document = documents.popFirst() else { return nil }
        guard document.isMissing else {
            return try codec.encoded { () throws(CodecError) in
                try codec.batchGetAnswerBytes(document.answer(mask), readTime: readTime)
            }
        }
        var answer = ProtoBatchGetDocumentsResponse()
        answer.readTime = FirestoreCodec.encode(readTime)
        answer.missing = codec.name(of: document.key)
        return FirestoreCodec.bytes(of: answer)
    }
}
