import FoundationEssentials
import HearthBackend
import HearthModel
import HearthProtocol
import HearthRPC
import SwiftProtobuf

extension FirestoreService {
    func runQuery(_ request: ProtoRunQueryRequest, _ reply: @escaping Reply) throws(HearthError) {
        let started = ContinuousClock.now
        let (database, parent) = try NameReader.parent(request.parent)
        guard case .structuredQuery(let proto)? = request.queryType else {
            throw HearthError.argument("only structured queries are supported")
        }
        let reader = RequestReader(database: database)
        let plan = try QueryPlan(try reader.query(proto, parent: parent), in: database)
        let nearest = try reader.nearest(proto)
        let explains = request.hasExplainOptions
        let isRun = !explains || request.explainOptions.analyze
        host.read(
            nearest.map { .nearest(plan, $0) } ?? .query(plan), in: database,
            try RequestReader.consistency(request), by: caller,
            then: runsAside(reply) { view in
                var results = QueryResults(documents: [], skippedCount: 0, scannedCount: 0)
                if isRun { results = nearest.map { view.run(plan, $0) } ?? view.run(plan) }
                var metrics: ProtoExplainMetrics?
                if explains {
                    metrics = QueryExplanation(
                        plan: plan, fields: [],
                        vector: nearest.map { ($0.field, $0.dimensionCount) },
                        resultCount: results.documents.count, scannedCount: results.scannedCount,
                        readCount: results.documents.count + results.skippedCount
                    ).metrics(isAnalyzed: isRun, duration: started.duration(to: .now))
                }
                return .messages(
                    QueryAnswers(results, of: view, isRun: isRun, metrics: metrics))
            })
    }

    func runAggregationQuery(
        _ request: ProtoRunAggregationQueryRequest, _ reply: @escaping Reply
    ) throws(HearthError) {
        let started = ContinuousClock.now
        let (database, parent) = try NameReader.parent(request.parent)
        guard case .structuredAggregationQuery(let proto)? = request.queryType,
            case .structuredQuery(let inner)? = proto.queryType
        else { throw HearthError.argument("only structured queries are supported") }
        let reader = RequestReader(database: database)
        let query = try QueryPlan(try reader.query(inner, parent: parent), in: database)
        let plan = try AggregationPlan(
            try RequestReader.aggregations(proto.aggregations), over: query)
        let explains = request.hasExplainOptions
        let isRun = !explains || request.explainOptions.analyze
        host.read(
            .query(plan.query), in: database, try RequestReader.consistency(request), by: caller,
            then: runsAside(reply) { view in
                var messages: [[UInt8]] = []
                if let id = view.newTransaction {
                    var answer = ProtoRunAggregationQueryResponse()
                    answer.transaction = Data(id.bytes)
                    messages.append(FirestoreCodec.bytes(of: answer))
                }
                var answer = ProtoRunAggregationQueryResponse()
                if isRun {
                    answer.readTime = FirestoreCodec.encode(view.moment.timestamp)
                    answer.result = try FirestoreCodec(database: database).encode(
                        aggregates: view.run(plan))
                }
                if explains {
                    let scanned = isRun ? view.run(query).scannedCount : 0
                    answer.explainMetrics = QueryExplanation(
                        plan: query, fields: plan.fields, resultCount: isRun ? 1 : 0,
                        scannedCount: scanned, readCount: (scanned + 999) / 1_000
                    ).metrics(isAnalyzed: isRun, duration: started.duration(to: .now))
                }
                messages.append(FirestoreCodec.bytes(of: answer))
                return .messages(ReadyAnswers(messages))
            })
    }
}

/// The results of a query, one message each; the last message has `done` set.
private struct QueryAnswers: AnswerSource {
    private let codec: FirestoreCodec
    /// `nil` if the request asked only for the plan, so that nothing was read.
    private let readTime: Timestamp?
    private var transaction: TransactionID?
    private var skippedCount: Int
    private var documents: ArraySlice<Document>
    private let metrics: ProtoExplainMetrics?
    private var isDone = false

    init(
        _ results: QueryResults, of view: ReadView, isRun: Bool, metrics: ProtoExplainMetrics?
    ) {
        codec = FirestoreCodec(database: view.database)
        readTime = isRun ? view.moment.timestamp : nil
        transaction = view.newTransaction
        skippedCount = results.skippedCount
        documents = results.documents[...]
        self.metrics = metrics
    }

    mutating func next() throws(HearthError) -> [UInt8]? {
        if isDone { return nil }
        if let id = transaction {
            transaction = nil
            var answer = ProtoRunQueryResponse()
            answer.transaction = Data(id.bytes)
            return FirestoreCodec.bytes(of: answer)
        }
        let document = documents.popFirst()
        isDone = documents.isEmpty
        defer { skippedCount = 0 }
        do throws(CodecError) {
            if skippedCount == 0, let document, let readTime, !(isDone && metrics != nil) {
                return try codec.queryAnswerBytes(document, readTime: readTime, isDone: isDone)
            }
            var answer = ProtoRunQueryResponse()
            if let readTime { answer.readTime = FirestoreCodec.encode(readTime) }
            answer.skippedResults = Int32(clamping: skippedCount)
            if let document { answer.document = try codec.encode(document) }
            if isDone {
                answer.done = true
                if let metrics { answer.explainMetrics = metrics }
            }
            return FirestoreCodec.bytes(of: answer)
        } catch {
            throw HearthError(code: .internalError, message: "\(error)")
        }
    }
}
