import HashTreeCollections
import HearthModel

/// A query that somebody watches. However many do, a change is judged once.
struct WatchedQuery: Sendable {
    let plan: QueryPlan
    /// Only if the query has a limit: without one, old and new document decide.
    private var window: WatchWindow?
    var subscribers: TreeSet<Subscription> = []
    /// The values of the first sort key that can concern subscribers; `nil` for all.
    private(set) var reach: ValueRange?

    /// Begins to watch.
    ///
    /// - Parameter first: The first documents that match now, in the query's order, as many as are
    ///   wanted; asked for only if the query has a limit.
    init(plan: QueryPlan, first: (Int) -> [Document]) {
        self.plan = plan
        if let limit = plan.query.limit {
            window = WatchWindow(limit: limit, order: plan.order, first: first)
            reach = currentReach
        }
    }

    /// What subscribers have to hear of a commit.
    ///
    /// - Parameters:
    ///   - changes: All within the query's reach, and perhaps others.
    ///   - first: The first documents that match after the commit.
    mutating func apply(
        _ changes: [DocumentChange], first: (Int) -> [Document]
    ) -> [WatchNews] {
        let judged = changes.map { change in
            (
                old: plan.matches(change.old) ? change.old : nil,
                new: plan.matches(change.new) ? change.new : nil, now: change.new
            )
        }.filter { $0.old != nil || $0.new != nil }
        if judged.isEmpty { return [] }
        if window != nil {
            let edge = window?.edge
            let news = window?.apply(judged, first: first) ?? []
            if edge != window?.edge { reach = currentReach }
            return news
        }
        return judged.map {
            WatchNews(document: $0.now, isMember: $0.new != nil, isChanged: true)
        }
    }

    private var currentReach: ValueRange? {
        guard let edge = window?.edge, let first = plan.orderBys.first else { return nil }
        return ValueRange(upTo: edge, of: first)
    }
}
