/// A persistent ordered set: a copy is free, a change copies the way to the root and no more. A tree
/// without copies changes in place.
///
/// Shape: a B-tree, in which a node holds up to 31 elements side by side. The caller passes the order
/// with each call: one tree type serves every query. Every call on a tree must pass the same order. All
/// operations O(log n). Other targets see the code, so the compiler makes a tree for each element's type.
@usableFromInline package struct OrderedTree<Element: Sendable>: Sendable {
    /// Orders two elements: negative, zero or positive.
    @usableFromInline package typealias Order = (Element, Element) -> Int

    @usableFromInline var root = OrderedTreeNode<Element>()

    /// The tree of no elements.
    @inlinable package init() {}

    /// Builds a tree from elements already in order, none twice. O(n), without comparisons.
    @inlinable package init(sorted elements: [Element]) {
        let width = OrderedTreeNode<Element>.elementCountMax
        var span = 1
        while elements.count >= span * width { span *= width }
        root = OrderedTreeNode(sorted: elements[...], span: span)
    }

    /// How many elements there are. O(1).
    @inlinable package var count: Int { root.count }

    /// The least element.
    @inlinable package var first: Element? { count == 0 ? nil : root[0] }

    /// The greatest element.
    @inlinable package var last: Element? { count == 0 ? nil : root[count - 1] }

    /// The element at a place in the order, which must exist.
    @inlinable package subscript(index: Int) -> Element {
        precondition(index >= 0 && index < count, "Index \(index) in a tree of \(count)")
        return root[index]
    }

    /// The place of an element, or `nil` if it is not in the tree.
    @inlinable package func index(of element: Element, by order: Order) -> Int? {
        let index = firstIndex { order(element, $0) <= 0 }
        return index < count && order(element, root[index]) == 0 ? index : nil
    }

    /// The place of the first element for which `isFound` holds; `count` if there is none.
    ///
    /// Once `isFound` holds, `isFound` must hold for every later element too. O(log n).
    @inlinable package func firstIndex(where isFound: (Element) -> Bool) -> Int {
        root.firstIndex(where: isFound)
    }

    /// Visits the elements from a place on, in order, until `body` answers `false`.
    ///
    /// - Complexity: O(log n + k), k elements visited.
    @inlinable package func walk(from index: Int = 0, _ body: (Element) -> Bool) {
        _ = root.walk(skipping: index, body)
    }

    /// Visits the elements before a place, backwards, until `body` answers `false`.
    ///
    /// - Complexity: O(log n + k), k elements visited.
    @inlinable package func walkBack(from end: Int, _ body: (Element) -> Bool) {
        _ = root.walkBack(before: end, body)
    }

    /// Inserts an element, and replaces an element that the order holds equal.
    @inlinable package mutating func insert(_ element: Element, by order: Order) {
        if root.isFull { root = root.split(for: element, isLast: true, by: order) }
        root.insert(element, isLast: true, by: order)
    }

    /// Takes away the element that the order holds equal, if there is one.
    @inlinable package mutating func remove(_ element: Element, by order: Order) {
        root.remove(element, by: order)
        while let child = root.onlyChild { root = child }
    }

    /// All elements in order. O(n).
    @inlinable package var elements: [Element] {
        var result: [Element] = []
        result.reserveCapacity(count)
        walk {
            result.append($0)
            return true
        }
        return result
    }
}

/// A node of an `OrderedTree`, with everything below.
@usableFromInline struct OrderedTreeNode<Element: Sendable>: Sendable {
    @usableFromInline typealias Order = OrderedTree<Element>.Order

    /// The most elements of one node. A change of a shared node copies so many.
    @inlinable static var elementCountMax: Int { 31 }

    /// In order. The elements of a child lie between two of them.
    @usableFromInline var elements: [Element] = []
    /// Empty in a leaf; else one more than the elements.
    @usableFromInline var children: [OrderedTreeNode] = []
    /// How many elements there are here and below.
    @usableFromInline var count = 0

    @inlinable init() {}

    @inlinable init(_ elements: [Element], _ children: [OrderedTreeNode]) {
        self.elements = elements
        self.children = children
        count = children.reduce(elements.count) { $0 + $1.count }
    }

    /// Cuts elements that are in order into nodes of nearly one size, with all leaves equally deep.
    ///
    /// No node is full, so that the next insertion need not cut one.
    ///
    /// - Parameter span: The most elements that a child takes together with the element behind the
    ///   child; 1 for a leaf.
    @inlinable init(sorted elements: ArraySlice<Element>, span: Int) {
        guard span > 1 else {
            self.init(Array(elements), [])
            return
        }
        // As if an element stood behind the last child too.
        let size = elements.count + 1
        let count = (size + span - 1) / span
        var (between, children): ([Element], [OrderedTreeNode]) = ([], [])
        between.reserveCapacity(count - 1)
        children.reserveCapacity(count)
        for number in 0..<count {
            let start = elements.startIndex + size * number / count
            let end = elements.startIndex + size * (number + 1) / count - 1
            let childSpan = span / Self.elementCountMax
            children.append(OrderedTreeNode(sorted: elements[start..<end], span: childSpan))
            if end < elements.endIndex { between.append(elements[end]) }
        }
        self.init(between, children)
    }

    @inlinable var isFull: Bool { elements.count >= Self.elementCountMax }

    /// The child of a node that has nothing else.
    @inlinable var onlyChild: OrderedTreeNode? { elements.isEmpty ? children.first : nil }

    @inlinable subscript(index: Int) -> Element {
        if children.isEmpty { return elements[index] }
        var rest = index
        for place in elements.indices {
            let below = children[place].count
            if rest < below { return children[place][rest] }
            if rest == below { return elements[place] }
            rest -= below + 1
        }
        return children[elements.count][rest]
    }

    /// The place of the first element here for which `isFound` holds, or behind the last.
    @inlinable func place(where isFound: (Element) -> Bool) -> Int {
        var low = 0
        var high = elements.count
        while low < high {
            let middle = (low + high) / 2
            if isFound(elements[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// The place of an element here, or of the child in which the element belongs.
    @inlinable func place(of element: Element, by order: Order) -> (place: Int, isFound: Bool) {
        var low = 0
        var high = elements.count
        while low < high {
            let middle = (low + high) / 2
            let result = order(element, elements[middle])
            if result == 0 { return (middle, true) }
            if result < 0 { high = middle } else { low = middle + 1 }
        }
        return (low, false)
    }

    @inlinable func firstIndex(where isFound: (Element) -> Bool) -> Int {
        let place = place(where: isFound)
        if children.isEmpty { return place }
        return children[..<place].reduce(place) { $0 + $1.count }
            + children[place].firstIndex(where: isFound)
    }

    @inlinable func walk(skipping skipped: Int, _ body: (Element) -> Bool) -> Bool {
        if skipped >= count { return true }
        if children.isEmpty { return elements[max(0, skipped)...].allSatisfy(body) }
        var rest = skipped
        for place in children.indices {
            let below = children[place].count
            if rest < below, !children[place].walk(skipping: rest, body) { return false }
            rest -= below
            if place < elements.count {
                if rest <= 0, !body(elements[place]) { return false }
                rest -= 1
            }
        }
        return true
    }

    @inlinable func walkBack(before end: Int, _ body: (Element) -> Bool) -> Bool {
        if end <= 0 { return true }
        if children.isEmpty {
            return elements[..<min(end, elements.count)].reversed().allSatisfy(body)
        }
        var start = count
        for place in children.indices.reversed() {
            if place < elements.count {
                start -= 1
                if start < end, !body(elements[place]) { return false }
            }
            start -= children[place].count
            if !children[place].walkBack(before: end - start, body) { return false }
        }
        return true
    }
}

/// Changes.
extension OrderedTreeNode {
    /// Inserts an element into a node that is not full.
    ///
    /// - Parameter isLast: Whether no node of this depth comes later.
    /// - Returns: Whether the element is new.
    @inlinable @discardableResult
    mutating func insert(_ element: Element, isLast: Bool, by order: Order) -> Bool {
        var (place, isFound) = place(of: element, by: order)
        if isFound {
            elements[place] = element
            return false
        }
        if children.isEmpty {
            elements.insert(element, at: place)
            count += 1
            return true
        }
        if children[place].isFull {
            let isLastChild = isLast && place == elements.count
            let parts = children[place].split(for: element, isLast: isLastChild, by: order)
            elements.insert(parts.elements[0], at: place)
            children.replaceSubrange(place...place, with: parts.children)
            (place, isFound) = self.place(of: element, by: order)
            if isFound {
                elements[place] = element
                return false
            }
        }
        let isNew = children[place].insert(
            element, isLast: isLast && place == elements.count, by: order)
        if isNew { count += 1 }
        return isNew
    }

    /// Two nodes of a full node's elements below a node with the element between the two.
    ///
    /// Elements often come in order. If `element` comes behind all others of the tree, the first of the
    /// two nodes stays full.
    @inlinable mutating func split(for element: Element, isLast: Bool, by order: Order)
        -> OrderedTreeNode
    {
        var middle = elements.count / 2
        if isLast, order(element, elements[elements.count - 1]) > 0 { middle = elements.count - 1 }
        let right = OrderedTreeNode(
            Array(elements[(middle + 1)...]),
            children.isEmpty ? [] : Array(children[(middle + 1)...]))
        let between = elements[middle]
        elements.removeSubrange(middle...)
        if !children.isEmpty { children.removeSubrange((middle + 1)...) }
        let left = OrderedTreeNode(elements, children)
        self = OrderedTreeNode()
        return OrderedTreeNode([between], [left, right])
    }

    /// Takes away the element that the order holds equal.
    ///
    /// - Returns: Whether there was one.
    @inlinable @discardableResult
    mutating func remove(_ element: Element, by order: Order) -> Bool {
        let (place, isFound) = place(of: element, by: order)
        if children.isEmpty {
            guard isFound else { return false }
            elements.remove(at: place)
        } else if isFound {
            elements[place] = children[place].removeLast()
            balance(place)
        } else {
            guard children[place].remove(element, by: order) else { return false }
            balance(place)
        }
        count -= 1
        return true
    }

    /// Takes the last element from a node that has some.
    @inlinable mutating func removeLast() -> Element {
        count -= 1
        if children.isEmpty { return elements.removeLast() }
        let last = children[elements.count].removeLast()
        balance(elements.count)
        return last
    }

    /// Joins a child that has become small with the child's neighbour. If the joined node is too
    /// large, cuts the joined node into halves.
    @inlinable mutating func balance(_ place: Int) {
        guard children[place].elements.count < Self.elementCountMax / 4, !elements.isEmpty else {
            return
        }
        let left = max(0, place - 1)
        var joined = OrderedTreeNode(
            children[left].elements + [elements[left]] + children[left + 1].elements,
            children[left].children + children[left + 1].children)
        if !joined.children.isEmpty {
            // An only child may have become small, having had no neighbour until now.
            let seam = children[left].children.count
            joined.balance(seam)
            joined.balance(seam - 1)
        }
        if joined.isFull {
            let parts = joined.halves()
            elements[left] = parts.elements[0]
            children.replaceSubrange(left...left + 1, with: parts.children)
        } else {
            elements.remove(at: left)
            children.replaceSubrange(left...left + 1, with: [joined])
        }
    }

    @inlinable func halves() -> OrderedTreeNode {
        let middle = elements.count / 2
        let (left, right) = (elements[..<middle], elements[(middle + 1)...])
        return OrderedTreeNode(
            [elements[middle]],
            children.isEmpty
                ? [OrderedTreeNode(Array(left), []), OrderedTreeNode(Array(right), [])]
                : [
                    OrderedTreeNode(Array(left), Array(children[...middle])),
                    OrderedTreeNode(Array(right), Array(children[(middle + 1)...])),
                ])
    }
}
