package import HearthModel

extension ReadView {
    /// Documents in a query's scope below which cutting it is not worth while.
    private static var partitionSizeMin: Int { 64 }

    /// The names at which a query over a collection group can be cut into parts of about one size.
    ///
    /// - Parameter count: How many cuts are wished for; there may be fewer, or none.
    /// - Throws: `HearthError` `invalidArgument` for a query of another form.
    package func partition(
        _ plan: QueryPlan, into count: Int
    ) throws(HearthError) -> [DocumentKey] {
        try plan.checkPartition(into: count)
        let keys = matches(plan, plan.admits).map(\.key)
        let cuts = min(count, keys.count / Self.partitionSizeMin)
        if cuts == 0 { return [] }
        return (1...cuts).map { keys[$0 * keys.count / (cuts + 1)] }
    }
}

extension QueryPlan {
    /// Refuses a query that cannot be cut into parts.
    ///
    /// - Throws: `HearthError` `invalidArgument` for a query of another form.
    package func checkPartition(into count: Int) throws(HearthError) {
        guard count > 0 else { throw .argument("partition_count must be positive") }
        guard query.source?.allDescendants == true, query.filter == nil,
            orderBys == [OrderBy(.documentID)], query.limit == nil, query.offset == 0
        else {
            throw .argument(
                "Partition queries must ask a collection group with all descendants, ordered by "
                    + "name, without filter, limit or offset.")
        }
    }
}
