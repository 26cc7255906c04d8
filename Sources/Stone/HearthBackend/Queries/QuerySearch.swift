import HearthModel

/// Finds a query's results by the shortest way that is known.
///
/// An index holds the newest documents. A search in the past takes the unchanged documents from the
/// index, and looks one by one at the changed documents, which the change log names.
struct QuerySearch {
    /// If the shortest known way looks at fewer documents than this, the search tries no other way.
    private static let smallCount = 64

    let documents: DocumentTable
    let moment: SnapshotVersion
    /// What has changed after the moment.
    let changed: Set<DocumentKey>
    let plan: QueryPlan
    /// Which documents in the query's scope are results.
    let isMatch: (Document) -> Bool
    /// How many results are wanted, from the first in order.
    let wanted: Int
    /// Whether so much has changed since that looking at every document is shorter.
    private let isPastScanned: Bool
    /// How many documents have been looked at.
    private(set) var examinedCount = 0

    /// Prepares a search.
    init(
        _ plan: QueryPlan, in view: ReadView, wanted: Int?,
        isMatch: @escaping (Document) -> Bool
    ) {
        documents = view.documents
        moment = view.moment
        if case .collection(let path) = plan.scope {
            isPastScanned = documents.keyCount(in: path) <= view.changeCount
        } else {
            isPastScanned = false
        }
        changed = isPastScanned ? [] : view.changedKeys
        self.plan = plan
        self.isMatch = isMatch
        self.wanted = wanted ?? .max
    }

    /// The first results in the query's order, at least as many as are wanted if there are.
    mutating func results() -> [Document] {
        if wanted == 0 { return [] }
        if isPastScanned, documents.newest > moment { return scan() }
        let planner = AccessPlanner(documents: documents, plan: plan)
        let sorted = planner.sorted
        let paths = planner.filtered + (sorted.map { [$0] } ?? [])
        guard let shortest = paths.min(by: { $0.count < $1.count }) else { return scan() }
        if wanted < .max, shortest.count > Self.smallCount {
            let early = paths.filter { isEarly($0) }.min { $0.count < $1.count }
            let budget = shortest.count * 2
            if let early, let found = run(early, budget: budget) { return found }
        }
        return run(shortest, budget: .max) ?? []
    }
}

extension QuerySearch {
    /// Looks at every document of the query's scope.
    private mutating func scan() -> [Document] {
        var result: [Document] = []
        var count = 0
        for collection in documents.collections(of: plan) {
            documents.visit(collection: collection, at: moment) { document in
                count += 1
                if isMatch(document) { result.append(document) }
                return true
            }
        }
        examinedCount += count
        return plan.order.sorted(result)
    }

    /// Takes one way; `nil` if it becomes longer than allowed.
    private mutating func run(_ path: AccessPath, budget: Int) -> [Document]? {
        var found: [Document] = []
        var isSorted = false
        switch path {
        case .index(let stretch):
            isSorted = order(of: stretch) == .full
            guard walk(stretch, budget: budget, into: &found) else { return nil }
        case .names(let collection, let places):
            isSorted = plan.orderBys.count == 1
            guard walk(collection, places, budget: budget, into: &found) else { return nil }
        case .documents(let keys):
            for key in keys { take(key, into: &found) }
        case .union(let parts):
            var seen: Set<DocumentKey> = []
            for key in parts.flatMap(keys) where seen.insert(key).inserted {
                take(key, into: &found)
            }
        }
        if !changed.isEmpty {
            // The search passed over the documents that have changed since; now it looks at their
            // old versions.
            for key in changed where plan.isInScope(key) {
                examinedCount += 1
                let document = documents.document(key, at: moment)
                if document.isFound, isMatch(document) { found.append(document) }
            }
            isSorted = false
        }
        return isSorted ? found : plan.order.sorted(found)
    }

    private mutating func take(_ key: DocumentKey, into found: inout [Document]) {
        examinedCount += 1
        guard !changed.contains(key), plan.isInScope(key) else { return }
        let document = documents.document(key)
        if document.isFound, isMatch(document) { found.append(document) }
    }

    private mutating func walk(
        _ stretch: IndexStretch, budget: Int, into found: inout [Document]
    ) -> Bool {
        let order = order(of: stretch)
        var last: Value?
        var isOverBudget = false
        let start = examinedCount
        stretch.index.walk(stretch.places, backwards: isBackwards(stretch)) { entry in
            if found.count >= wanted {
                switch order {
                case .full: return false
                case .first where last.map({ !$0.isEquivalent(to: entry.value) }) ?? false:
                    return false  // All that share the last result's place have been seen.
                case .first, .none: break
                }
            }
            if examinedCount - start >= budget {
                isOverBudget = true
                return false
            }
            take(entry.key, into: &found)
            last = entry.value
            return true
        }
        return !isOverBudget
    }

    private mutating func walk(
        _ collection: ResourcePath, _ places: Range<Int>, budget: Int,
        into found: inout [Document]
    ) -> Bool {
        var isOverBudget = false
        let isEarly = plan.orderBys.first?.field.isDocumentID ?? false
        var count = 0
        let isBackwards = plan.orderBys.first?.direction == .descending
        documents.visit(
            collection: collection, at: documents.newest, keys: places, backwards: isBackwards
        ) { document in
            if isEarly, found.count >= wanted { return false }
            if count >= budget {
                isOverBudget = true
                return false
            }
            count += 1
            if !changed.contains(document.key), isMatch(document) { found.append(document) }
            return true
        }
        examinedCount += count
        return !isOverBudget
    }

    private func keys(_ path: AccessPath) -> [DocumentKey] {
        switch path {
        case .index(let stretch):
            var keys: [DocumentKey] = []
            keys.reserveCapacity(stretch.places.count)
            stretch.index.walk(stretch.places, backwards: false) {
                keys.append($0.key)
                return true
            }
            return keys
        case .names: return []  // Never part of a union.
        case .documents(let keys): return keys
        case .union(let parts): return parts.flatMap(keys)
        }
    }
}

/// In which order a way leads to the results.
extension QuerySearch {
    private enum Order { case full, first, none }

    /// Whether enough results can be known before the end of the way.
    private func isEarly(_ path: AccessPath) -> Bool {
        switch path {
        case .index(let stretch): order(of: stretch) != .none
        case .names: plan.orderBys.first?.field.isDocumentID ?? false
        case .documents, .union: false
        }
    }

    private func order(of stretch: IndexStretch) -> Order {
        guard stretch.index.name.mode == .value || stretch.isSingleValue else { return .none }
        let keys = significantOrderBys(stretch)
        guard let first = keys.first else { return .none }
        if stretch.isSingleValue { return first.field.isDocumentID ? .full : .none }
        guard first.field == stretch.index.name.field else { return .none }
        let name = keys.dropFirst().first
        let isFull =
            name.map { $0.field.isDocumentID && $0.direction == first.direction } ?? false
        return isFull ? .full : .first
    }

    private func isBackwards(_ stretch: IndexStretch) -> Bool {
        significantOrderBys(stretch).first?.direction == .descending
    }

    /// The sort keys that can differ within a stretch.
    private func significantOrderBys(_ stretch: IndexStretch) -> ArraySlice<OrderBy> {
        let isFixed =
            stretch.isSingleValue && stretch.index.name.mode == .value
            && plan.orderBys.first?.field == stretch.index.name.field
        return isFixed ? plan.orderBys.dropFirst() : plan.orderBys[...]
    }
}
