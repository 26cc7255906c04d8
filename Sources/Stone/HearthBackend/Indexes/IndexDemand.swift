import HearthModel

/// What one conjunction of a query needs an index for.
///
///     needed = fields compared by equality, in any order | arrays that must hold an element
///     sorted = sort keys that equality does not fix, in their order and directions
///
/// Several indexes serve together if each ends with all of `sorted` and begins with some of
/// `needed`, and none of `needed` is left out.
struct IndexDemand: Hashable, Sendable {
    /// Fields compared by equality, and arrays, by the kind of index that finds them.
    let needed: [IndexDefinition.Field]
    /// The sort keys that decide; the last key is the document's name.
    let sorted: [IndexDefinition.Field]
    /// The field of vectors that is searched, and their length.
    let vector: IndexDefinition.Field?

    /// What each conjunction of a query needs.
    static func all(of plan: QueryPlan, nearest: NearestNeighbours?) -> Set<IndexDemand> {
        let conjunctions = plan.filter.map(conjunctions) ?? [[]]
        return Set(conjunctions.map { IndexDemand($0, plan, nearest) })
    }

    private init(_ filters: [FieldFilter], _ plan: QueryPlan, _ nearest: NearestNeighbours?) {
        var needed: [IndexDefinition.Field] = []
        for filter in filters where !filter.field.isDocumentID {
            let field: IndexDefinition.Field
            switch filter.op {
            case .equal, .isIn: field = .init(filter.field, .ascending)
            case .arrayContains, .arrayContainsAny: field = .init(filter.field, .contains)
            case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .notEqual,
                .isNotIn:
                continue
            }
            if !needed.contains(field) { needed.append(field) }
        }
        self.needed = needed
        let fixed = needed.filter { $0.kind == .ascending }.map(\.path)
        sorted = plan.orderBys.filter { !fixed.contains($0.field) }
            .map { IndexDefinition.Field($0) }
        vector = nearest.map { .init($0.field, .vector($0.dimensionCount)) }
    }

    /// The fields of the one index that would serve alone.
    var fields: [IndexDefinition.Field] {
        if let vector { return needed + [vector] }
        return needed + sorted
    }

    /// The field and kind of the single-field index that would serve alone, if one would.
    var single: IndexDefinition.Field? {
        guard vector == nil else { return nil }
        let fields = self.fields
        guard fields.count == 2, let first = fields.first, let name = fields.last,
            name.path.isDocumentID
        else { return nil }
        if first.kind == .contains { return first }
        if needed.isEmpty { return first.kind == name.kind ? first : nil }
        return .init(first.path, name.kind)
    }

    /// Whether some indexes serve.
    func isMet(by indexes: [[IndexDefinition.Field]]) -> Bool {
        if let vector { return indexes.contains { serves($0, vector) } }
        let name = IndexDefinition.Field(.documentID, .ascending)
        if needed.isEmpty, sorted == [name] { return true }
        var covered: Set<FieldPath> = []
        var isServed = false
        for index in indexes {
            guard let prefix = prefix(of: index) else { continue }
            isServed = true
            covered.formUnion(prefix)
        }
        return isServed && needed.allSatisfy { covered.contains($0.path) }
    }

    /// The needed fields that an index begins with; `nil` if it does not end with the sort keys.
    private func prefix(of index: [IndexDefinition.Field]) -> [FieldPath]? {
        guard index.count >= sorted.count, Array(index.suffix(sorted.count)) == sorted else {
            return nil
        }
        let prefix = index.dropLast(sorted.count)
        guard prefix.allSatisfy(isNeeded) else { return nil }
        return prefix.map(\.path)
    }

    private func serves(_ index: [IndexDefinition.Field], _ vector: IndexDefinition.Field) -> Bool {
        let others = index.filter { $0 != vector && !$0.path.isDocumentID }
        return index.contains(vector) && others.allSatisfy(isNeeded)
            && others.count == needed.count
    }

    private func isNeeded(_ field: IndexDefinition.Field) -> Bool {
        needed.contains {
            $0.path == field.path && ($0.kind == .contains) == (field.kind == .contains)
                && (field.kind == .contains || field.kind.isOrdered)
        }
    }

    /// The filter as a disjunction of conjunctions.
    ///
    /// A list of values needs the same index as a single value.
    private static func conjunctions(_ filter: Filter) -> [[FieldFilter]] {
        switch filter {
        case .field(let field): return [[field]]
        case .unary(let unary): return [[unary.comparison]]
        case .composite(let composite):
            let parts = composite.filters.map(conjunctions)
            if composite.op == .or { return parts.flatMap(\.self) }
            return parts.reduce([[]]) { left, right in
                left.flatMap { first in right.map { first + $0 } }
            }
        }
    }
}
