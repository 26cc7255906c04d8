/// What two sides compare instead of a tree: the service's simple hash, its first version.
///
/// Shape of a leaf's text: `[priority:P:]P`, where P is `boolean:true`, `number:` with the sixteen
/// hexadecimal digits of a double, or `string:` with the text. Shape of the text of children:
/// `[priority:P:]`, then `:key:hash` of each, by priority and then by key. The hash is the SHA-1 of the text
/// in base 64; of nothing it is "".
///
/// - Source: firebase-js-sdk `core/snap/ChildrenNode.ts` and `LeafNode.ts`. iOS sorts by keys if all
///   children have priorities, which is its error.
package enum NodeHash {
    /// The hash of a tree: 28 characters, or none for nothing. O(n).
    package static func hash(of node: Node) -> String {
        let text = text(of: node)
        return text.isEmpty ? "" : SHA1.base64(of: text)
    }

    private static func text(of node: Node) -> [UInt8] {
        var text: [UInt8] = []
        if let leaf = node.leaf {
            appendLeaf(leaf, priority: node.priority, to: &text, quoting: false)
            return text
        }
        if let priority = node.priority { appendPriority(priority, to: &text, quoting: false) }
        let children =
            node.hasChildPriorities
            ? node.children.sorted { Self.precedes($0, $1) } : Array(node.children)
        for child in children {
            text.append(UInt8(ascii: ":"))
            text += child.key.text.utf8
            text.append(UInt8(ascii: ":"))
            text += hash(of: child.node).utf8
        }
        return text
    }

    static func precedes(
        _ left: NodeChildren.Element, _ right: NodeChildren.Element
    ) -> Bool {
        QueryIndex.priority.position(of: left) < QueryIndex.priority.position(of: right)
    }

    /// Adds a leaf's text.
    ///
    /// - Parameter quoting: Whether strings are in quotes, as in compound hashes.
    static func appendLeaf(
        _ leaf: LeafValue, priority: LeafValue?, to text: inout [UInt8], quoting: Bool
    ) {
        if let priority { appendPriority(priority, to: &text, quoting: quoting) }
        append(leaf, to: &text, quoting: quoting)
    }

    static func appendPriority(
        _ priority: LeafValue, to text: inout [UInt8], quoting: Bool
    ) {
        text += "priority:".utf8
        append(priority, to: &text, quoting: quoting)
        text.append(UInt8(ascii: ":"))
    }

    private static func append(_ leaf: LeafValue, to text: inout [UInt8], quoting: Bool) {
        switch leaf {
        case .bool(let flag): text += (flag ? "boolean:true" : "boolean:false").utf8
        case .integer(let number): append(Double(number), to: &text)
        case .double(let number): append(number, to: &text)
        case .string(let string):
            text += "string:".utf8
            if quoting {
                appendQuoted(string, to: &text)
            } else {
                text += string.utf8
            }
        }
    }

    /// Adds a text in quotes, with a backslash before quotes and backslashes.
    static func appendQuoted(_ string: String, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                text.append(UInt8(ascii: "\\"))
            }
            text.append(byte)
        }
        text.append(UInt8(ascii: "\""))
    }

    private static func append(_ number: Double, to text: inout [UInt8]) {
        text += "number:".utf8
        for shift in stride(from: 60, through: 0, by: -4) {
            text.append(digits[Int(number.bitPattern >> UInt64(shift) & 0xF)])
        }
    }

    private static let digits = Array("0123456789abcdef".utf8)
}
