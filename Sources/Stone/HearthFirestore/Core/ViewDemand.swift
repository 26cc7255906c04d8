import HearthModel

/// What every result of a query has in common.
///
/// A result has certain values in certain fields, maybe a certain element, and maybe a value of one
/// more field that lies in a stretch.
///
/// Values are compared as the order of values does, which lets through at least what a query does.
struct ViewDemand: Hashable, Sendable {
    /// The fields with a demand; many queries of one program have the same shape.
    struct Shape: Hashable, Sendable {
        /// The fields that must have a value, in their order.
        let fields: [FieldPath]
        /// The field that must hold an element.
        let element: FieldPath?

        /// Whether nothing is demanded.
        var isEmpty: Bool { fields.isEmpty && element == nil }
    }

    /// A stretch in which a field's value, or the name, must lie.
    struct Stretch: Hashable, Sendable {
        /// The field.
        let field: FieldPath
        /// Where its value must lie.
        var range: ValueRange
    }

    /// The fields with a demand.
    let shape: Shape
    /// The values, in the order of the fields; the element comes last.
    let values: [EquivalentValue]
    /// The stretch; `nil` if none has an end.
    let stretch: Stretch?

    /// Whether nothing is demanded.
    var isEmpty: Bool { shape.isEmpty && stretch == nil }

    /// Returns `nil` if nothing can meet the conditions.
    private init?(_ parts: Parts) {
        if parts.stretches.contains(where: \.range.isEmpty) { return nil }
        let fields = parts.values.keys.sorted()
        shape = Shape(fields: fields, element: parts.element?.field)
        values = fields.compactMap { parts.values[$0] } + [parts.element?.value].compactMap(\.self)
        stretch = parts.stretches.filter {
            parts.values[$0.field] == nil && $0.range.valueCount > 0
        }
        .max { $0.range.valueCount < $1.range.valueCount }
    }

    /// The demands of a query: each result of the query meets one demand.
    ///
    /// A query without any demand in the list has no results.
    ///
    /// If several conditions leave a choice, the demands follow the first.
    static func all(of query: Query) -> [ViewDemand] {
        let conjuncts = query.filters.flatMap(\.conjuncts)
        var common = Parts()
        for filter in conjuncts { common.take(filter) }
        common.takeBounds(of: query)
        guard let choices = conjuncts.lazy.compactMap(\.choices).first else {
            return [ViewDemand(common)].compactMap(\.self)
        }
        let demands = choices.compactMap { choice in
            var parts = common
            for filter in choice { parts.take(filter) }
            return ViewDemand(parts)
        }
        return Array(Set(demands))
    }

    private struct Parts {
        var values: [FieldPath: EquivalentValue] = [:]
        var element: (field: FieldPath, value: EquivalentValue)?
        var stretches: [Stretch] = []

        mutating func take(_ filter: Filter) {
            guard case .field(let filter) = filter else { return }
            switch filter.op {
            case .equal:
                guard values[filter.field] == nil else { return }
                values[filter.field] = filter.demandedValue
            case .arrayContains:
                if element == nil { element = (filter.field, EquivalentValue(filter.value)) }
            case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .notEqual,
                .isNotIn, .isIn, .arrayContainsAny:
                clamp(filter.field, to: ValueRange(filter, .cache))
            }
        }

        /// A query's cursors cut its first sort key.
        mutating func takeBounds(of query: Query) {
            guard let first = query.orderBys.first else { return }
            clamp(
                first.field,
                to: query.startAt.flatMap { ValueRange($0, of: first, isStart: true) })
            clamp(
                first.field, to: query.endAt.flatMap { ValueRange($0, of: first, isStart: false) })
        }

        private mutating func clamp(_ field: FieldPath, to range: ValueRange?) {
            guard let range else { return }
            if let place = stretches.firstIndex(where: { $0.field == field }) {
                stretches[place].range = stretches[place].range.clamped(to: range)
            } else {
                stretches.append(Stretch(field: field, range: range))
            }
        }
    }
}

extension ViewDemand.Shape {
    /// The values of demands of this shape that a document meets.
    ///
    /// A document with several elements meets several; a document that lacks a field meets none.
    func values(metBy document: Document) -> [[EquivalentValue]] {
        var values: [EquivalentValue] = []
        values.reserveCapacity(fields.count + 1)
        for field in fields {
            guard let value = document.demandedValue(field) else { return [] }
            values.append(value)
        }
        guard let element else { return [values] }
        guard let elements = document[element]?.arrayElements else { return [] }
        return Set(elements.map { EquivalentValue($0) }).map { values + [$0] }
    }
}

extension ViewDemand.Stretch {
    /// The stretch of one value in which a document lies; `nil` if it lacks the field.
    static func place(of document: Document, by field: FieldPath) -> ValueRange? {
        let value = field.isDocumentID ? ValueRange.place(of: document.key) : document[field]
        return value.map { ValueRange(.value($0), .value($0)) }
    }
}

extension Filter {
    /// The ways to fulfil a condition that leaves a choice; `nil` for other conditions.
    ///
    /// Each way is a list of filters that must hold.
    fileprivate var choices: [[Filter]]? {
        switch self {
        case .field(let filter): filter.alternatives?.map { [.field($0)] }
        case .composite(let filter): filter.filters.map(\.conjuncts)
        case .unary: nil
        }
    }
}

extension FieldFilter {
    /// The value that an equality demands; `nil` for a name that is none.
    fileprivate var demandedValue: EquivalentValue? {
        guard field.isDocumentID else { return EquivalentValue(value) }
        guard case .reference(let name) = value else { return nil }
        return EquivalentValue(name: name.path)
    }
}

extension Document {
    fileprivate func demandedValue(_ field: FieldPath) -> EquivalentValue? {
        if field.isDocumentID { return EquivalentValue(name: key.path) }
        return self[field].map { EquivalentValue($0) }
    }
}

extension EquivalentValue {
    /// A document's name; the database in the name does not count.
    fileprivate init(name path: ResourcePath) {
        self.init(.reference(DocumentName(database: DatabaseID(project: ""), path: path)))
    }
}
