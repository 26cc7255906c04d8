/// What a listen tells the backend of the data that the listener has already.
package struct ListenHash: Hashable, Sendable {
    /// The simple hash of the whole (`NodeHash`).
    package let simple: String
    /// The hashes of stretches; `nil` for a small tree, and for one with a priority in no stretch.
    package let ranges: CompoundHash?

    /// Takes hashes of the same tree.
    package init(simple: String, ranges: CompoundHash?) {
        self.simple = simple
        self.ranges = ranges
    }

    /// Computes the hashes of a tree. O(n).
    package init(of node: Node) {
        var hashing = ListenHashing(node)
        while true {
            if let hash = hashing.advance(by: .max) {
                self = hash
                return
            }
        }
    }
}
