import FoundationEssentials
import GRPCCore
import HearthBackend
import HearthModel
import HearthProtocol
import SwiftProtobuf

extension FirestoreService {
    /// Elements of a page that did not ask for a size.
    private static let pageSize = 300

    func getDocument(
        request: ProtoGetDocumentRequest, context: ServerContext
    ) async throws -> ProtoDocument {
        let (database, key) = try NameReader.document(request.name)
        try NameRules.check(key.path, in: database)
        let mask = try RequestReader.mask(request.hasMask, request.mask)
        let view = try await host.read(
            .documents([key]), in: database, try RequestReader.consistency(request), by: caller)
        let document = try view.existingDocument(key)
        return try FirestoreCodec(database: database).encode(
            mask.map { document.keeping($0) } ?? document)
    }

    func batchGetDocuments(
        request: ProtoBatchGetDocumentsRequest,
        response: RPCWriter<ProtoBatchGetDocumentsResponse>, context: ServerContext
    ) async throws {
        let database = try NameReader.database(request.database)
        var keys: [DocumentKey] = []
        var seen: Set<DocumentKey> = []
        for name in request.documents {
            let key = try NameReader.document(name, in: database)
            try NameRules.check(key.path, in: database)
            if seen.insert(key).inserted { keys.append(key) }
        }
        let mask = try RequestReader.mask(request.hasMask, request.mask)
        let view = try await host.read(
            .documents(keys), in: database, try RequestReader.consistency(request), by: caller)
        let codec = FirestoreCodec(database: database)
        if let id = view.newTransaction {
            var answer = ProtoBatchGetDocumentsResponse()
            answer.transaction = Data(id.bytes)
            try await response.write(answer)
        }
        // Clients must not count on any order; what is found comes first, as in production.
        let documents = keys.map { view.document($0) }
        for document in documents.filter(\.isFound) + documents.filter(\.isMissing) {
            var answer = ProtoBatchGetDocumentsResponse()
            answer.readTime = FirestoreCodec.encode(view.moment.timestamp)
            if document.isFound {
                answer.found = try codec.encode(mask.map { document.keeping($0) } ?? document)
            } else {
                answer.missing = codec.name(of: document.key)
            }
            try await response.write(answer)
        }
    }

    func listDocuments(
        request: ProtoListDocumentsRequest, context: ServerContext
    ) async throws -> ProtoListDocumentsResponse {
        let (database, parent) = try NameReader.parent(request.parent)
        if request.showMissing { try caller.requireAdmin() }
        let mask = try RequestReader.mask(request.hasMask, request.mask)
        let orderBys = try RequestReader.orderBys(request.orderBy)
        let token = try PageToken(request.pageToken)
        var consistency = try RequestReader.consistency(request)
        if let token, consistency == .latest { consistency = .readTime(token.moment) }
        let collectionID = request.collectionID.isEmpty ? nil : request.collectionID
        let subject = ReadSubject.query(QueryPlan(parent: parent, collectionID: collectionID))
        let view = try await host.read(subject, in: database, consistency, by: caller)
        let found = try view.list(
            parent: parent, collectionID: collectionID, orderBys: orderBys,
            showMissing: request.showMissing)
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
        return response
    }

    func listCollectionIds(
        request: ProtoListCollectionIdsRequest, context: ServerContext
    ) async throws -> ProtoListCollectionIdsResponse {
        try caller.requireAdmin()
        let (database, parent) = try NameReader.parent(request.parent)
        let token = try PageToken(request.pageToken)
        var consistency = try RequestReader.consistency(request)
        if let token, consistency == .latest { consistency = .readTime(token.moment) }
        let view = try await host.read(.nothing, in: database, consistency)
        let page = PageToken.page(
            of: view.collectionIDs(below: parent), from: token, size: Int(request.pageSize),
            usual: Self.pageSize, at: view.moment.timestamp)
        var response = ProtoListCollectionIdsResponse()
        response.collectionIds = Array(page.elements)
        response.nextPageToken = page.next
        return response
    }

    func runAggregationQuery(
        request: ProtoRunAggregationQueryRequest,
        response: RPCWriter<ProtoRunAggregationQueryResponse>, context: ServerContext
    ) async throws {
        let started = ContinuousClock.now
        let (database, parent) = try NameReader.parent(request.parent)
        guard case .structuredAggregationQuery(let proto)? = request.queryType,
            case .structuredQuery(let inner)? = proto.queryType
        else { throw HearthError.argument("only structured queries are supported") }
        let reader = RequestReader(database: database)
        let query = try QueryPlan(try reader.query(inner, parent: parent), in: database)
        let plan = try AggregationPlan(
            try RequestReader.aggregations(proto.aggregations), over: query)
        let view = try await host.read(
            .query(query), in: database, try RequestReader.consistency(request), by: caller)
        if let id = view.newTransaction {
            var answer = ProtoRunAggregationQueryResponse()
            answer.transaction = Data(id.bytes)
            try await response.write(answer)
        }
        var answer = ProtoRunAggregationQueryResponse()
        answer.readTime = FirestoreCodec.encode(view.moment.timestamp)
        let isRun = !request.hasExplainOptions || request.explainOptions.analyze
        if isRun {
            answer.result = try FirestoreCodec(database: database).encode(
                aggregates: view.run(plan))
        }
        if request.hasExplainOptions {
            let scanned = isRun ? view.run(query).scannedCount : 0
            answer.explainMetrics = QueryExplanation(
                plan: query, fields: plan.fields, resultCount: isRun ? 1 : 0,
                scannedCount: scanned, readCount: max(1, (scanned + 999) / 1_000)
            ).metrics(isAnalyzed: isRun, duration: started.duration(to: .now))
        }
        try await response.write(answer)
    }

    func partitionQuery(
        request: ProtoPartitionQueryRequest, context: ServerContext
    ) async throws -> ProtoPartitionQueryResponse {
        try caller.requireAdmin()
        let (database, parent) = try NameReader.parent(request.parent)
        guard case .structuredQuery(let proto)? = request.queryType else {
            throw HearthError.argument("only structured queries are supported")
        }
        let reader = RequestReader(database: database)
        let plan = try QueryPlan(try reader.query(proto, parent: parent), in: database)
        let token = try PageToken(request.pageToken)
        var consistency = try RequestReader.consistency(request)
        if let token, consistency == .latest { consistency = .readTime(token.moment) }
        let view = try await host.read(.nothing, in: database, consistency)
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
        return response
    }
}
