/// A stretch of the order of all values, both ends included.
///
/// Names have their place in it too, as references without a database.
package struct ValueRange: Hashable, Sendable {
    /// Where a stretch ends: at, before or after a value, or before or after all of a type.
    package enum End: Hashable, Sendable {
        /// Before all values of a type.
        case start(of: TypeOrder)
        /// Right before a value.
        case before(Value)
        /// At a value.
        case value(Value)
        /// Right behind a value.
        case after(Value)
        /// Behind all values of a type.
        case end(of: TypeOrder)
    }

    /// Where it begins.
    package let lower: End
    /// Where it ends.
    package let upper: End

    /// The stretch between two ends.
    package init(_ lower: End, _ upper: End) {
        self.lower = lower
        self.upper = upper
    }

    /// Every value.
    package static let everything = ValueRange(.start(of: .null), .end(of: .map))
    /// Every value but null.
    package static let notNull = ValueRange(.start(of: .boolean), .end(of: .map))
    /// No value.
    package static let nothing = ValueRange(.end(of: .map), .start(of: .null))

    /// The values that a comparison may let through; `nil` if it does not ask for a stretch.
    package init?(_ filter: FieldFilter, _ dialect: Dialect) {
        guard let operand = Self.place(of: filter.value, filter.field) else { return nil }
        let (first, last) = (End.start(of: operand.typeOrder), End.end(of: operand.typeOrder))
        switch filter.op {
        case .equal, .isIn, .arrayContains, .arrayContainsAny:
            return nil
        case .lessThan: self.init(first, .before(operand))
        case .lessThanOrEqual: self.init(first, .value(operand))
        case .greaterThan: self.init(.after(operand), last)
        case .greaterThanOrEqual: self.init(.value(operand), last)
        case .notEqual:
            self = operand.isNull && dialect == .backend ? .nothing : .notNull
        case .isNotIn:
            let hasNull = operand.arrayElements?.contains(where: \.isNull) ?? true
            self = hasNull ? .nothing : .notNull
        }
        // To the backend nothing is less or greater than these.
        if dialect == .backend, lower != Self.notNull.lower, operand.isNull || operand.isNaN {
            self = .nothing
        }
    }

    /// The values of the first sort key on one side of a cursor.
    ///
    /// - Parameters:
    ///   - bound: The cursor. A cursor without a value for the key, or with a value that lies in no
    ///     stretch, gives `nil`.
    ///   - orderBy: The first sort key.
    ///   - isStart: Whether the results begin at the cursor; otherwise they end there.
    package init?(_ bound: Bound, of orderBy: OrderBy, isStart: Bool) {
        guard let value = bound.position.first,
            let place = Self.place(of: value, orderBy.field)
        else { return nil }
        // Further keys decide among those that share the value.
        let isInside = bound.isInclusive || bound.position.count > 1
        if isStart == (orderBy.direction == .ascending) {
            self.init(isInside ? .value(place) : .after(place), Self.everything.upper)
        } else {
            self.init(Self.everything.lower, isInside ? .value(place) : .before(place))
        }
    }

    /// The values up to the value of a document, in the direction of a sort key.
    package init?(upTo document: Document, of orderBy: OrderBy) {
        let field = orderBy.field
        let value = field.isDocumentID ? Self.place(of: document.key) : document[field]
        guard let value else { return nil }
        self.init(Bound([value], isInclusive: true), of: orderBy, isStart: false)
    }

    /// Whether no value lies in it.
    package var isEmpty: Bool { lower.compare(to: upper) > 0 }

    /// How many of the ends are values: what has both is likely the shortest.
    package var valueCount: Int {
        [lower, upper].count { $0.value != nil }
    }

    /// What lies in both.
    package func clamped(to other: ValueRange) -> ValueRange {
        ValueRange(
            lower.compare(to: other.lower) < 0 ? other.lower : lower,
            upper.compare(to: other.upper) > 0 ? other.upper : upper)
    }

    /// The place of a name.
    package static func place(of key: DocumentKey) -> Value {
        .reference(DocumentName(database: anyDatabase, key: key))
    }

    /// The place of an operand; `nil` if it can have none.
    private static func place(of value: Value, _ field: FieldPath) -> Value? {
        guard field.isDocumentID else { return value }
        guard case .reference(let name) = value else { return nil }
        return .reference(DocumentName(database: anyDatabase, path: name.path))
    }

    private static let anyDatabase = DatabaseID(project: "")
}

extension ValueRange.End {
    /// Orders two ends: negative, zero or positive.
    package func compare(to other: Self) -> Int {
        if let left = value, let right = other.value {
            let order = left.compare(to: right)
            if order != 0 { return order }
        } else if type != other.type {
            return type < other.type ? -1 : 1
        }
        return offset - other.offset
    }

    /// The value, if it does not end with a type.
    fileprivate var value: Value? {
        switch self {
        case .before(let value), .value(let value), .after(let value): value
        case .start, .end: nil
        }
    }

    private var type: TypeOrder {
        switch self {
        case .start(let type), .end(let type): type
        case .before(let value), .value(let value), .after(let value): value.typeOrder
        }
    }

    /// Orders the ends at one value, and the ends of the value's type.
    private var offset: Int {
        switch self {
        case .start: -2
        case .before: -1
        case .value: 0
        case .after: 1
        case .end: 2
        }
    }
}
