package import HearthEngine
package import HearthModel

/// A one-time read that asks for more documents than its program did.
///
/// Writes that wait have taken documents out of the limit, and only the backend knows what comes
/// behind the limit's results.
package struct WideRead: Hashable, Sendable {
    /// The request that the read answers.
    package let id: RequestID
    /// Where the program reads.
    package let source: ReadSource
    /// The answer to what the program asked, in case the backend refuses the larger limit, because
    /// rules may bound a query's limit, or goes away where the cache may not answer.
    package let narrowAnswer: ViewSnapshot
    /// What the program asked, with a larger limit.
    package let query: Query

    /// Asks for more than a query did whose limit has lost documents.
    ///
    /// The limit has room for as many documents more as were lost, twice over, and for some that may
    /// be lost meanwhile.
    init(
        _ id: RequestID, _ source: ReadSource, instead answer: ViewSnapshot, beyond query: Query,
        lost: Int
    ) {
        self.id = id
        self.source = source
        var narrow = answer
        narrow.lostCount = lost
        narrowAnswer = narrow
        var wide = query
        wide.limit = query.limit.map { Query.Limit($0.count + 2 * lost + 8, $0.end) }
        self.query = wide
    }
}
