/// Which children of a node somebody asks about, and in which order.
///
/// A value: equal queries are the same query. Without bounds and limit it asks for the whole node.
package struct QueryParameters: Hashable, Sendable {
    /// One end of the range that a query asks for.
    package struct Bound: Hashable, Sendable {
        /// The value that children are compared with; `nil` is null. With the key index, the key as
        /// a string.
        package let value: LeafValue?
        /// The key that breaks ties; `nil` if the query gives none.
        ///
        /// Without a key, an inclusive bound includes all children with the value, and an exclusive
        /// bound excludes all children with the value.
        package let key: KeyBound?
        /// Whether a child at the bound is inside.
        package let isInclusive: Bool

        /// The same end without a key that changes nothing.
        fileprivate func simplest(inside: KeyBound, outside: KeyBound, by index: QueryIndex)
            -> Bound
        {
            let saysNothing = index == .key || key == (isInclusive ? inside : outside)
            return saysNothing ? Bound(value, isInclusive: isInclusive) : self
        }

        /// Names one end.
        ///
        /// - Parameters:
        ///   - value: The value that children are compared with; `nil` is null. With the key index,
        ///     the key as a string.
        ///   - key: The key that breaks ties; `nil` if the query gives none.
        ///   - isInclusive: Whether a child at the bound is inside.
        package init(_ value: LeafValue?, key: KeyBound? = nil, isInclusive: Bool = true) {
            self.value = value
            self.key = key
            self.isInclusive = isInclusive
        }
    }

    /// How many children are asked for, counted from one end.
    package struct Limit: Hashable, Sendable {
        /// From which end.
        package enum Side: Hashable, Sendable {
            case first, last
        }

        /// The most that an SDK can ask for.
        package static let countMax = Int(Int32.max)

        /// How many, at least one.
        package let count: Int
        /// From which end.
        package let side: Side

        /// Asks for some; `nil` if the number is none that can be asked for.
        package init?(_ count: Int, from side: Side) {
            guard 1...Self.countMax ~= count else { return nil }
            self.count = count
            self.side = side
        }
    }

    /// The order.
    package var index: QueryIndex {
        didSet {
            start = Self.simplestStart(start, by: index)
            end = Self.simplestEnd(end, by: index)
        }
    }
    /// Where the query begins. The bound has no key with the key index, and with another index no
    /// key that changes nothing.
    package var start: Bound? { didSet { start = Self.simplestStart(start, by: index) } }
    /// Where the query ends, in the same way.
    package var end: Bound? { didSet { end = Self.simplestEnd(end, by: index) } }
    /// How many.
    package var limit: Limit?

    /// The query for the whole node, in the order of priorities.
    package static let all = QueryParameters()

    /// Asks for all, in an order.
    ///
    /// - Parameters:
    ///   - index: The order of the children.
    ///   - start: Where the query begins; `nil` for the first child. The bound has no key with the
    ///     key index, and with another index no key that changes nothing.
    ///   - end: Where the query ends, in the same way; `nil` for the last child.
    ///   - limit: How many children, and from which end; `nil` for all.
    package init(
        index: QueryIndex = .priority, start: Bound? = nil, end: Bound? = nil, limit: Limit? = nil
    ) {
        self.index = index
        self.start = Self.simplestStart(start, by: index)
        self.end = Self.simplestEnd(end, by: index)
        self.limit = limit
    }

    private static func simplestStart(_ start: Bound?, by index: QueryIndex) -> Bound? {
        start?.simplest(inside: .least, outside: .greatest, by: index)
    }

    private static func simplestEnd(_ end: Bound?, by index: QueryIndex) -> Bound? {
        end?.simplest(inside: .greatest, outside: .least, by: index)
    }

    /// Asks for the children that equal a value, or for the child with the value and the key.
    ///
    /// - Parameters:
    ///   - value: The value; `nil` is null.
    ///   - key: The child's key; `nil` for all children with the value.
    ///   - index: The order, which decides what a child's value is.
    package static func equalTo(
        _ value: LeafValue?, key: ChildKey? = nil, index: QueryIndex
    ) -> QueryParameters {
        let bound = Bound(value, key: key.map(KeyBound.key))
        return QueryParameters(index: index, start: bound, end: bound)
    }

    /// Whether the whole node is asked for, in whatever order.
    package var isComplete: Bool { start == nil && end == nil && limit == nil }

    /// Whether this is the query for the whole node in the order of priorities.
    package var isDefault: Bool { isComplete && index == .priority }

    /// The place before which nothing is inside.
    package var startPosition: IndexPosition? {
        start.map { position(of: $0, otherwise: $0.isInclusive ? .least : .greatest) }
    }

    /// The place after which nothing is inside.
    package var endPosition: IndexPosition? {
        end.map { position(of: $0, otherwise: $0.isInclusive ? .greatest : .least) }
    }

    private func position(of bound: Bound, otherwise key: KeyBound) -> IndexPosition {
        guard index == .key else {
            return IndexPosition(value: SortValue(bound.value), key: bound.key ?? key)
        }
        guard case .string(let text) = bound.value else {
            // Null as a key: nothing comes before it.
            return IndexPosition(value: .absent, key: .least)
        }
        return IndexPosition(value: .absent, key: KeyBound(wire: text))
    }

    /// Whether a child is within the bounds.
    package func admits(_ child: NodeChildren.Element) -> Bool {
        admits(index.position(of: child))
    }

    /// Whether a place is within the bounds.
    package func admits(_ position: IndexPosition) -> Bool {
        isAfterStart(position) && isBeforeEnd(position)
    }

    /// Whether a place is not before the start. If true for a place, true for every later place.
    package func isAfterStart(_ position: IndexPosition) -> Bool {
        guard let start, let startPosition else { return true }
        let result = IndexPosition.compare(startPosition, position)
        return start.isInclusive ? result <= 0 : result < 0
    }

    /// Whether a place is not after the end. If true for a place, true for every earlier place.
    package func isBeforeEnd(_ position: IndexPosition) -> Bool {
        guard let end, let endPosition else { return true }
        let result = IndexPosition.compare(position, endPosition)
        return end.isInclusive ? result <= 0 : result < 0
    }
}

extension KeyBound {
    /// Reads a key of a query; the key may name the place before or after all keys.
    package init(wire text: String) {
        switch text {
        case "[MIN_NAME]": self = .least
        case "[MAX_NAME]": self = .greatest
        default: self = .key(ChildKey(unchecked: text))
        }
    }

    /// What a query writes for it.
    package var wire: String {
        switch self {
        case .least: "[MIN_NAME]"
        case .key(let key): key.text
        case .greatest: "[MAX_NAME]"
        }
    }
}
