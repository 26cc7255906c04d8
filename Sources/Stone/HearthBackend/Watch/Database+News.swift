import HashTreeCollections
import HearthModel

/// What has happened since a moment, for streams that heard nothing in between.
extension Database {
    /// All documents that match a query now, in the query's order and without the query's limit.
    func matching(_ plan: QueryPlan) -> [Document] {
        matching(plan, at: log.end, limit: nil)
    }

    /// The difference between a query's results at a moment and now.
    ///
    /// - Complexity: O(k) for k documents changed since the moment; with a limit also the cost of
    ///   running the query at both moments.
    func news(of plan: QueryPlan, since moment: SnapshotVersion) -> [WatchNews] {
        guard let limit = plan.query.limit else {
            return news(of: plan, changes(since: moment))
        }
        let before = matching(plan, at: moment, limit: limit)
        let after = matching(plan, at: log.end, limit: limit)
        let known = Dictionary(before.map { ($0.key, $0.version) }) { first, _ in first }
        let remaining = Set(after.map(\.key))
        let left = before.filter { !remaining.contains($0.key) }.map { old in
            let document = documents.document(old.key)
            return WatchNews(
                document: document, isMember: false, isChanged: document.version != old.version)
        }
        let joined = after.filter { known[$0.key] != $0.version }.map { document in
            WatchNews(
                document: document, isMember: true, isChanged: document.version > moment)
        }
        return left + joined
    }

    /// Which of some documents have changed since a moment.
    func news(of keys: [DocumentKey], since moment: SnapshotVersion) -> [WatchNews] {
        let keys = Set(keys)
        return changes(since: moment).filter { keys.contains($0.key) }.map { change in
            WatchNews(document: change.new, isMember: change.new.isFound, isChanged: true)
        }
    }

    /// The messages that bring a stream from a moment to now.
    ///
    /// - Complexity: O(k + t) for k documents changed since and t concerned targets of the stream;
    ///   if the log has forgotten changes, the cost of telling everything anew.
    func catchUp(
        _ session: WatchSession, _ stream: StreamID, since behind: SnapshotVersion,
        at moment: SnapshotVersion, _ token: ResumeToken?
    ) -> [WatchChange] {
        let messages =
            behind < log.start
            ? everything(session, at: moment, token)
            : missed(session, stream, since: behind, at: moment)
        return messages + [.snapshot(at: moment, token)]
    }

    private func missed(
        _ session: WatchSession, _ stream: StreamID, since behind: SnapshotVersion,
        at moment: SnapshotVersion
    ) -> [WatchChange] {
        let changes = changes(since: behind)
        var gathered = StreamNews()
        for (query, concerned) in watch.concerned(of: session, by: changes) {
            let targets = session.targets(of: query)
            guard let plan = watch.plan(of: query) else { continue }
            let news =
                plan.query.limit == nil
                ? news(of: plan, concerned) : self.news(of: plan, since: behind)
            for target in targets {
                for item in news { gathered.add(item, for: target, plan.query.projection) }
            }
        }
        for change in changes {
            let item = WatchNews(
                document: change.new, isMember: change.new.isFound, isChanged: true)
            for target in watch.documentTargets(of: stream, holding: change.key) {
                gathered.add(item, for: target, nil)
            }
        }
        return gathered.messages(at: moment)
    }

    /// Changes are forgotten: queries are reset, and every name is answered anew.
    private func everything(
        _ session: WatchSession, at moment: SnapshotVersion, _ token: ResumeToken?
    ) -> [WatchChange] {
        var gathered = StreamNews()
        var resets: [WireTargetID] = []
        for (id, target) in session.targets.sorted(by: { $0.key < $1.key }) {
            switch target {
            case .documents(let keys):
                for item in state(of: keys) { gathered.add(item, for: id, nil) }
            case .query(let query):
                guard let plan = watch.plan(of: query) else { continue }
                resets.append(id)
                for item in state(of: plan) { gathered.add(item, for: id, plan.query.projection) }
            }
        }
        if resets.isEmpty { return gathered.messages(at: moment) }
        return [.target(.init(kind: .reset, targets: resets))] + gathered.messages(at: moment)
            + [
                .target(
                    .init(kind: .current, targets: resets, resumeToken: token, readAt: moment))
            ]
    }

    /// How many documents a target of a query holds at a moment.
    func count(of plan: QueryPlan, at moment: SnapshotVersion) -> Int {
        matching(plan, at: moment, limit: plan.query.limit).count
    }

    /// The first that match a query at a moment, in its order; all without a limit.
    func matching(
        _ plan: QueryPlan, at moment: SnapshotVersion, limit: Int?
    ) -> [Document] {
        view(at: moment).first(limit, of: plan)
    }

    /// A picture to ask queries of, whatever the database is called.
    func view(at moment: SnapshotVersion) -> ReadView {
        ReadView(
            database: DatabaseID(project: ""), documents: documents, log: log, moment: moment,
            newTransaction: nil)
    }

    private func news(of plan: QueryPlan, _ changes: [DocumentChange]) -> [WatchNews] {
        changes.compactMap { change in
            let isMember = plan.matches(change.new)
            guard isMember || plan.matches(change.old) else { return nil }
            return WatchNews(document: change.new, isMember: isMember, isChanged: true)
        }
    }

    private func state(of plan: QueryPlan) -> [WatchNews] {
        matching(plan, at: log.end, limit: plan.query.limit).map {
            WatchNews(document: $0, isMember: true, isChanged: true)
        }
    }

    private func state(of keys: [DocumentKey]) -> [WatchNews] {
        keys.map { key in
            let document = documents.document(key)
            return WatchNews(document: document, isMember: document.isFound, isChanged: true)
        }
    }

    private func changes(since moment: SnapshotVersion) -> [DocumentChange] {
        log.keys(after: moment).compactMap { key in
            let change = DocumentChange(
                old: documents.document(key, at: moment), new: documents.document(key))
            return change.old.isMissing && change.new.isMissing ? nil : change
        }
    }
}
