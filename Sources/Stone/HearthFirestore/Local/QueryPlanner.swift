import HearthModel

/// Chooses the indexes that answer a query, and says which indexes the query would want. Pure.
///
/// The planner splits a query into alternatives (OR, `in` and array-contains-any taken apart). One
/// index answers each alternative. An index serves an alternative if every document that can match
/// has all fields of the index: fields that the query compares or sorts by. The query should
/// compare the index's first fields for equality, and may compare the next field otherwise. From
/// there on, fields in the query's own order give the results in that order, so that a limit ends
/// the walk.
///
/// - Source: firestore `model/target_index_matcher` and `local/query_engine`.
struct QueryPlanner {
    /// The query, whose limit counts from the start of its order.
    let query: Query
    /// Each a list of conditions that must all hold; `nil` if there are too many.
    let alternatives: [[FieldFilter]]?

    private let sortKeys: [OrderBy]
    private let isKeyDescending: Bool
    private let scope: FieldIndex.Scope
    private let group: String

    init(_ query: Query) {
        self.query = query
        alternatives = Self.alternatives(of: query.filters)
        let order = query.order.orderBys
        sortKeys = Array(order.dropLast())
        isKeyDescending = order.last?.direction == .descending
        scope = query.collectionGroup == nil ? .collection : .group
        group = query.collectionGroup ?? (query.path.isEmpty ? "" : query.path.last)
    }

    /// A walk through one index, not yet bound to its query.
    struct Walk {
        let index: StoredIndex
        var ranges: [IndexRange]
        let isReversed: Bool
        /// How many fields hold one value each.
        let fixedCount: Int
        /// Whether the walk sees only a part of the index beyond those.
        let isBounded: Bool
        let orderedFields: [FieldPath]
        /// Whether all sort keys are followed, but for the key.
        let isOrdered: Bool
        let isExact: Bool

        /// Which of two walks is better: the more fields fixed, then in order, then bounded.
        func isBetter(than other: Walk, isLimited: Bool) -> Bool {
            if fixedCount != other.fixedCount { return fixedCount > other.fixedCount }
            if isLimited, isOrdered != other.isOrdered { return isOrdered }
            if isBounded != other.isBounded { return isBounded }
            if isOrdered != other.isOrdered { return isOrdered }
            return index.index.segments.count < other.index.index.segments.count
        }
    }

    /// The walks that together find every match; `nil` if some alternative has no index.
    func walks(through indexes: [StoredIndex]) -> [Walk]? {
        guard let alternatives, !query.matchesAllDocuments else { return nil }
        let usable = indexes.filter {
            $0.isComplete && $0.index.scope == scope
                && utf8Equals($0.index.collectionGroup, group)
        }
        if usable.isEmpty { return nil }
        var walks: [Walk] = []
        for filters in alternatives {
            let best = usable.compactMap { walk($0, filters) }.reduce(nil) { (best: Walk?, next) in
                guard let best else { return next }
                return next.isBetter(than: best, isLimited: query.limit != nil) ? next : best
            }
            guard let best else { return nil }
            walks.append(best)
        }
        return walks
    }

    /// The indexes that would answer the query best.
    ///
    /// One for each different shape of an alternative: its equalities, then the sort keys. None for
    /// inequalities of several fields, where no order of fields is the best.
    func wantedIndexes() -> [FieldIndex] {
        guard let alternatives, query.inequalityFields.filter({ !$0.isDocumentID }).count < 2
        else { return [] }
        var wanted: [FieldIndex] = []
        for filters in alternatives {
            guard let index = wantedIndex(filters), !wanted.contains(index) else { continue }
            wanted.append(index)
        }
        return wanted
    }

    /// Whether the walks use all that indexes can do for the query.
    func isWhole(_ walks: [Walk]) -> Bool {
        guard let alternatives else { return false }
        return zip(alternatives, walks).allSatisfy { filters, walk in
            wantedIndex(filters)?.segments.count ?? 0 <= walk.index.index.segments.count
        }
    }

    private func wantedIndex(_ filters: [FieldFilter]) -> FieldIndex? {
        var segments: [FieldIndex.Segment] = []
        var hasArray = false
        for filter in filters where !filter.field.isDocumentID {
            if segments.contains(where: { $0.field == filter.field }) { continue }
            switch filter.op {
            case .equal, .isIn:
                segments.append(.init(filter.field))
            case .arrayContains, .arrayContainsAny:
                if hasArray { continue }
                hasArray = true
                segments.append(.init(filter.field, .contains))
            case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .notEqual,
                .isNotIn:
                continue
            }
        }
        for key in sortKeys where !segments.contains(where: { $0.field == key.field }) {
            segments.append(
                .init(key.field, key.direction == .ascending ? .ascending : .descending))
        }
        return FieldIndex(group, segments, scope: scope)
    }

    // MARK: One index, one alternative

    private func walk(_ stored: StoredIndex, _ filters: [FieldFilter]) -> Walk? {
        let segments = stored.index.segments
        var head = IndexValueWriter()
        var fixed: Set<FieldPath> = []
        for segment in segments {
            guard let value = fixedValue(of: segment, filters) else { break }
            head.append(value, segment.kind)
            fixed.insert(segment.field)
        }
        let rest = segments.dropFirst(fixed.count)
        let present = Set(filters.map(\.field)).union(sortKeys.map(\.field))
        guard rest.allSatisfy({ $0.kind != .contains && present.contains($0.field) }) else {
            return nil
        }
        // The walk sees one value of each of these fields; other fields that the alternative fixes
        // may have several values in the walk.
        let single = segments.prefix(fixed.count).filter { $0.kind != .contains }.map(\.field)
        let open = sortKeys.filter { !single.contains($0.field) && !isFixed($0.field) }
        let (ordered, isReversed) = follow(rest, open)
        var ranges = ValueRanges()
        if let first = rest.first {
            for filter in filters where filter.field == first.field { ranges.apply(filter) }
        }
        let stretches = ranges.ranges(after: head.bytes, rest.first?.kind ?? .ascending)
        let cursors = cursorRange(head.bytes, Array(rest), isReversed: isReversed)
        let isBounded = ranges.isBounded || cursors != nil
        // A walk through a whole index pays only if a limit ends it soon.
        let canEnd = query.limit != nil && !ordered.isEmpty && filters.isEmpty
        guard !fixed.isEmpty || isBounded || canEnd else { return nil }
        let isOrdered = ordered.count == open.count
        return Walk(
            index: stored,
            ranges: stretches.map { stretch in
                var range = stretch
                if let cursors { range.formIntersection(cursors) }
                return range
            }.filter { !$0.isEmpty },
            isReversed: isReversed, fixedCount: fixed.count, isBounded: isBounded,
            orderedFields: ordered, isOrdered: isOrdered,
            isExact: isOrdered && ordered.count == rest.count && isKeyDescending == isReversed)
    }

    private func fixedValue(of segment: FieldIndex.Segment, _ filters: [FieldFilter]) -> Value? {
        let op: FieldFilter.Operator = segment.kind == .contains ? .arrayContains : .equal
        return filters.first { $0.op == op && $0.field == segment.field }?.value
    }

    /// Whether the whole query admits one value of a field.
    private func isFixed(_ field: FieldPath) -> Bool {
        query.filters.contains {
            if case .field(let filter) = $0 {
                filter.op == .equal && filter.field == field
            } else {
                false
            }
        }
    }

    /// How many sort keys the segments follow, and whether backwards.
    private func follow(_ segments: ArraySlice<FieldIndex.Segment>, _ keys: [OrderBy])
        -> (fields: [FieldPath], isReversed: Bool)
    {
        var isReversed: Bool?
        var fields: [FieldPath] = []
        for (segment, key) in zip(segments, keys) {
            let isOpposite = (segment.kind == .ascending) != (key.direction == .ascending)
            guard segment.field == key.field, isReversed ?? isOpposite == isOpposite else { break }
            isReversed = isOpposite
            fields.append(key.field)
        }
        return (fields, isReversed ?? isKeyDescending)
    }

    /// What the query's cursors leave of an index, where its fields are the first sort keys.
    private func cursorRange(
        _ head: [UInt8], _ segments: [FieldIndex.Segment], isReversed: Bool
    ) -> IndexRange? {
        var range = IndexRange(prefix: head)
        let whole = range
        for (bound, isStart) in [(query.startAt, true), (query.endAt, false)] {
            guard let bound else { continue }
            var writer = IndexValueWriter(after: head)
            var count = 0
            for ((segment, key), value) in zip(zip(segments, query.orderBys), bound.position) {
                let isOpposite = (segment.kind == .ascending) != (key.direction == .ascending)
                guard segment.field == key.field, isOpposite == isReversed else { break }
                writer.append(value, segment.kind)
                count += 1
            }
            guard count > 0 else { continue }
            // If the index covers only the first values of the position, the later values decide
            // about documents at the position.
            let isInclusive = bound.isInclusive || count < bound.position.count
            if isStart != isReversed {
                range.start(writer.bytes, isAfter: !isInclusive)
            } else {
                range.end(writer.bytes, isAfter: isInclusive)
            }
        }
        return range == whole ? nil : range
    }

    // MARK: Alternatives

    private static func alternatives(of filters: [Filter]) -> [[FieldFilter]]? {
        var result: [[FieldFilter]] = [[]]
        for filter in filters {
            guard let next = alternatives(of: filter),
                result.count * next.count <= IndexLimits.disjunctCountMax
            else { return nil }
            result = result.flatMap { head in next.map { head + $0 } }
        }
        return result
    }

    private static func alternatives(of filter: Filter) -> [[FieldFilter]]? {
        switch filter {
        case .unary(let unary):
            return [[unary.comparison]]
        case .composite(let composite) where composite.op == .and:
            return alternatives(of: composite.filters)
        case .composite(let composite):
            var result: [[FieldFilter]] = []
            for child in composite.filters {
                guard let next = alternatives(of: child) else { return nil }
                result += next
            }
            return result.count <= IndexLimits.disjunctCountMax ? result : nil
        case .field(let filter):
            guard let choices = filter.alternatives else { return [[filter]] }
            return choices.count <= IndexLimits.disjunctCountMax ? choices.map { [$0] } : nil
        }
    }
}
