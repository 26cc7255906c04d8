import HashTreeCollections
package import HearthModel

/// The live views, found by query, by target, and by the documents that they may show.
///
/// Within the engine a view is known by its number; a query is looked up only where one comes from
/// outside.
package struct ViewTable: Sendable {
    /// The views by number and target.
    package private(set) var rows = ViewRows()
    private var ids: TreeDictionary<Query, ViewID> = [:]
    private var index = ViewIndex()
    /// Views with results for which the backend's silence will be an answer.
    private var awaited = AwaitedVersions<ViewID>()
    /// Views of unwatched targets, with results that look as before the answer to their write.
    private(set) var unsettledIDs: TreeSet<ViewID> = []
    /// Views whose limits wait for a document from the cache.
    private(set) var shortIDs: TreeSet<ViewID> = []
    private var lastID = ViewID(0)
    /// How many views changes were taken to so far: what their work is measured by.
    private(set) var askCount = 0

    /// No views.
    package init() {}

    /// How many views there are.
    package var count: Int { rows.count }

    /// How much was looked at so far to find views: what a change's work is measured by.
    var lookCount: Int { index.lookCount }

    /// All views, oldest first.
    package var allIDs: [ViewID] { rows.ids }

    /// The number of a query's view.
    package func id(of query: Query) -> ViewID? { ids[query] }

    /// The row of a query.
    package subscript(query: Query) -> ViewRows.Row? { ids[query].flatMap { rows[$0] } }

    /// The row of a view.
    package subscript(id: ViewID) -> ViewRows.Row? { rows[id] }

    /// The views of a target, oldest first.
    package func ids(of target: TargetID) -> [ViewID] { rows.ids(of: target) }

    /// Adds a view.
    ///
    /// - Parameter isWatched: Whether the engine watches the view's target: without a watch the
    ///   backend's silence tells nothing.
    package mutating func insert(_ view: View, target: TargetID, isWatched: Bool) {
        lastID = ViewID(lastID.rawValue + 1)
        let query = view.query
        ids[query] = lastID
        let isNoted = index.insert(lastID, query)
        if isNoted { index.show(view.documents.keys, in: lastID, query) }
        rows.insert(lastID, ViewRows.Row(view, target: target, isNoted: isNoted))
        setWatched(lastID, isWatched)
    }

    /// Changes a view.
    ///
    /// - Parameters:
    ///   - id: The view; an unknown view makes the result `nil`.
    ///   - isWatched: See `insert`.
    ///   - body: Changes the view, and returns what the change came to.
    package mutating func change(
        _ id: ViewID, isWatched: Bool, _ body: (inout View) -> View.Outcome
    ) -> View.Outcome? {
        guard let outcome = rows.change(id, body) else { return nil }
        setWatched(id, isWatched)
        if let snapshot = outcome.snapshot, rows[id]?.isNoted ?? false {
            for change in snapshot.changes {
                switch change.kind {
                case .added: index.show([change.document.key], in: id, snapshot.query)
                case .removed:
                    // What left by a write concerns the view until the backend has confirmed it.
                    guard !snapshot.departedKeys.contains(change.document.key) else { continue }
                    index.hide([change.document.key], from: id, snapshot.query)
                case .modified, .metadata: break
                }
            }
            let settled = snapshot.settledDepartures.filter { !snapshot.documents.contains($0) }
            index.hide(settled, from: id, snapshot.query)
        }
        return outcome
    }

    /// Notes whether the backend is asked for a view's target.
    package mutating func setWatched(_ id: ViewID, _ isWatched: Bool) {
        guard let row = rows[id] else { return }
        let version = isWatched && row.view.isCurrent ? row.view.awaitedVersion : nil
        awaited.set(version, of: id)
        if row.view.lacksSuccessor {
            shortIDs.insert(id)
        } else if !shortIDs.isEmpty {
            shortIDs.remove(id)
        }
        if !isWatched && !row.view.unsettledKeys.isEmpty {
            unsettledIDs.insert(id)
        } else if !unsettledIDs.isEmpty {
            unsettledIDs.remove(id)
        }
    }

    /// Removes a view.
    package mutating func remove(_ id: ViewID) {
        guard let row = rows.remove(id) else { return }
        let query = row.view.query
        ids[query] = nil
        awaited.set(nil, of: id)
        unsettledIDs.remove(id)
        shortIDs.remove(id)
        if row.isNoted {
            index.hide(row.view.documents.keys, from: id, query)
            index.hide(row.view.departures.keys.all, from: id, query)
        }
        index.remove(id, query)
    }

    /// The views that a change concerns, oldest first, each with the documents it looks at.
    ///
    /// - Parameters:
    ///   - documents: The local documents that changed.
    ///   - targets: The targets that the backend told of; all views of the targets are concerned.
    ///   - version: The snapshot that was reached; views that waited for it are concerned.
    /// - Complexity: O(documents + views concerned), and a look at each view that demands nothing
    ///   where a document lies, however many views there are.
    package mutating func touched(
        by documents: [Document], targets: some Sequence<TargetID>,
        reached version: SnapshotVersion
    ) -> [(id: ViewID, documents: [Document])] {
        var found: [ViewID: [Document]] = [:]
        for id in ids(awaitingUpTo: version) { found[id] = [] }
        for target in targets {
            for id in ids(of: target) { found[id] = [] }
        }
        let rows = rows
        index.collect(documents, into: &found) { rows[$0]?.view.isConcerned(by: $1) ?? false }
        askCount += found.count
        if found.count < 2 { return found.map { ($0.key, $0.value) } }
        return found.keys.sorted().map { ($0, found[$0] ?? []) }
    }

    /// The targets whose views an event may change, without the targets for which the backend only said
    /// where to resume.
    func targets(concernedBy event: RemoteEvent) -> [TargetID] {
        event.targetChanges.compactMap { target, change in
            let isConcerned = ids(of: target).contains {
                rows[$0]?.view.isConcerned(by: change) ?? false
            }
            return isConcerned ? target : nil
        }
    }

    /// The views with results for which the backend's silence is an answer at `version`.
    ///
    /// - Complexity: O(views found).
    package func ids(awaitingUpTo version: SnapshotVersion) -> [ViewID] {
        awaited.items(upTo: version)
    }

    /// Whether any view shows the document.
    ///
    /// - Complexity: O(views that look at its collection and demand nothing in particular).
    package func shows(_ key: DocumentKey) -> Bool {
        index.shows(key) { rows[$0]?.view.documents.contains(key) ?? false }
    }
}
