import Dispatch
import FoundationEssentials
import HearthBackend
import HearthModel
import HearthProtocol
import HearthRPC
import SwiftProtobuf

extension FirestoreService {
    /// The size of a page if the request names no size.
    private static let pageSize = 300

    func getDocument(
        _ request: ProtoGetDocumentRequest, _ reply: @escaping Reply
    ) throws(HearthError) {
        let (database, key) = try NameReader.document(request.name)
        try NameRules.check(key.path, in: database)
        let mask = try RequestReader.mask(request.hasMask, request.mask)
        host.read(
            .documents([key]), in: database, try RequestReader.consistency(request), by: caller,
            then: Self.answer(reply) { view in
                let document = try view.existingDocument(key)
                return .message(
                    try FirestoreCodec(database: database).documentBytes(
                        mask.map { document.keeping($0) } ?? document))
            })
    }

    func batchGetDocuments(
        _ request: ProtoBatchGetDocumentsRequest, _ reply: @escaping Reply
    ) throws(HearthError) {
        let database = try NameReader.database(request.database)
        var keys: [DocumentKey] = []
        var seen: Set<DocumentKey> = []
        for name in request.documents {
            let key = try NameReader.document(name, in: database)
            try NameRules.check(key.path, in: database)
            if seen.insert(key).inserted { keys.append(key) }
        }
        let mask = try RequestReader.mask(request.hasMask, request.mask)
        host.read(
            .documents(keys), in: database, try RequestReader.consistency(request), by: caller,
            then: Self.answer(reply) { [keys] view in
                .messages(BatchGetAnswers(keys, of: view, mask: mask))
            })
    }

    func listDocuments(
        _ request: ProtoListDocumentsRequest, _ reply: @escaping Reply
    ) throws(HearthError) {
        let (database, parent) = try NameReader.parent(request.parent)
        try Self.check(pageSize: request.pageSize)
        if request.showMissing { try caller.require(.metadata) }
        let mask = try RequestReader.mask(request.hasMask, request.mask)
        let orderBys = try RequestReader.orderBys(request.orderBy)
        let token = try PageToken(request.pageToken)
        let consistency = try RequestReader.consistency(request)
        let collectionID = try RequestReader.collection(request.collectionID)
        let plan = try QueryPlan(
            listing: parent, collectionID: collectionID, orderBys: orderBys,
            limit: request.pageSize > 0 ? Int(request.pageSize) : nil, in: database)
        host.read(
            .query(plan), in: database, token?.consistency(consistency) ?? consistency, by: caller,
            then: runsAside(reply) { view in
                let found = try view.list(plan, showMissing: request.showMissing)
                let page = PageToken.page(
                    of: found, from: token, size: Int(request.pageSize), usual: Self.pageSize,
                    at: view.moment.timestamp)
                let codec = FirestoreCodec(database: database)
                var response = ProtoListDocumentsResponse()
                response.documents = try page.elements.map { document in
                    guard document.isMissing else {
                        return try codec.encode(mask.map { document.keeping($0) } ?? document)
                    }
                    var proto = ProtoDocument()
                    proto.name = codec.name(of: document.key)
                    return proto
                }
                response.nextPageToken = page.next
                return Self.message(response)
            })
    }

    func listCollectionIds(
        _ request: ProtoListCollectionIdsRequest, _ reply: @escaping Reply
    ) throws(HearthError) {
        try caller.require(.metadata)
        try Self.check(pageSize: request.pageSize)
        let (database, parent) = try NameReader.parent(request.parent)
        let token = try PageToken(request.pageToken)
        let consistency = try RequestReader.consistency(request)
        host.read(
            .nothing, in: database, token?.consistency(consistency) ?? consistency,
            then: runsAside(reply) { view in
                let page = PageToken.page(
                    of: view.collectionIDs(below: parent), from: token,
                    size: Int(request.pageSize), usual: Self.pageSize, at: view.moment.timestamp)
                var response = ProtoListCollectionIdsResponse()
                response.collectionIds = Array(page.elements)
                response.nextPageToken = page.next
                return Self.message(response)
            })
    }

    func partitionQuery(
        _ request: ProtoPartitionQueryRequest, _ reply: @escaping Reply
    ) throws(HearthError) {
        try caller.require(.partitions)
        let (database, parent) = try NameReader.parent(request.parent)
        guard case .structuredQuery(let proto)? = request.queryType else {
            throw HearthError.argument("only structured queries are supported")
        }
        let reader = RequestReader(database: database)
        let plan = try QueryPlan(try reader.query(proto, parent: parent), in: database)
        try plan.checkPartition(into: Int(request.partitionCount))
        let token = try PageToken(request.pageToken)
        let consistency = try RequestReader.consistency(request)
        host.read(
            .query(plan), in: database, token?.consistency(consistency) ?? consistency,
            then: runsAside(reply) { view in
                let cuts = try view.partition(plan, into: Int(request.partitionCount))
                let page = PageToken.page(
                    of: cuts, from: token, size: Int(request.pageSize), usual: Self.pageSize,
                    at: view.moment.timestamp)
                let codec = FirestoreCodec(database: database)
                var response = ProtoPartitionQueryResponse()
                response.partitions = page.elements.map { key in
                    var cursor = ProtoCursor()
                    var value = ProtoValue()
                    value.referenceValue = codec.name(of: key)
                    cursor.values = [value]
                    cursor.before = true
                    return cursor
                }
                response.nextPageToken = page.next
                return Self.message(response)
            })
    }

    private static func check(pageSize: Int32) throws(HearthError) {
        if pageSize < 0 { throw .argument("Page size must be nonnegative.") }
    }

    /// Makes an answer from a picture, at once only if the database is small.
    ///
    /// A query over a larger database runs on the queue `queries`, where the query holds up nobody.
    func runsAside(
        _ reply: @escaping Reply, _ body: @escaping @Sendable (ReadView) throws -> Answer
    ) -> BackendHost.Reply<ReadView> {
        let answer = Self.answer(reply, body)
        return { result in
            guard case .success(let view) = result,
                view.documents.recordCount > Self.promptRecordCountMax
            else { return answer(result) }
            Self.queries.async { answer(result) }
        }
    }
}

extension PageToken {
    /// The consistency of this token's page: a later page reads at the moment of the first page.
    fileprivate func consistency(_ asked: ReadConsistency) -> ReadConsistency {
        asked == .latest ? .readTime(moment) : asked
    }
}

/// The documents of a BatchGetDocuments, one message each.
private struct BatchGetAnswers: AnswerSource {
    private let codec: FirestoreCodec
    private let readTime: Timestamp
    private let mask: [FieldPath]?
    private var transaction: TransactionID?
    private var documents: ArraySlice<Document>

    init(_ keys: [DocumentKey], of view: ReadView, mask: [FieldPath]?) {
        codec = FirestoreCodec(database: view.database)
        readTime = view.moment.timestamp
        self.mask = mask
        transaction = view.newTransaction
        // The order is not promised to clients; found documents come first, as in production.
        let all = keys.map { view.document($0) }
        documents = (all.filter(\.isFound) + all.filter(\.isMissing))[...]
    }

    mutating func next() throws(HearthError) -> [UInt8]? {
        var answer = ProtoBatchGetDocumentsResponse()
        if let id = transaction {
            transaction = nil
            answer.transaction = Data(id.bytes)
            return FirestoreCodec.bytes(of: answer)
        }
        guard let document = documents.popFirst() else { return nil }
        if document.isFound {
            do throws(CodecError) {
                return try codec.batchGetAnswerBytes(
                    mask.map { document.keeping($0) } ?? document, readTime: readTime)
            } catch {
                throw HearthError(code: .internalError, message: "\(error)")
            }
        }
        answer.readTime = FirestoreCodec.encode(readTime)
        answer.missing = codec.name(of: document.key)
        return FirestoreCodec.bytes(of: answer)
    }
}
