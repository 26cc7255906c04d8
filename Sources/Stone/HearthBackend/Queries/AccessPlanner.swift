import HearthModel

/// Finds the ways to the results of a query.
struct AccessPlanner {
    let documents: DocumentTable
    let plan: QueryPlan

    /// The ways that the query's conditions open.
    var filtered: [AccessPath] { plan.conjuncts.compactMap(path) }

    /// The way along the query's first sort key, cut at its bounds; `nil` if there is no such index.
    var sorted: AccessPath? {
        guard let first = plan.orderBys.first else { return nil }
        if first.field.isDocumentID {
            guard case .collection(let path) = plan.scope else { return nil }
            return .names(path, names(in: path, first.direction))
        }
        guard let index = index(first.field, .value) else { return nil }
        var places = 0..<index.count
        for case .field(let filter) in plan.conjuncts where filter.field == first.field {
            // Places of an index of elements are none of this one's.
            if case .index(let stretch)? = path(.field(filter)), stretch.index.name == index.name {
                places = places.clamped(to: stretch.places)
            }
        }
        let isAscending = first.direction == .ascending
        if let start = plan.query.startAt?.position.first {
            places = places.clamped(
                to: isAscending ? index.start(of: start)..<Int.max : 0..<index.end(of: start))
        }
        if let end = plan.query.endAt?.position.first {
            places = places.clamped(
                to: isAscending ? 0..<index.end(of: end) : index.start(of: end)..<Int.max)
        }
        return .index(IndexStretch(index: index, places: places, isSingleValue: false))
    }

    private func path(_ filter: Filter) -> AccessPath? {
        switch filter {
        case .composite(let composite):
            let parts = composite.filters.map(path)
            if composite.op == .and { return parts.compactMap(\.self).min { $0.count < $1.count } }
            let known = parts.compactMap(\.self)
            return known.count == parts.count ? .union(known) : nil
        case .unary(let unary):
            switch unary.op {
            case .isNull: return equal(unary.field, .value, .null)
            case .isNaN: return equal(unary.field, .value, .double(.nan))
            case .isNotNull, .isNotNaN: return nil
            }
        case .field(let filter):
            return filter.field.isDocumentID ? documents(filter) : path(filter)
        }
    }

    private func path(_ filter: FieldFilter) -> AccessPath? {
        switch filter.op {
        case .equal:
            return equal(filter.field, .value, filter.value)
        case .arrayContains:
            return equal(filter.field, .elements, filter.value)
        case .isIn, .arrayContainsAny:
            let mode: FieldIndex.Mode = filter.op == .isIn ? .value : .elements
            let parts = (filter.value.arrayElements ?? []).map { equal(filter.field, mode, $0) }
            let known = parts.compactMap(\.self)
            return known.count == parts.count ? .union(known) : nil
        case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
            guard let index = index(filter.field, .value) else { return nil }
            var places = index.places(ofType: filter.value.typeOrder)
            let isBelow = filter.op == .lessThan || filter.op == .lessThanOrEqual
            places = places.clamped(
                to: isBelow
                    ? 0..<index.end(of: filter.value) : index.start(of: filter.value)..<Int.max)
            return .index(IndexStretch(index: index, places: places, isSingleValue: false))
        case .notEqual, .isNotIn:
            return nil
        }
    }

    private func equal(
        _ field: FieldPath, _ mode: FieldIndex.Mode, _ value: Value
    ) -> AccessPath? {
        guard let index = index(field, mode) else { return nil }
        let start = index.start(of: value)
        let places = start..<max(start, index.end(of: value))
        return .index(IndexStretch(index: index, places: places, isSingleValue: true))
    }

    private func documents(_ filter: FieldFilter) -> AccessPath? {
        let values: [Value]
        switch filter.op {
        case .equal: values = [filter.value]
        case .isIn: values = filter.value.arrayElements ?? []
        case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .notEqual, .isNotIn,
            .arrayContains, .arrayContainsAny:
            return nil
        }
        var seen: Set<DocumentKey> = []
        return .documents(
            values.compactMap { value in
                guard case .reference(let name) = value, let key = name.key,
                    seen.insert(key).inserted
                else { return nil }
                return key
            })
    }

    /// The places of the names between the bounds of filters and cursors.
    private func names(in path: ResourcePath, _ direction: OrderBy.Direction) -> Range<Int> {
        var places = 0..<documents.keyCount(in: path)
        func cut(at value: Value?, isStart: Bool) {
            guard case .reference(let name)? = value, let key = name.key else { return }
            let place = documents.place(of: key, in: path)
            // One more on the far side, since the name itself may belong to the results.
            places = places.clamped(to: isStart ? place..<Int.max : 0..<(place + 1))
        }
        for case .field(let filter) in plan.conjuncts where filter.field.isDocumentID {
            switch filter.op {
            case .greaterThan, .greaterThanOrEqual: cut(at: filter.value, isStart: true)
            case .lessThan, .lessThanOrEqual: cut(at: filter.value, isStart: false)
            case .equal, .notEqual, .isIn, .isNotIn, .arrayContains, .arrayContainsAny: break
            }
        }
        let isAscending = direction == .ascending
        cut(at: plan.query.startAt?.position.first, isStart: isAscending)
        cut(at: plan.query.endAt?.position.first, isStart: !isAscending)
        return places
    }

    private func index(_ field: FieldPath, _ mode: FieldIndex.Mode) -> FieldIndex? {
        guard let space = plan.space else { return nil }
        return documents.indexes.index(.init(field: field, mode: mode), of: space)
    }
}
