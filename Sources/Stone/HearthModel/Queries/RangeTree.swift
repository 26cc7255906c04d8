/// Stretches of values, each with an owner: finds those that hold a value.
///
/// Shape: a persistent weight-balanced tree in the order of the lower ends, in which each node knows
/// the greatest upper end below it. A copy is free, a change copies the way to the root.
package struct RangeTree<ID: Comparable & Sendable>: Sendable {
    private struct Entry: Sendable {
        let range: ValueRange
        let id: ID

        func compare(to other: Entry) -> Int {
            let lower = range.lower.compare(to: other.range.lower)
            if lower != 0 { return lower }
            if id != other.id { return id < other.id ? -1 : 1 }
            return range.upper.compare(to: other.range.upper)
        }
    }

    private final class Node: Sendable {
        let entry: Entry
        let left: Node?
        let right: Node?
        let count: Int
        let greatest: ValueRange.End

        init(_ entry: Entry, _ left: Node?, _ right: Node?) {
            self.entry = entry
            self.left = left
            self.right = right
            count = 1 + RangeTree.count(left) + RangeTree.count(right)
            var greatest = entry.range.upper
            for child in [left, right] {
                if let child, child.greatest.compare(to: greatest) > 0 { greatest = child.greatest }
            }
            self.greatest = greatest
        }
    }

    private var root: Node?

    /// The tree of no stretches.
    package init() {}

    /// How many stretches there are.
    package var count: Int { Self.count(root) }

    /// Adds an owner's stretch. O(log n).
    package mutating func insert(_ range: ValueRange, _ id: ID) {
        root = Self.inserting(Entry(range: range, id: id), into: root)
    }

    /// Takes an owner's stretch away, if it is there. O(log n).
    package mutating func remove(_ range: ValueRange, _ id: ID) {
        root = Self.removing(Entry(range: range, id: id), from: root)
    }

    /// Visits the owner of each stretch that has something in common with another.
    ///
    /// - Returns: How many stretches were looked at: O(log n), and O(log n) for each that is visited.
    @discardableResult
    package func visit(_ range: ValueRange, _ body: (ID) -> Void) -> Int {
        Self.visit(root, range, body)
    }

    private static func visit(
        _ node: Node?, _ range: ValueRange, _ body: (ID) -> Void
    ) -> Int {
        guard let node, node.greatest.compare(to: range.lower) >= 0 else { return 0 }
        var count = 1 + visit(node.left, range, body)
        if node.entry.range.lower.compare(to: range.upper) <= 0 {
            if node.entry.range.upper.compare(to: range.lower) >= 0 { body(node.entry.id) }
            count += visit(node.right, range, body)
        }
        return count
    }

    private static func count(_ node: Node?) -> Int { node?.count ?? 0 }

    private static func inserting(_ entry: Entry, into node: Node?) -> Node {
        guard let node else { return Node(entry, nil, nil) }
        let order = entry.compare(to: node.entry)
        if order == 0 { return node }
        if order < 0 {
            return balanced(node.entry, inserting(entry, into: node.left), node.right)
        }
        return balanced(node.entry, node.left, inserting(entry, into: node.right))
    }

    private static func removing(_ entry: Entry, from node: Node?) -> Node? {
        guard let node else { return nil }
        let order = entry.compare(to: node.entry)
        if order < 0 {
            return balanced(node.entry, removing(entry, from: node.left), node.right)
        }
        if order > 0 {
            return balanced(node.entry, node.left, removing(entry, from: node.right))
        }
        guard let right = node.right else { return node.left }
        let (least, rest) = removingFirst(right)
        return balanced(least, node.left, rest)
    }

    private static func removingFirst(_ node: Node) -> (Entry, Node?) {
        guard let left = node.left else { return (node.entry, node.right) }
        let (least, rest) = removingFirst(left)
        return (least, balanced(node.entry, rest, node.right))
    }

    /// Joins two trees after one may have grown or shrunk by one stretch.
    ///
    /// The trees keep the balance of `OrderedTree`.
    private static func balanced(_ entry: Entry, _ left: Node?, _ right: Node?) -> Node {
        let leftWeight = count(left) + 1
        let rightWeight = count(right) + 1
        if let right, rightWeight > 3 * leftWeight {
            if let inner = right.left, inner.count + 1 >= 2 * (count(right.right) + 1) {
                return Node(
                    inner.entry, Node(entry, left, inner.left),
                    Node(right.entry, inner.right, right.right))
            }
            return Node(right.entry, Node(entry, left, right.left), right.right)
        }
        if let left, leftWeight > 3 * rightWeight {
            if let inner = left.right, inner.count + 1 >= 2 * (count(left.left) + 1) {
                return Node(
                    inner.entry, Node(left.entry, left.left, inner.left),
                    Node(entry, inner.right, right))
            }
            return Node(left.entry, left.left, Node(entry, left.right, right))
        }
        return Node(entry, left, right)
    }
}
