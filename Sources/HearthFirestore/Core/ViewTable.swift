import HashTreeCollections
package import HearthModel

/// The live views, found by query, by target, and by where they look.
package struct ViewTable: Sendable {
    /// A view with its target.
    package struct Row: Sendable {
        /// The target; several queries may share it.
        package let targetID: TargetID
        /// The view.
        package var view: View
        /// Rising with each row, so that older views come first.
        fileprivate let ordinal: UInt64
    }

    private var rows: TreeDictionary<Query, Row> = [:]
    private var byTarget: TreeDictionary<TargetID, [Query]> = [:]
    private var byPath: TreeDictionary<ResourcePath, TreeSet<Query>> = [:]
    private var byGroup: TreeDictionary<UTF8Text, TreeSet<Query>> = [:]
    private var byOrdinal: TreeDictionary<UInt64, Query> = [:]
    /// Views with results of which the backend's silence will tell something.
    private var awaited = AwaitedVersions<UInt64>()
    private var lastOrdinal: UInt64 = 0

    /// No views.
    package init() {}

    /// The row of a query; setting one keeps its place, setting `nil` removes it.
    package subscript(query: Query) -> Row? { rows[query] }

    /// How many views there are.
    package var count: Int { rows.count }

    /// The queries of a target, oldest first.
    package func queries(of target: TargetID) -> [Query] { byTarget[target] ?? [] }

    /// All queries, oldest first.
    package var queries: [Query] { sorted(rows.keys) }

    /// Adds a view.
    package mutating func insert(_ view: View, target: TargetID, isWatched: Bool) {
        lastOrdinal += 1
        let query = view.query
        rows[query] = Row(targetID: target, view: view, ordinal: lastOrdinal)
        byOrdinal[lastOrdinal] = query
        update(view, isWatched: isWatched)
        byTarget[target, default: []].append(query)
        if let group = query.collectionGroup {
            byGroup[UTF8Text(group), default: []].insert(query)
        } else {
            byPath[query.path, default: []].insert(query)
        }
    }

    /// Stores a changed view.
    ///
    /// - Parameter isWatched: Whether the backend is asked for its target: the silence of one that is
    ///   not asked tells nothing.
    package mutating func update(_ view: View, isWatched: Bool) {
        guard let ordinal = rows[view.query]?.ordinal else { return }
        rows[view.query]?.view = view
        awaited.set(isWatched && view.isCurrent ? view.awaitedVersion : nil, of: ordinal)
    }

    /// Removes a view.
    package mutating func remove(_ query: Query) {
        guard let row = rows.removeValue(forKey: query) else { return }
        awaited.set(nil, of: row.ordinal)
        byOrdinal[row.ordinal] = nil
        byTarget[row.targetID]?.removeAll { $0 == query }
        if byTarget[row.targetID]?.isEmpty ?? false { byTarget[row.targetID] = nil }
        if let group = query.collectionGroup {
            byGroup[UTF8Text(group)]?.remove(query)
            if byGroup[UTF8Text(group)]?.isEmpty ?? false { byGroup[UTF8Text(group)] = nil }
        } else {
            byPath[query.path]?.remove(query)
            if byPath[query.path]?.isEmpty ?? false { byPath[query.path] = nil }
        }
    }

    /// The views that a change concerns, oldest first, each with the documents it looks at.
    ///
    /// - Parameter version: The snapshot that was reached; views that waited for it are concerned.
    /// - Complexity: O(documents + views concerned), however many views there are.
    package func touched(
        by documents: some Sequence<Document>, targets: some Sequence<TargetID>,
        reached version: SnapshotVersion
    ) -> [(query: Query, documents: [Document])] {
        var found: [Query: [Document]] = [:]
        for query in queries(awaitingUpTo: version) { found[query] = [] }
        for target in targets {
            for query in queries(of: target) { found[query] = [] }
        }
        for document in documents {
            let key = document.key
            for query in byPath[key.collection] ?? [] { found[query, default: []].append(document) }
            for query in byPath[key.path] ?? [] { found[query, default: []].append(document) }
            if byGroup.isEmpty { continue }
            for query in byGroup[UTF8Text(key.collectionGroup)] ?? [] {
                found[query, default: []].append(document)
            }
        }
        return sorted(found.keys).map { ($0, found[$0] ?? []) }
    }

    /// The queries with results of which the backend's silence tells something at a version.
    ///
    /// - Complexity: O(those found).
    package func queries(awaitingUpTo version: SnapshotVersion) -> [Query] {
        awaited.items(upTo: version).compactMap { byOrdinal[$0] }
    }

    /// Whether any view shows the document. O(views that look at its collection).
    package func shows(_ key: DocumentKey) -> Bool {
        let queries =
            Array(byPath[key.collection] ?? []) + Array(byPath[key.path] ?? [])
            + Array(byGroup[UTF8Text(key.collectionGroup)] ?? [])
        return queries.contains { rows[$0]?.view.documents.contains(key) ?? false }
    }

    /// A view of a target; what the backend named, all of them know alike.
    package func view(of target: TargetID) -> View? {
        byTarget[target]?.first.flatMap { rows[$0]?.view }
    }

    private func sorted(_ queries: some Sequence<Query>) -> [Query] {
        queries.sorted { (rows[$0]?.ordinal ?? 0) < (rows[$1]?.ordinal ?? 0) }
    }
}
