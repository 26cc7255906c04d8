import HashTreeCollections
import HearthEngine
import HearthModel

extension LocalStore {
    /// What a query finds in the cache.
    struct QueryResult {
        /// The local documents that match; at least those that the limit leaves.
        let documents: [DocumentKey: Document]
        /// The same in their order, if somebody has sorted them.
        let sorted: DocumentSet?
        /// The documents that the backend named for the query's target; `nil` if nobody looked.
        var remoteKeys: [DocumentKey]?
        /// How they were found.
        let description: QueryPlanDescription
        /// The indexes that would have helped.
        let wantedIndexes: [FieldIndex]
    }

    /// Documents found in one way.
    struct Findings {
        var documents: [DocumentKey: Document]
        var examinedCount: Int
        /// The documents in their order, if somebody has sorted them.
        var sorted: DocumentSet?
    }

    /// Answers a query from the cache.
    ///
    /// The store finds the documents by their names, by indexes, by what the backend named before
    /// and what changed since, or by a look at the whole collection.
    ///
    /// - Parameter usesPreviousResults: Whether what the backend named before may be a start.
    func execute(
        _ query: Query, usesPreviousResults: Bool, _ store: any FirestoreTransaction
    ) throws(StoreError) -> QueryResult {
        let short = try executeWithoutScan(
            query, usesPreviousResults: usesPreviousResults, store)
        if let short { return short }
        return scanned(query, try matches(of: query, store))
    }

    /// Answers a query from the cache, if that does not go beyond the bounds.
    func execute(
        _ query: Query, usesPreviousResults: Bool, within bounds: ScanBounds,
        _ store: any FirestoreTransaction
    ) throws(StoreError) -> QueryResult? {
        let before = bounds.heldByteCount
        let short = try executeWithoutScan(
            query, usesPreviousResults: usesPreviousResults, within: bounds, store)
        if let short { return short }
        bounds.letGo(downTo: before)
        return try matches(of: query, within: bounds, store).map { scanned(query, $0) }
    }

    /// Answers a query from the cache in any way but by a look at the whole collection.
    ///
    /// - Returns: `nil` if there is no other way, or the other way goes beyond the bounds.
    func executeWithoutScan(
        _ query: Query, usesPreviousResults: Bool = true, within bounds: ScanBounds = ScanBounds(),
        _ store: any FirestoreTransaction
    ) throws(StoreError) -> QueryResult? {
        try store.enter(.executeQuery)
        let planner = QueryPlanner(query.firstOfOrder)
        func result(
            _ plan: QueryPlanDescription.Plan, _ found: Findings, why: String,
            _ walks: [QueryPlanner.Walk] = []
        ) -> QueryResult {
            Self.result(of: query, planner, plan, found, why: why, walks)
        }
        if let named = query.namedKeys {
            return result(
                .documentLookup, try lookUp(named, query, store),
                why: "The query names its documents.")
        }
        if let walks = planner.walks(through: try store.indexes()) {
            let firstCount = query.limit?.count
            let found = try walk(walks, query, firstCount: firstCount, within: bounds, store)
            guard let found else { return nil }
            let isWhole = planner.isWhole(walks)
            return result(
                isWhole ? .index : .partialIndex, found,
                why: isWhole
                    ? "Every condition is an index's."
                    : "An index covers a part of the conditions; the rest is looked at.", walks)
        }
        if usesPreviousResults,
            let previous = try fromPreviousResults(query, within: bounds, store)
        {
            var found = result(
                .previousResults, previous.findings,
                why: "The backend named the documents of target \(previous.target) before.")
            found.remoteKeys = previous.keys
            return found
        }
        return nil
    }

    /// What a look at the whole collection has found.
    func scanned(_ query: Query, _ found: Findings) -> QueryResult {
        Self.result(
            of: query, QueryPlanner(query.firstOfOrder), .fullScan, found, why: query.reasonToScan)
    }

    private static func result(
        of query: Query, _ planner: QueryPlanner, _ plan: QueryPlanDescription.Plan,
        _ found: Findings, why: String, _ walks: [QueryPlanner.Walk] = []
    ) -> QueryResult {
        let count = min(found.documents.count, query.limit?.count ?? .max)
        return QueryResult(
            documents: found.documents, sorted: found.sorted,
            description: QueryPlanDescription(
                plan: plan, indexes: walks.indexNames, examinedCount: found.examinedCount,
                matchedCount: count, why: why),
            wantedIndexes: wanted(by: planner, plan, found.examinedCount, count))
    }

    /// The indexes that a costly scan would rather have used.
    private static func wanted(
        by planner: QueryPlanner, _ plan: QueryPlanDescription.Plan, _ examinedCount: Int,
        _ matchedCount: Int
    ) -> [FieldIndex] {
        guard plan == .fullScan || plan == .partialIndex,
            examinedCount >= IndexLimits.wantedScanCountMin,
            examinedCount > IndexLimits.wantedScanFactor * matchedCount
        else { return [] }
        return planner.wantedIndexes()
    }

    private func lookUp(
        _ keys: [DocumentKey], _ query: Query, _ store: any FirestoreTransaction
    ) throws(StoreError) -> Findings {
        var found = Findings(documents: [:], examinedCount: keys.count)
        for document in try localDocuments(keys, store) where query.matches(document) {
            found.documents[document.key] = document
        }
        return found
    }

    /// The local documents that indexes find.
    ///
    /// - Parameter firstCount: How many of the first are wanted; `nil` for all. More may be found.
    /// - Returns: `nil` if a walk goes beyond the bounds.
    func walk(
        _ walks: [QueryPlanner.Walk], _ query: Query, firstCount: Int?, within bounds: ScanBounds,
        _ store: any FirestoreTransaction
    ) throws(StoreError) -> Findings? {
        let ordered = query.firstOfOrder
        var found = Findings(documents: [:], examinedCount: 0)
        var rest = bounds
        for walk in walks {
            let result = try store.localDocuments(
                IndexScan(
                    index: walk.index, ranges: walk.ranges, isReversed: walk.isReversed,
                    query: ordered, firstCount: firstCount, orderedFields: walk.orderedFields,
                    isOrdered: walk.isOrdered, isExact: walk.isExact, bounds: rest),
                of: user)
            guard result.isWhole else { return nil }
            rest.take(result)
            found.examinedCount += result.scannedCount
            for (key, document) in result.documents
            where found.documents.updateValue(document, forKey: key) != nil {
                bounds.letGo(document)  // Two walks found the document, and each made room.
            }
        }
        return found
    }

    /// What the backend named for a query when nothing was in doubt, and what changed since.
    ///
    /// - Returns: `nil` if nobody knows that, or it goes beyond the bounds. Then nothing is held of it.
    func fromPreviousResults(
        _ query: Query, within bounds: ScanBounds, _ store: any FirestoreTransaction
    ) throws(StoreError) -> (target: TargetID, keys: [DocumentKey], findings: Findings)? {
        let before = bounds.heldByteCount
        if let found = try previousResults(of: query, within: bounds, store) { return found }
        bounds.letGo(downTo: before)
        return nil
    }

    private func previousResults(
        of query: Query, within bounds: ScanBounds, _ store: any FirestoreTransaction
    ) throws(StoreError) -> (target: TargetID, keys: [DocumentKey], findings: Findings)? {
        // When all documents match, one scan is cheaper than many look-ups.
        guard !query.matchesAllDocuments, let stored = try store.targetData(for: query.target)
        else { return nil }
        let data = targets[stored.id] ?? stored
        guard data.limboFreeVersion > .zero else { return nil }
        if let countMax = bounds.examinedCountMax,
            try store.keyCount(of: data.id, upTo: countMax + 1) > countMax
        {
            return nil
        }
        if bounds.room != nil {
            let count = try store.keyCount(of: data.id, upTo: .max)
            guard bounds.hold(count, of: SurveyBytes.name) else { return nil }
        }
        let keys = try store.keys(of: data.id)
        guard let named = try named(keys, within: bounds, store) else { return nil }
        let previous = named.filter { query.matches($0) }
        if needsRefill(query, previous, keyCount: keys.count, since: data.limboFreeVersion) {
            return nil
        }
        let changed = try matches(
            of: query.withoutLimit, readAfter: data.limboFreeVersion, within: bounds, store)
        guard var result = changed else { return nil }
        result.examinedCount += keys.count
        for document in previous { result.documents[document.key] = document }
        return (data.id, keys, result)
    }

    /// The local documents that the backend named.
    ///
    /// - Returns: `nil` if the documents go beyond the bounds.
    private func named(
        _ keys: [DocumentKey], within bounds: ScanBounds, _ store: any FirestoreTransaction
    ) throws(StoreError) -> [Document]? {
        var documents: [Document] = []
        var byteCount = 0
        var (rest, pace) = (keys[...], ReadingPace())
        while !rest.isEmpty {
            guard bounds.isWanted() else { return nil }
            let found = try localDocuments(Array(rest.prefix(pace.count)), store)
            rest = rest.dropFirst(pace.count)
            pace.read(found)
            if bounds.byteCountMax != nil {
                byteCount += found.reduce(0) { $0 + $1.fields.byteCountBound }
                guard bounds.admits(byteCount: byteCount) else { return nil }
            }
            for document in found {
                guard bounds.hold(document) else { return nil }
            }
            documents += found
        }
        return documents
    }

    /// How many of the backend's results a query's limit has lost to writes that wait.
    ///
    /// The backend's word reaches up to its own last result. The cache's results are certain as far
    /// as they do not lie behind that; what fills the rest of the limit is a guess.
    ///
    /// - Parameter known: The documents that the backend named; `nil` if nobody has looked yet.
    func lostCount(
        in snapshot: ViewSnapshot, named known: [DocumentKey]?, _ store: any FirestoreTransaction
    ) throws(StoreError) -> Int {
        let query = snapshot.query
        guard let limit = query.limit else { return 0 }
        let keys = if let known { known } else { try namedKeys(of: query, store) }
        guard keys.count >= limit.count else { return 0 }
        let shown = snapshot.documents
        let lost = keys.count { !shown.contains($0) }
        guard let far = limit.far(shown), shown.count == limit.count else { return max(lost, 1) }
        // Every named document is shown, and the last of the documents stands where the backend has it.
        if lost == 0, !far.hasLocalMutations { return 0 }
        let order = shown.order
        // A limit may be of any size, so the named documents are read some at a time.
        var (rest, pace) = (keys[...], ReadingPace())
        while !rest.isEmpty {
            let told = try store.remoteDocuments(rest.prefix(pace.count)).values
            rest = rest.dropFirst(pace.count)
            pace.read(told)
            let isKnown = told.contains {
                guard query.matches($0) else { return false }
                let place = order.compare(far, $0)
                return limit.end == .first ? place <= 0 : place >= 0
            }
            if isKnown { return 0 }
        }
        return max(lost, 1)
    }

    /// How many documents the backend named for a query. O(documents).
    func namedCount(
        of query: Query, _ store: any FirestoreTransaction
    ) throws(StoreError) -> Int {
        guard let stored = try store.targetData(for: query.target) else { return 0 }
        return try store.keyCount(of: stored.id, upTo: .max)
    }

    private func namedKeys(
        of query: Query, _ store: any FirestoreTransaction
    ) throws(StoreError) -> [DocumentKey] {
        guard let stored = try store.targetData(for: query.target) else { return [] }
        return try store.keys(of: stored.id)
    }

    /// Whether a limit may have lost documents, or its edge moved, since the backend named them.
    private func needsRefill(
        _ query: Query, _ previous: [Document], keyCount: Int, since version: SnapshotVersion
    ) -> Bool {
        guard let limit = query.limit else { return false }
        if previous.count != keyCount { return true }
        let order = query.order
        let edge =
            limit.end == .first
            ? previous.max { order.compare($0, $1) < 0 }
            : previous.min { order.compare($0, $1) < 0 }
        guard let edge else { return false }
        return edge.hasPendingWrites || edge.version > version
    }
}

extension [QueryPlanner.Walk] {
    /// The indexes, each once.
    fileprivate var indexNames: [String] {
        reduce(into: []) { names, walk in
            let name = walk.index.index.description
            if !names.contains(where: { utf8Equals($0, name) }) { names.append(name) }
        }
    }
}

extension Query {
    /// The same documents in the order in which a limit counts from the start.
    var firstOfOrder: Query {
        limit?.end == .last ? target.query() : self
    }

    /// Why the query takes a look at the whole collection, if it does.
    var reasonToScan: String {
        matchesAllDocuments
            ? "Every document of the collection matches."
            : "No complete index serves the query, and no earlier result can be trusted."
    }

    /// The only documents that can match, if the query names them.
    fileprivate var namedKeys: [DocumentKey]? {
        if let documentKey { return [documentKey] }
        for case .field(let filter) in filters where filter.field.isDocumentID {
            let names: [Value]
            switch filter.op {
            case .equal: names = [filter.value]
            case .isIn: names = filter.value.arrayElements ?? []
            case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .notEqual,
                .arrayContains, .arrayContainsAny, .isNotIn:
                continue
            }
            return Array(
                Set(
                    names.compactMap { name in
                        if case .reference(let name) = name { name.key } else { nil }
                    }))
        }
        return nil
    }
}
