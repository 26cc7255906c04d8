import HearthBackend
import HearthModel
import HearthProtocol
import SwiftProtobuf

/// The plan and costs of a query, for a client that asks to explain the query.
struct QueryExplanation {
    let plan: QueryPlan
    /// Fields that an index would hold beside the query's own fields.
    let fields: [FieldPath]
    /// The field of vectors that an index would hold, and the vectors' length.
    var vector: (field: FieldPath, count: Int)?
    let resultCount: Int
    let scannedCount: Int
    /// How many document reads the query costs. A query without reads costs as much as one read.
    let readCount: Int

    /// The plan, and the statistics if the query ran.
    ///
    /// - Parameters:
    ///   - isAnalyzed: Whether the query ran.
    ///   - duration: How long the query took.
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
        // Clients expect a duration above zero.
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
