/// A persistent ordered set: a copy is free, a change copies the way to the root and no more.
///
/// Shape: a weight-balanced binary tree. The caller passes the order with each call: one tree type
/// serves every query. Every call on a tree must pass the same order. All operations O(log n).
package struct OrderedTree<Element: Sendable>: Sendable {
    /// Orders two elements: negative, zero or positive.
    package typealias Order = (Element, Element) -> Int

    private final class Node: Sendable {
        let element: Element
        let left: Node?
        let right: Node?
        let count: Int

        init(_ element: Element, _ left: Node?, _ right: Node?) {
            self.element = element
            self.left = left
            self.right = right
            count = 1 + OrderedTree.count(left) + OrderedTree.count(right)
        }
    }

    private var root: Node?

    /// The tree of no elements.
    package init() {}

    /// Builds a balanced tree from elements already in order, none twice. O(n).
    package init(sorted elements: [Element]) {
        root = Self.build(elements[...])
    }

    /// How many elements there are. O(1).
    package var count: Int { Self.count(root) }

    /// The least element.
    package var first: Element? {
        var node = root
        while let left = node?.left { node = left }
        return node?.element
    }

    /// The greatest element.
    package var last: Element? {
        var node = root
        while let right = node?.right { node = right }
        return node?.element
    }

    /// The element at a place in the order, which must exist.
    package subscript(index: Int) -> Element {
        precondition(index >= 0 && index < count, "Index \(index) in a tree of \(count)")
        var node = root
        var rest = index
        while let current = node {
            let before = Self.count(current.left)
            if rest == before { return current.element }
            if rest < before {
                node = current.left
            } else {
                rest -= before + 1
                node = current.right
            }
        }
        preconditionFailure("A tree's counts are wrong")
    }

    /// The place of an element, or `nil` if it is not in the tree.
    package func index(of element: Element, by order: Order) -> Int? {
        var node = root
        var before = 0
        while let current = node {
            let result = order(element, current.element)
            if result == 0 { return before + Self.count(current.left) }
            if result < 0 {
                node = current.left
            } else {
                before += Self.count(current.left) + 1
                node = current.right
            }
        }
        return nil
    }

    /// The place of the first element for which `isFound` holds; `count` if there is none.
    ///
    /// Once `isFound` holds, `isFound` must hold for every later element too. O(log n).
    package func firstIndex(where isFound: (Element) -> Bool) -> Int {
        var node = root
        var before = 0
        while let current = node {
            if isFound(current.element) {
                node = current.left
            } else {
                before += Self.count(current.left) + 1
                node = current.right
            }
        }
        return before
    }

    /// Visits the elements from a place on, in order, until `body` answers `false`.
    ///
    /// - Complexity: O(log n + k), k elements visited.
    package func walk(from index: Int = 0, _ body: (Element) -> Bool) {
        _ = Self.walk(root, skipping: index, body)
    }

    /// Visits the elements before a place, backwards, until `body` answers `false`.
    ///
    /// - Complexity: O(log n + k), k elements visited.
    package func walkBack(from end: Int, _ body: (Element) -> Bool) {
        _ = Self.walkBack(root, before: end, body)
    }

    /// Inserts an element, and replaces an element that the order holds equal.
    package mutating func insert(_ element: Element, by order: Order) {
        root = Self.inserting(element, into: root, by: order)
    }

    /// Takes away the element that the order holds equal, if there is one.
    package mutating func remove(_ element: Element, by order: Order) {
        root = Self.removing(element, from: root, by: order)
    }

    /// All elements in order. O(n).
    package var elements: [Element] {
        var result: [Element] = []
        result.reserveCapacity(count)
        Self.visit(root) { result.append($0) }
        return result
    }

    private static func walk(
        _ node: Node?, skipping skipped: Int, _ body: (Element) -> Bool
    ) -> Bool {
        guard let node, skipped < node.count else { return true }
        let before = count(node.left)
        if skipped < before, !walk(node.left, skipping: skipped, body) { return false }
        if skipped <= before, !body(node.element) { return false }
        return walk(node.right, skipping: max(0, skipped - before - 1), body)
    }

    private static func walkBack(
        _ node: Node?, before end: Int, _ body: (Element) -> Bool
    ) -> Bool {
        guard let node, end > 0 else { return true }
        let before = count(node.left)
        if end > before + 1, !walkBack(node.right, before: end - before - 1, body) { return false }
        if end > before, !body(node.element) { return false }
        return walkBack(node.left, before: min(end, before), body)
    }

    private static func visit(_ node: Node?, _ body: (Element) -> Void) {
        guard let node else { return }
        visit(node.left, body)
        body(node.element)
        visit(node.right, body)
    }

    private static func count(_ node: Node?) -> Int { node?.count ?? 0 }

    private static func build(_ elements: ArraySlice<Element>) -> Node? {
        guard !elements.isEmpty else { return nil }
        let middle = (elements.startIndex + elements.endIndex) / 2
        return Node(
            elements[middle], build(elements[..<middle]), build(elements[(middle + 1)...]))
    }

    private static func inserting(_ element: Element, into node: Node?, by order: Order) -> Node {
        guard let node else { return Node(element, nil, nil) }
        let result = order(element, node.element)
        if result == 0 { return Node(element, node.left, node.right) }
        if result < 0 {
            let left = inserting(element, into: node.left, by: order)
            return balanced(node.element, left, node.right)
        }
        return balanced(node.element, node.left, inserting(element, into: node.right, by: order))
    }

    private static func removing(_ element: Element, from node: Node?, by order: Order) -> Node? {
        guard let node else { return nil }
        let result = order(element, node.element)
        if result < 0 {
            return balanced(node.element, removing(element, from: node.left, by: order), node.right)
        }
        if result > 0 {
            return balanced(node.element, node.left, removing(element, from: node.right, by: order))
        }
        guard let left = node.left else { return node.right }
        guard let right = node.right else { return left }
        if left.count > right.count {
            let (greatest, rest) = removingLast(left)
            return balanced(greatest, rest, right)
        }
        let (least, rest) = removingFirst(right)
        return balanced(least, left, rest)
    }

    private static func removingFirst(_ node: Node) -> (Element, Node?) {
        guard let left = node.left else { return (node.element, node.right) }
        let (least, rest) = removingFirst(left)
        return (least, balanced(node.element, rest, node.right))
    }

    private static func removingLast(_ node: Node) -> (Element, Node?) {
        guard let right = node.right else { return (node.element, node.left) }
        let (greatest, rest) = removingLast(right)
        return (greatest, balanced(node.element, node.left, rest))
    }

    /// Joins two balanced trees after one tree may have grown or shrunk by one element.
    ///
    /// Source: Adams' weight-balanced trees with the integer parameters (3, 2), which Hirai and
    /// Yamamoto proved to keep the balance.
    private static func balanced(_ element: Element, _ left: Node?, _ right: Node?) -> Node {
        let leftWeight = count(left) + 1
        let rightWeight = count(right) + 1
        if let right, rightWeight > 3 * leftWeight {
            if count(right.left) + 1 < 2 * (count(right.right) + 1) {
                return Node(right.element, Node(element, left, right.left), right.right)
            }
            if let inner = right.left {
                return Node(
                    inner.element, Node(element, left, inner.left),
                    Node(right.element, inner.right, right.right))
            }
        }
        if let left, leftWeight > 3 * rightWeight {
            if count(left.right) + 1 < 2 * (count(left.left) + 1) {
                return Node(left.element, left.left, Node(element, left.right, right))
            }
            if let inner = left.right {
                return Node(
                    inner.element, Node(left.element, left.left, inner.left),
                    Node(element, inner.right, right))
            }
        }
        return Node(element, left, right)
    }
}
