/// Bounds the memory that a node takes, from above.
///
/// The size as JSON (`NodeSize`) tells too little here: a flag of four bytes takes a hundred in memory.
package enum NodeMemory {
    /// Bytes of a child, besides its key's and its value's text: 40 in its page, as many that the page
    /// may keep free, and its share of the branches above the page.
    private static let childByteCount = 96
    /// Bytes of a page: two objects with their heads, for a node with few children.
    private static let pageByteCount = 128
    /// Bytes of the object that a node with a priority has besides.
    private static let priorityByteCount = 64
    /// Bytes of text that a string holds without an object of its own.
    private static let shortTextByteCount = 15
    /// Bytes that the object of a longer text takes besides the text, with what the allocator rounds up.
    private static let textByteCount = 48

    /// At most so many bytes, besides the value itself. O(size of the node).
    package static func byteCount(_ node: Node) -> Int {
        var sum = node.priority.map { priorityByteCount + byteCount($0) } ?? 0
        if let leaf = node.leaf { return sum + byteCount(leaf) }
        if node.childCount > 0 { sum += pageByteCount }
        for child in node.children {
            sum += childByteCount + byteCount(child.key.text) + byteCount(child.node)
        }
        return sum
    }

    /// Bytes of a text beside the place where it stands.
    package static func byteCount(_ text: String) -> Int {
        let count = text.utf8.count
        return count > shortTextByteCount ? count + textByteCount : 0
    }

    private static func byteCount(_ leaf: LeafValue) -> Int {
        switch leaf {
        case .bool, .integer, .double: 0
        case .string(let text): byteCount(text)
        }
    }
}
