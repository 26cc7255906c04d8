import HashTreeCollections
import HearthModel

/// All watchers of one database, found by their targets.
///
/// A commit finds the concerned watchers by the places, names and values of its documents, and
/// touches no other watcher: the work grows with the change and with the watchers that hear of it.
struct WatchHub: Sendable {
    /// The targets that name a document, by stream.
    private typealias Holders = TreeDictionary<StreamID, TreeSet<WireTargetID>>

    /// Up to this many queries of a stream are each compared with the stream's missed changes.
    ///
    /// For a stream with more queries, the hub looks up the missed changes in the index of all
    /// queries.
    private static let fewQueryCountMax = 32

    private(set) var sessions: TreeDictionary<StreamID, WatchSession> = [:]
    private var queries: TreeDictionary<WatchedQueryID, WatchedQuery> = [:]
    private var ids: TreeDictionary<StructuredQuery, WatchedQueryID> = [:]
    private var lastID: UInt64 = 0

    private var index = PlanIndex<WatchedQueryID>()
    private var byDocument: TreeDictionary<DocumentKey, Holders> = [:]
    /// How many queries and targets of documents the hub has compared with commits so far.
    ///
    /// Tests check that this work of telling grows with the size of the change.
    private(set) var examinedCount = 0

    /// The plan of a watched query.
    func plan(of id: WatchedQueryID) -> QueryPlan? { queries[id]?.plan }

    /// Whether no stream is open, so that nobody can hear of a commit.
    var isEmpty: Bool { sessions.isEmpty }

    /// How many distinct queries are watched.
    var queryCount: Int { queries.count }

    mutating func open(_ stream: StreamID) {
        if sessions[stream] == nil { sessions[stream] = WatchSession() }
    }

    mutating func close(_ stream: StreamID) {
        guard let session = sessions.removeValue(forKey: stream) else { return }
        for (id, target) in session.targets {
            unsubscribe(Subscription(stream: stream, target: id), from: target)
        }
    }

    /// Changes a session; does nothing if the stream is closed.
    mutating func update<Result, Failure: Error>(
        _ stream: StreamID, _ body: (inout WatchSession) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard var session = sessions[stream] else { return nil }
        let result = try body(&session)
        sessions[stream] = session
        return result
    }

    /// Adds a target for a query.
    ///
    /// - Parameter first: The first that match now, in order, as many as are wanted; asked for only if
    ///   a limit needs it.
    mutating func subscribe(
        _ subscription: Subscription, to plan: QueryPlan, first: (Int) -> [Document]
    ) {
        let id: WatchedQueryID
        if let known = ids[plan.query] {
            id = known
        } else {
            lastID += 1
            id = WatchedQueryID(rawValue: lastID)
            ids[plan.query] = id
            let query = WatchedQuery(plan: plan, first: first)
            queries[id] = query
            index.insert(id, plan, reach: query.reach)
        }
        queries[id]?.subscribers.insert(subscription)
        sessions[subscription.stream]?.add(subscription.target, .query(id))
    }

    /// Adds a target for documents.
    mutating func subscribe(_ subscription: Subscription, to keys: [DocumentKey]) {
        for key in keys {
            byDocument[key, default: [:]][subscription.stream, default: []]
                .insert(subscription.target)
        }
        sessions[subscription.stream]?.add(subscription.target, .documents(keys))
    }

    /// Takes a target away.
    ///
    /// - Returns: Whether there was one.
    mutating func unsubscribe(_ subscription: Subscription) -> Bool {
        guard let target = sessions[subscription.stream]?.remove(subscription.target) else {
            return false
        }
        unsubscribe(subscription, from: target)
        return true
    }

    private mutating func unsubscribe(
        _ subscription: Subscription, from target: WatchSession.Target
    ) {
        switch target {
        case .documents(let keys):
            for key in keys {
                byDocument[key]?[subscription.stream]?.remove(subscription.target)
                if byDocument[key]?[subscription.stream]?.isEmpty ?? false {
                    byDocument[key]?[subscription.stream] = nil
                }
                if byDocument[key]?.isEmpty ?? false { byDocument[key] = nil }
            }
        case .query(let id):
            queries[id]?.subscribers.remove(subscription)
            guard let query = queries[id], query.subscribers.isEmpty else { return }
            queries[id] = nil
            ids[query.plan.query] = nil
            index.remove(id)
        }
    }
}

/// What a commit means to the watchers.
extension WatchHub {
    /// The messages of a commit, by stream: its changes, then one global snapshot.
    ///
    /// - Parameter first: The first that match a query after the commit, as many as are wanted.
    mutating func changed(
        _ changes: [DocumentChange], at version: SnapshotVersion, _ token: ResumeToken?,
        first: (QueryPlan, Int) -> [Document]
    ) -> [(StreamID, [WatchChange])] {
        var news: [StreamID: StreamNews] = [:]
        for (id, concerned) in concerned(by: changes) {
            guard var query = queries[id] else { continue }
            examinedCount += concerned.count
            let (plan, reach) = (query.plan, query.reach)
            let heard = query.apply(concerned) { first(plan, $0) }
            queries[id] = query
            if query.reach != reach { index.insert(id, plan, reach: query.reach) }
            if heard.isEmpty { continue }
            for subscriber in query.subscribers where isListening(subscriber.stream) {
                for item in heard {
                    news[subscriber.stream, default: StreamNews()]
                        .add(item, for: subscriber.target, query.plan.query.projection)
                }
            }
        }
        for change in changes {
            for (stream, targets) in byDocument[change.key] ?? [:] where isListening(stream) {
                examinedCount += targets.count
                let item = WatchNews(
                    document: change.new, isMember: change.new.isFound, isChanged: true)
                for target in targets {
                    news[stream, default: StreamNews()].add(item, for: target, nil)
                }
            }
        }
        return news.sorted { $0.key < $1.key }.map { stream, news in
            (stream, news.messages(at: version) + [.snapshot(at: version, token)])
        }
    }

    /// The queries of a stream that changes concern, in order, each query with its changes.
    ///
    /// - Complexity: O(k q) for k changes and a stream of q queries, if q is small; else the cost
    ///   of finding all queries that the changes may concern.
    func concerned(
        of session: WatchSession, by changes: [DocumentChange]
    ) -> [(WatchedQueryID, [DocumentChange])] {
        let own = session.queries
        if own.count > Self.fewQueryCountMax {
            return concerned(by: changes).filter { !session.targets(of: $0.0).isEmpty }
        }
        return own.sorted().compactMap { id in
            guard let plan = plan(of: id) else { return nil }
            let found = changes.filter { plan.matches($0.old) || plan.matches($0.new) }
            return found.isEmpty ? nil : (id, found)
        }
    }

    /// The queries that changes may concern, in order, each query with its changes.
    private func concerned(by changes: [DocumentChange]) -> [(WatchedQueryID, [DocumentChange])] {
        var result: [WatchedQueryID: [DocumentChange]] = [:]
        for change in changes {
            for id in index.queries(concernedBy: change) { result[id, default: []].append(change) }
        }
        return result.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The document targets of a stream that a document belongs to.
    func documentTargets(of stream: StreamID, holding key: DocumentKey) -> [WireTargetID] {
        (byDocument[key]?[stream] ?? []).sorted()
    }

    private func isListening(_ stream: StreamID) -> Bool {
        sessions[stream].map { $0.behind == nil } ?? false
    }
}
