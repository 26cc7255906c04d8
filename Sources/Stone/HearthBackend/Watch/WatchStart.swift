import HashTreeCollections
import HearthModel

/// What a target is told when it begins or resumes.
struct WatchStart {
    /// What the client knows already.
    enum Since {
        /// Nothing.
        case nothing
        /// All up to a moment, since which every change is remembered.
        case moment(SnapshotVersion)
        /// All up to a moment, since which deletions may have been forgotten.
        case tooOld(SnapshotVersion)
        /// Something of another history.
        case unknown
    }

    let database: Database
    let id: DatabaseID
    let target: WireTargetID
    let request: WatchRequest
    let since: Since
    let moment: SnapshotVersion

    /// The messages between ADD and CURRENT.
    ///
    /// - Throws: `HearthError` if the target is refused.
    func messages() throws(HearthError) -> [WatchChange] {
        switch request.subject {
        case .unreadable(let error): throw error
        case .documents(let keys): return messages(of: keys)
        case .query: return messages(of: try plan())
        }
    }

    /// Puts the target where it hears of commits.
    func subscribe(_ subscription: Subscription, in hub: inout WatchHub) throws(HearthError) {
        switch request.subject {
        case .unreadable: return
        case .documents(let keys): hub.subscribe(subscription, to: keys)
        case .query:
            let plan = try plan()
            hub.subscribe(subscription, to: plan) {
                database.matching(plan, at: database.log.end, limit: $0)
            }
        }
    }

    /// Checks a query that is to be watched.
    ///
    /// - Throws: `invalidArgument`, also for an offset: the skipped documents change with every
    ///   commit, and a client that counts its documents could not notice a result that begins
    ///   elsewhere.
    static func plan(_ query: StructuredQuery, in id: DatabaseID) throws(HearthError) -> QueryPlan {
        let plan = try QueryPlan(query, in: id)
        guard query.offset == 0 else {
            throw .argument("A query with an offset cannot be listened to; begin at a cursor.")
        }
        return plan
    }

    private func plan() throws(HearthError) -> QueryPlan {
        guard case .query(let query) = request.subject else {
            preconditionFailure("A target without a query has no plan")
        }
        return try Self.plan(query, in: id)
    }

    private func messages(of keys: [DocumentKey]) -> [WatchChange] {
        if case .moment(let version) = since {
            return tell(database.news(of: keys, since: version), nil)
        }
        // Every name is answered, so there is nothing that a reset would have to undo.
        return keys.map { key in
            let document = database.documents.document(key)
            guard document.isFound else {
                return .document(
                    .init(
                        updated: [], removed: [target], key: key,
                        document: .missing(key, at: moment)))
            }
            return .document(.init(updated: [target], removed: [], key: key, document: document))
        }
    }

    private func messages(of plan: QueryPlan) -> [WatchChange] {
        switch since {
        case .nothing:
            return everything(plan)
        case .unknown:
            return [reset] + everything(plan)
        case .moment(let version):
            return tell(database.news(of: plan, since: version), plan.query.projection)
                + filter(plan, since: version)
        case .tooOld(let version):
            // Without a count the client could not find out which of its documents are too many.
            // With a limit, the age of a document does not tell whether the document has moved into
            // the window.
            guard let expected = request.expectedCount, expected > 0, plan.query.limit == nil else {
                return [reset] + everything(plan)
            }
            return changesAndFilter(plan, since: version)
        }
    }

    private var reset: WatchChange { .target(.init(kind: .reset, targets: [target])) }

    private func everything(_ plan: QueryPlan) -> [WatchChange] {
        database.matching(plan, at: database.log.end, limit: plan.query.limit).map { document in
            .document(
                .init(
                    updated: [target], removed: [], key: document.key,
                    document: plan.projected(document)))
        }
    }

    /// An existence filter, if the client does not hold the expected number of documents.
    ///
    /// The client learns from the filter which documents are too many.
    private func filter(_ plan: QueryPlan, since version: SnapshotVersion) -> [WatchChange] {
        guard let expected = request.expectedCount, expected > 0,
            expected != database.count(of: plan, at: version)
        else { return [] }
        let matching = database.matching(
            plan, at: database.log.end, limit: plan.query.limit)
        return [filter(matching, since: version)]
    }

    private func filter(_ matching: [Document], since version: SnapshotVersion) -> WatchChange {
        let names = matching.filter { $0.version <= version }.map {
            "\(id.documentsName)/\($0.key)"
        }
        return .existenceFilter(
            ExistenceFilter(
                target: target, count: matching.count,
                unchangedNames: BloomFilter(containing: names)))
    }

    private func changesAndFilter(
        _ plan: QueryPlan, since version: SnapshotVersion
    ) -> [WatchChange] {
        let matching = database.matching(plan)
        let changed = matching.filter { $0.version > version }
        let news = changed.map { WatchNews(document: $0, isMember: true, isChanged: true) }
        return tell(news, plan.query.projection) + [filter(matching, since: version)]
    }

    private func tell(_ news: [WatchNews], _ projection: [FieldPath]?) -> [WatchChange] {
        var gathered = StreamNews()
        for item in news { gathered.add(item, for: target, projection) }
        return gathered.messages(at: moment)
    }
}
