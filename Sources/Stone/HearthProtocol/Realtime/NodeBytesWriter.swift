package import HearthModel

/// Writes nodes in the form of `NodeBytes`, a part at a time, so that a large node holds up nobody.
///
/// The parts may be cut anywhere: they are read when all have come.
package struct NodeBytesWriter: Sendable {
    private enum Next: Sendable {
        /// The place, if several nodes are written, and the node with all below.
        case node(WritePath?, Node)
        /// The rest of a node's children.
        case children(NodeChildren.Iterator)
    }

    /// What is still to be written, the next last.
    private var rest: [Next]
    /// What was written beyond the part before.
    private var left: [UInt8] = []

    /// Begins with one node.
    package init(_ node: Node) {
        rest = [.node(nil, node)]
    }

    /// Begins with nodes at places, to be read by `NodeBytes.readPlaces`.
    package init(_ places: [ViewNews.Placed]) {
        rest = places.reversed().map { .node($0.place, $0.node) }
    }

    /// Whether all is written.
    package var isAtEnd: Bool { rest.isEmpty && left.isEmpty }

    /// The next part, empty only if nothing is left.
    ///
    /// - Parameter byteCountMax: The most bytes of the part, above 0.
    /// - Complexity: O(bytes of the part), and of one text.
    package mutating func next(byteCountMax: Int) -> [UInt8] {
        var bytes = left
        left = []
        while bytes.count < byteCountMax, let next = rest.popLast() {
            switch next {
            case .node(let place, let node):
                if let place { NodeBytes.writeText(place.description, to: &bytes) }
                write(node, to: &bytes)
            case .children(let children): write(children, to: &bytes, until: byteCountMax)
            }
        }
        guard bytes.count > byteCountMax else { return bytes }
        left = Array(bytes[byteCountMax...])
        return Array(bytes[..<byteCountMax])
    }

    private mutating func write(_ node: Node, to bytes: inout [UInt8]) {
        if let priority = node.priority {
            bytes.append(7)
            NodeBytes.write(priority, to: &bytes)
        }
        if let leaf = node.leaf { return NodeBytes.write(leaf, to: &bytes) }
        guard !node.isEmpty else { return bytes.append(0) }
        bytes.append(6)
        NodeBytes.writeNumber(UInt64(node.childCount), to: &bytes)
        if let leaves = node.packedBytes {
            bytes += leaves
        } else {
            rest.append(.children(node.children.makeIterator()))
        }
    }

    /// Writes children until the part is full, or until a child has children of its own.
    private mutating func write(
        _ children: NodeChildren.Iterator, to bytes: inout [UInt8], until byteCountMax: Int
    ) {
        var children = children
        while bytes.count < byteCountMax {
            guard let child = children.next() else { return }
            NodeBytes.writeText(child.key.text, to: &bytes)
            guard child.node.isLeaf else {
                rest.append(.children(children))
                return write(child.node, to: &bytes)
            }
            write(child.node, to: &bytes)
        }
        rest.append(.children(children))
    }
}
