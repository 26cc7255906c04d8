/// How a query was answered from the cache, for people who ask why it is slow.
package struct QueryPlanDescription: Hashable, Sendable {
    /// The ways to answer a query.
    package enum Plan: String, Hashable, Sendable, CaseIterable {
        /// The query names its documents.
        case documentLookup = "document lookup"
        /// Indexes find all matches, in order where a limit needs the order.
        case index = "index"
        /// Indexes find more than the matches; the engine filters or sorts the documents found.
        case partialIndex = "partial index"
        /// Looks at the documents that the backend named before, or that changed since.
        case previousResults = "previous results"
        /// Looks at every document of the collection.
        case fullScan = "full scan"
    }

    /// The plan.
    package let plan: Plan
    /// The indexes used, such as `rooms(city asc)`; empty unless the plan uses any.
    package let indexes: [String]
    /// Documents and index entries looked at.
    package let examinedCount: Int
    /// Documents that matched, after the limit.
    package let matchedCount: Int
    /// Why this plan, in a sentence.
    package let why: String

    /// Describes a plan.
    ///
    /// - Parameters:
    ///   - plan: The plan.
    ///   - indexes: The indexes used, such as `rooms(city asc)`; empty unless the plan uses any.
    ///   - examinedCount: Documents and index entries looked at.
    ///   - matchedCount: Documents that matched, after the limit.
    ///   - why: Why this plan, in a sentence.
    package init(
        plan: Plan, indexes: [String] = [], examinedCount: Int, matchedCount: Int, why: String
    ) {
        self.plan = plan
        self.indexes = indexes
        self.examinedCount = examinedCount
        self.matchedCount = matchedCount
        self.why = why
    }
}
