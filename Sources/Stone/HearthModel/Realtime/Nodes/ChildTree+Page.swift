extension ChildTree {
    /// Some children side by side, in the order of their keys.
    struct Page: Sendable {
        let children: [Child]
        /// About how many bytes the children have as JSON, with their keys.
        let byteCount: Int

        /// Takes children that know their own sizes already. O(children).
        init(_ children: [Child]) {
            self.children = children
            byteCount = children.reduce(0) { $0 + $1.byteCount }
        }

        /// Copies a page with one child replaced; reads only that child, not the others.
        init(_ old: Page, replacing index: Int, with child: Child) {
            var children = old.children
            children[index] = child
            self.children = children
            byteCount = old.byteCount + child.byteCount - old.children[index].byteCount
        }
    }
}

extension ChildTree.Child {
    /// About how many bytes the child has as JSON, with its key.
    var byteCount: Int { key.text.utf16.count + 4 + NodeSize.estimate(node) }
}
