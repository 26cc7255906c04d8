import HearthBackend
import HearthModel
import HearthProtocol
import SwiftProtobuf

/// What a query costs, told to whoever asks for it.
struct QueryExplanation {
    let plan: QueryPlan
    /// Fields beyond the query's own that an index would hold.
    let fields: [FieldPath]
    /// The field of vectors that an index would hold, and their length.
    var vector: (field: FieldPath, count: Int)?
    let resultCount: Int
    let scannedCount: Int
    /// How many documents are paid for; a query that finds none costs as much as one of them.
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
        let minimum = readCount == 0 ? 1 : 0
        stats.readOperations = Int64(readCount + minimum)
        // Clients expect that time has passed.
        let (seconds, attoseconds) = max(duration, .microseconds(1)).components
        stats.executionDuration.seconds = seconds
        stats.executionDuration.nanos = Int32(attoseconds / 1_000_000_000)
        var billing = Google_Protobuf_Struct()
        for (name, count) in [
            ("documents_billable", readCount), ("index_entries_billable", 0),
            ("min_query_cost", minimum), ("small_ops", 0),
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
