import HearthModel

/// Which values of one field a query admits, as far as an index can tell: stretches of the values'
/// own order, each between two cuts.
struct ValueRanges {
    /// A place between values: before, or after, all that begin with a prefix.
    struct Cut {
        let prefix: [UInt8]
        let isAfter: Bool

        static func before(_ prefix: [UInt8]) -> Cut { Cut(prefix: prefix, isAfter: false) }
        static func after(_ prefix: [UInt8]) -> Cut { Cut(prefix: prefix, isAfter: true) }
    }

    private(set) var stretches: [(from: Cut?, to: Cut?)] = [(nil, nil)]
    /// Whether any filter said something.
    private(set) var isBounded = false

    /// Takes what a filter says of the field.
    mutating func apply(_ filter: FieldFilter) {
        let value = IndexValueWriter.bytes(of: filter.value, .ascending)
        let labels = IndexLabel.labels(of: filter.value.typeOrder)
        let typeStart = Cut.before([labels.lowerBound])
        let typeEnd = Cut.after([labels.upperBound])
        isBounded = true
        switch filter.op {
        case .lessThan: add(typeStart, .before(value))
        case .lessThanOrEqual: add(typeStart, .after(value))
        case .greaterThan: add(.after(value), typeEnd)
        case .greaterThanOrEqual: add(.before(value), typeEnd)
        case .equal: add(.before(value), .after(value))
        case .notEqual:
            add(.after([IndexLabel.null]), nil)
            split(at: value)
        case .isNotIn:
            add(.after([IndexLabel.null]), nil)
        case .isIn, .arrayContains, .arrayContainsAny:
            isBounded = false
        }
    }

    /// The stretches as bytes behind a prefix, in an index that lists the field in this way.
    func ranges(after prefix: [UInt8], _ kind: FieldIndex.Kind) -> [IndexRange] {
        stretches.map { from, to in
            var range = IndexRange(prefix: prefix)
            if kind == .descending {
                if let to { range.start(prefix + to.prefix.map { ~$0 }, isAfter: !to.isAfter) }
                if let from { range.end(prefix + from.prefix.map { ~$0 }, isAfter: !from.isAfter) }
            } else {
                if let from { range.start(prefix + from.prefix, isAfter: from.isAfter) }
                if let to { range.end(prefix + to.prefix, isAfter: to.isAfter) }
            }
            return range
        }
    }

    private mutating func add(_ from: Cut?, _ to: Cut?) {
        stretches = stretches.map { (later($0.from, from), earlier($0.to, to)) }
    }

    private mutating func split(at value: [UInt8]) {
        stretches = stretches.flatMap { from, to in
            [(from, earlier(to, .before(value))), (later(from, .after(value)), to)]
        }
    }

    private func later(_ left: Cut?, _ right: Cut?) -> Cut? {
        guard let left, let right else { return left ?? right }
        return Self.precedes(left, right) ? right : left
    }

    private func earlier(_ left: Cut?, _ right: Cut?) -> Cut? {
        guard let left, let right else { return left ?? right }
        return Self.precedes(left, right) ? left : right
    }

    /// Of two prefixes one may begin with the other: a type's label, and a value of the type.
    private static func precedes(_ left: Cut, _ right: Cut) -> Bool {
        guard let left = left.bytes else { return false }
        guard let right = right.bytes else { return true }
        return compareBytes(left, right) < 0
    }
}

extension ValueRanges.Cut {
    fileprivate var bytes: [UInt8]? {
        isAfter ? IndexRange.successor(of: prefix) : prefix
    }
}
