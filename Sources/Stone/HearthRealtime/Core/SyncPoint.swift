package import HearthModel

/// The views at one place.
package struct SyncPoint: Sendable {
    /// The news of one view for its listeners.
    typealias News = (
        query: QueryParameters, listeners: [ListenerName], outcome: RealtimeView.Outcome
    )

    private var views: [QueryParameters: RealtimeView] = [:]
    /// The queries in the order of coming.
    private var order: [QueryParameters] = []

    /// No view.
    package init() {}

    /// Whether there is no view.
    package var isEmpty: Bool { views.isEmpty }

    /// The queries, in the order of coming.
    package var queries: [QueryParameters] { order }

    /// A view of the whole node for which the backend is asked.
    package var watchedWholeView: RealtimeView? {
        order.lazy.filter(\.isComplete).compactMap { views[$0] }.first(where: \.isWatched)
    }

    /// The queries for a part for which the backend is asked.
    package var watchedParts: [QueryParameters] {
        order.filter { !$0.isComplete && views[$0]?.isWatched ?? false }
    }

    /// What the server has here, as far as a view for the whole node knows.
    var knownWhole: Node? {
        order.lazy.filter(\.isComplete).compactMap { views[$0] }.first?.cache.server.node
    }

    /// The view of a query.
    package func view(of query: QueryParameters) -> RealtimeView? { views[query] }

    /// Puts a view in its place.
    mutating func set(_ view: RealtimeView) {
        if views.updateValue(view, forKey: view.query) == nil { order.append(view.query) }
    }

    /// Takes a view out.
    mutating func remove(_ query: QueryParameters) {
        views[query] = nil
        order.removeAll { $0 == query }
    }

    /// The server's node at a path below, if some view knows the whole node.
    func completeServerNode(at path: RealtimePath) -> Node? {
        for query in order {
            if let node = views[query]?.completeServerNode(at: path) { return node }
        }
        return nil
    }

    /// Shows other pending writes in all views.
    mutating func replaceWrites(_ writes: WriteLayer, _ sortedNodes: inout SortedNodes)
        -> [News]
    {
        order.compactMap { query in
            guard var view = views[query] else { return nil }
            let outcome = view.replaceWrites(writes, &sortedNodes)
            views[query] = view
            return outcome.isEmpty ? nil : (query, view.listeners, outcome)
        }
    }

    /// Applies an operation to all views, or to some.
    ///
    /// - Parameters:
    ///   - operation: The operation, which counts from here.
    ///   - only: The query that the operation is for; `nil` for all.
    ///   - isMeant: Whether a view takes the operation.
    ///   - writes: The pending writes, as seen from here.
    ///   - knownServer: The server's node of this place, if a view further up knows the whole node.
    ///   - sortedNodes: The orders that all views share.
    mutating func take(
        _ operation: SyncOperation, only: QueryParameters?,
        where isMeant: (RealtimeView) -> Bool = { _ in true }, writes: WriteLayer,
        knownServer: Node?, _ sortedNodes: inout SortedNodes
    ) -> [News] {
        var outcomes: [News] = []
        for query in only.map({ [$0] }) ?? order where views[query].map(isMeant) ?? false {
            let outcome = views[query]?.take(
                operation, writes: writes, knownServer: knownServer, &sortedNodes)
            guard let outcome, !outcome.isEmpty else { continue }
            outcomes.append((query, views[query]?.listeners ?? [], outcome))
        }
        return outcomes
    }
}
