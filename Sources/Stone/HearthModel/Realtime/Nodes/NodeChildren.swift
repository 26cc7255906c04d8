/// The children of a node in the order of their keys, by place.
///
/// Going through them costs O(1) each; asking for one by its place O(log n).
package struct NodeChildren: RandomAccessCollection, Sendable {
    /// A child with its key. Never empty.
    package typealias Element = (key: ChildKey, node: Node)

    private let tree: ChildTree?

    init(_ tree: ChildTree?) {
        self.tree = tree
    }

    /// The place of the first child.
    package var startIndex: Int { 0 }
    /// The place behind the last child, which is how many there are.
    package var endIndex: Int { tree?.count ?? 0 }

    /// The child at a place, which must exist.
    package subscript(position: Int) -> Element {
        precondition(indices.contains(position), "Child \(position) of \(count)")
        guard let page = tree?.page(at: position) else { preconditionFailure("No child") }
        let child = page.children[page.offset]
        return (child.key, child.node)
    }

    /// The place of the first child whose key is `key` or comes after; the end if there is none.
    package func index(atOrAfter key: ChildKey) -> Int { tree?.index(atOrAfter: key) ?? 0 }

    /// The place of the child of this key.
    package func index(of key: ChildKey) -> Int? {
        let index = index(atOrAfter: key)
        return index < endIndex && self[index].key == key ? index : nil
    }

    /// Goes through the children page by page.
    package struct Iterator: IteratorProtocol, Sendable {
        private let tree: ChildTree?
        private var page: [ChildTree.Child] = []
        private var offset = 0
        private var nextPage = 0

        init(_ tree: ChildTree?) {
            self.tree = tree
        }

        package mutating func next() -> Element? {
            if offset == page.count {
                guard let tree, nextPage < tree.count else { return nil }
                page = tree.page(at: nextPage).children
                nextPage += page.count
                offset = 0
            }
            let child = page[offset]
            offset += 1
            return (child.key, child.node)
        }
    }

    package func makeIterator() -> Iterator { Iterator(tree) }

    /// What a closure makes of each child. O(n); a collection's own `map` would ask for each child by
    /// its place.
    package func map<Result, Failure: Error>(
        _ transform: (Element) throws(Failure) -> Result
    ) throws(Failure) -> [Result] {
        var results: [Result] = []
        results.reserveCapacity(count)
        for child in self { results.append(try transform(child)) }
        return results
    }
}

/// Two trees hold the same, however they are cut into pages.
///
/// The comparison skips the parts that both trees share. Comparing two versions of one tree
/// therefore takes time in proportion to their difference.
extension ChildTree: Equatable {
    static func == (lhs: Self, rhs: Self) -> Bool {
        switch (lhs, rhs) {
        case (.branch(let left), .branch(let right)):
            if left === right { return true }
            if left.ends == right.ends { return left.trees == right.trees }
        case (.page(let left), .page(let right)):
            return left.children == right.children
        case (.page, .branch), (.branch, .page):
            break
        }
        guard lhs.count == rhs.count else { return false }
        return NodeChildren(lhs).elementsEqual(NodeChildren(rhs), by: ==)
    }
}

extension ChildTree.Child: Equatable {
    static func == (lhs: Self, rhs: Self) -> Bool { lhs.key == rhs.key && lhs.node == rhs.node }
}
