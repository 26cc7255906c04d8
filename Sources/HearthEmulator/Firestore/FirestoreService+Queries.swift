import FoundationEssentials
import GRPCCore
import HearthBackend
import HearthModel
import HearthProtocol
import SwiftProtobuf

extension FirestoreService {
    func runQuery(
        request: ProtoRunQueryRequest, response: RPCWriter<ProtoRunQueryResponse>,
        context: ServerContext
    ) async throws {
        let started = ContinuousClock.now
        let (database, parent) = try NameReader.parent(request.parent)
        guard case .structuredQuery(let proto)? = request.queryType else {
            throw HearthError.argument("only structured queries are supported")
        }
        let reader = RequestReader(database: database)
        let plan = try QueryPlan(try reader.query(proto, parent: parent), in: database)
        let nearest = try reader.nearest(proto)
        let view = try await host.read(
            .query(plan), in: database, try RequestReader.consistency(request), by: caller)
        if let id = view.newTransaction {
            var answer = ProtoRunQueryResponse()
            answer.transaction = Data(id.bytes)
            try await response.write(answer)
        }
        let isRun = !request.hasExplainOptions || request.explainOptions.analyze
        var results = QueryResults(documents: [], skippedCount: 0, scannedCount: 0)
        if isRun { results = nearest.map { view.run(plan, $0) } ?? view.run(plan) }
        var last = try await write(results, of: view, to: response)
        if request.hasExplainOptions {
            last.explainMetrics = QueryExplanation(
                plan: plan, fields: [],
                vector: nearest.map { ($0.field, $0.dimensionCount) },
                resultCount: results.documents.count, scannedCount: results.scannedCount,
                readCount: results.documents.count
            ).metrics(isAnalyzed: isRun, duration: started.duration(to: .now))
        }
        last.done = true
        try await response.write(last)
    }

    /// Writes all results but the last message, which is returned.
    private func write(
        _ results: QueryResults, of view: ReadView, to response: RPCWriter<ProtoRunQueryResponse>
    ) async throws -> ProtoRunQueryResponse {
        let codec = FirestoreCodec(database: view.database)
        let readTime = FirestoreCodec.encode(view.moment.timestamp)
        var answer = ProtoRunQueryResponse()
        answer.readTime = readTime
        answer.skippedResults = Int32(clamping: results.skippedCount)
        for (index, document) in results.documents.enumerated() {
            if index > 0 {
                try await response.write(answer)
                answer = ProtoRunQueryResponse()
                answer.readTime = readTime
            }
            answer.document = try codec.encode(document)
        }
        return answer
    }
}

/// What a query costs, told to whoever asks for it.
struct QueryExplanation {
    let plan: QueryPlan
    /// Fields beyond the query's own that an index would hold.
    let fields: [FieldPath]
    /// The field of vectors that an index would hold, and their length.
    var vector: (field: FieldPath, count: Int)?
    let resultCount: Int
    let scannedCount: Int
    let readCount: Int

    /// The plan, and the statistics if the query was run.
    func metrics(isAnalyzed: Bool, duration: Duration) -> ProtoExplainMetrics {
        var metrics = ProtoExplainMetrics()
        var index = Google_Protobuf_Struct()
        index.fields["query_scope"] = .init(stringValue: plan.scopeName)
        index.fields["properties"] = .init(
            stringValue: "(\(plan.indexText(with: fields, vector: vector)))")
        metrics.planSummary.indexesUsed = [index]
        guard isAnalyzed else { return metrics }
        var stats = ProtoExecutionStats()
        stats.resultsReturned = Int64(resultCount)
        stats.readOperations = Int64(readCount)
        // Clients expect that time has passed.
        let (seconds, attoseconds) = max(duration, .microseconds(1)).components
        stats.executionDuration.seconds = seconds
        stats.executionDuration.nanos = Int32(attoseconds / 1_000_000_000)
        var billing = Google_Protobuf_Struct()
        for (name, count) in [
            ("documents_billable", readCount), ("index_entries_billable", 0), ("min_query_cost", 0),
            ("small_ops", 0),
        ] {
            billing.fields[name] = .init(stringValue: "\(count)")
        }
        stats.debugStats.fields["billing_details"] = .init(structValue: billing)
        stats.debugStats.fields["documents_scanned"] = .init(stringValue: "\(resultCount)")
        stats.debugStats.fields["index_entries_scanned"] = .init(stringValue: "\(scannedCount)")
        metrics.executionStats = stats
        return metrics
    }
}
