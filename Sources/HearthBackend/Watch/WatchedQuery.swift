import HashTreeCollections
import HearthModel

/// A query that somebody watches. However many do, a change is judged once.
struct WatchedQuery: Sendable {
    let plan: QueryPlan
    /// Only if the query has a limit: without one, old and new document decide.
    private var window: WatchWindow?
    var subscribers: TreeSet<Subscription> = []

    /// Begins to watch, with the documents that match now, in the query's order.
    ///
    /// - Parameter matching: Asked for only if the query has a limit.
    init(plan: QueryPlan, matching: () -> [Document]) {
        self.plan = plan
        if let limit = plan.query.limit {
            window = WatchWindow(limit: limit, order: plan.order, sorted: matching())
        }
    }

    /// What subscribers have to hear of a commit.
    ///
    /// - Parameter changes: Of documents in the query's scope.
    mutating func apply(_ changes: [DocumentChange]) -> [WatchNews] {
        let judged = changes.map { change in
            (
                old: plan.matches(change.old) ? change.old : nil,
                new: plan.matches(change.new) ? change.new : nil, now: change.new
            )
        }.filter { $0.old != nil || $0.new != nil }
        if judged.isEmpty { return [] }
        if window != nil { return window?.apply(judged) ?? [] }
        return judged.map {
            WatchNews(document: $0.now, isMember: $0.new != nil, isChanged: true)
        }
    }
}
