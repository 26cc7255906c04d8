import HashTreeCollections
import HearthModel

/// What has happened since a moment, for those who heard nothing in between.
extension Database {
    /// All that matches a query now, in its order and without its limit.
    func matching(_ plan: QueryPlan) -> [Document] {
        matching(plan, at: log.end)
    }

    /// The difference between a query's results at a moment and now.
    ///
    /// - Complexity: O(k), k documents changed since; with a limit also that of running the query.
    func news(of plan: QueryPlan, since moment: SnapshotVersion) -> [WatchNews] {
        guard let limit = plan.query.limit else {
            return changes(since: moment).compactMap { change in
                let isMember = plan.matches(change.new)
                guard isMember || plan.matches(change.old) else { return nil }
                return WatchNews(document: change.new, isMember: isMember, isChanged: true)
            }
        }
        let before = matching(plan, at: moment).prefix(limit)
        let after = matching(plan).prefix(limit)
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
    func catchUp(
        _ session: WatchSession, since behind: SnapshotVersion, at moment: SnapshotVersion,
        _ token: ResumeToken?
    ) -> [WatchChange] {
        var gathered = StreamNews()
        var resets: [WireTargetID] = []
        for (id, target) in session.targets.sorted(by: { $0.key < $1.key }) {
            switch target {
            case .documents(let keys):
                // If changes are forgotten, every name is answered anew.
                let news = behind < log.start ? state(of: keys) : news(of: keys, since: behind)
                for item in news { gathered.add(item, for: id, nil) }
            case .query(let query):
                guard let plan = watch.plan(of: query) else { continue }
                if behind < log.start { resets.append(id) }
                let news =
                    behind < log.start ? state(of: plan) : self.news(of: plan, since: behind)
                for item in news { gathered.add(item, for: id, plan.query.projection) }
            }
        }
        var messages = gathered.messages
        if !resets.isEmpty {
            messages.insert(.target(.init(kind: .reset, targets: resets)), at: 0)
            messages.append(
                .target(
                    .init(kind: .current, targets: resets, resumeToken: token, readAt: moment)))
        }
        return messages + [.snapshot(at: moment, token)]
    }

    private func matching(_ plan: QueryPlan, at moment: SnapshotVersion) -> [Document] {
        let view = ReadView(
            database: DatabaseID(project: ""), documents: documents, moment: moment,
            newTransaction: nil)
        return view.matches(plan, plan.admits)
    }

    private func state(of plan: QueryPlan) -> [WatchNews] {
        let matching = matching(plan)
        return matching.prefix(plan.query.limit ?? matching.count).map {
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
