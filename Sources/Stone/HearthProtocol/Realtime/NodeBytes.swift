package import HearthModel

/// A node as it lies on disk: shorter than JSON, and written in less time.
///
/// Shape: a byte for the kind, then what belongs to it. 0 nothing; 1 false; 2 true; 3 whole number, a varint of
/// `number << 1 ^ number >> 63`; 4 double, eight bytes LE; 5 text; 6 children: how many, then of each the key, a
/// text, and its node, in the order of keys; 7 priority: a leaf, then a leaf or children. A text is its length as
/// a varint and its bytes.
package enum NodeBytes {
    /// How deep nodes may lie in each other: every path fits, however it came to be stored.
    package static let depthMax = ChildKey.byteCountMax

    /// Why bytes are no node.
    package enum Fault: Error, Hashable, Sendable {
        /// They end too early.
        case cutOff
        /// Something follows.
        case tooLong
        /// A kind is unknown, or not allowed where it stands.
        case wrongKind(UInt8)
        /// A text is no UTF-8, or a key is none.
        case wrongText
        /// Children are empty, or not in the order of their keys.
        case wrongOrder
        /// A number is none, or too large.
        case wrongNumber
        /// Nodes lie in each other deeper than `depthMax`.
        case tooDeep
    }

    /// The bytes of a node. O(n).
    package static func bytes(of node: Node) -> [UInt8] {
        var bytes: [UInt8] = []
        write(node, to: &bytes)
        return bytes
    }

    /// Reads a node that fills all of the bytes. O(n).
    ///
    /// - Throws: `Fault` for bytes that are not one node.
    package static func read(_ bytes: [UInt8]) throws(Fault) -> Node {
        var reader = NodeBytesReader(bytes)
        let node = try reader.readNode(depth: 0)
        try reader.finish()
        return node
    }

    private static func write(_ node: Node, to bytes: inout [UInt8]) {
        if let priority = node.priority {
            bytes.append(7)
            write(priority, to: &bytes)
        }
        if let leaf = node.leaf { return write(leaf, to: &bytes) }
        guard !node.isEmpty else { return bytes.append(0) }
        bytes.append(6)
        writeNumber(UInt64(node.childCount), to: &bytes)
        for child in node.children {
            writeText(child.key.text, to: &bytes)
            write(child.node, to: &bytes)
        }
    }

    private static func write(_ leaf: LeafValue, to bytes: inout [UInt8]) {
        switch leaf {
        case .bool(let flag): bytes.append(flag ? 2 : 1)
        case .integer(let number):
            bytes.append(3)
            writeNumber(UInt64(bitPattern: number << 1 ^ number >> 63), to: &bytes)
        case .double(let number):
            bytes.append(4)
            for shift in stride(from: UInt64(0), to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: number.bitPattern >> shift))
            }
        case .string(let text):
            bytes.append(5)
            writeText(text, to: &bytes)
        }
    }

    private static func writeText(_ text: String, to bytes: inout [UInt8]) {
        writeNumber(UInt64(text.utf8.count), to: &bytes)
        bytes += text.utf8
    }

    private static func writeNumber(_ number: UInt64, to bytes: inout [UInt8]) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}

/// Reads what `NodeBytes` writes, and never beyond the end.
private struct NodeBytesReader {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    func finish() throws(NodeBytes.Fault) {
        guard offset == bytes.count else { throw .tooLong }
    }

    mutating func readNode(depth: Int) throws(NodeBytes.Fault) -> Node {
        let kind = try readByte()
        guard kind == 7 else { return try readContent(kind, priority: nil, depth: depth) }
        guard let priority = try readLeaf(try readByte()), priority.canBePriority else {
            throw .wrongKind(kind)
        }
        let content = try readByte()
        guard content != 0 else { throw .wrongKind(content) }
        return try readContent(content, priority: priority, depth: depth)
    }

    private mutating func readContent(
        _ kind: UInt8, priority: LeafValue?, depth: Int
    ) throws(NodeBytes.Fault) -> Node {
        if kind == 0 { return .empty }
        if let leaf = try readLeaf(kind) { return Node(leaf, priority: priority) }
        guard kind == 6 else { throw .wrongKind(kind) }
        guard depth < NodeBytes.depthMax else { throw .tooDeep }
        let count = try readNumber()
        // A child takes three bytes at least, so a count beyond the rest is refused before any room is made.
        guard count > 0, count <= UInt64(bytes.count - offset) / 3 else { throw .wrongNumber }
        var children: [(key: ChildKey, node: Node)] = []
        children.reserveCapacity(Int(count))
        for _ in 0..<count {
            guard let key = ChildKey(try readText()) else { throw .wrongText }
            let node = try readNode(depth: depth + 1)
            guard !node.isEmpty, children.last.map({ $0.key < key }) ?? true else {
                throw .wrongOrder
            }
            children.append((key, node))
        }
        return Node(children: children, priority: priority)
    }

    /// Reads a leaf of this kind; `nil` if it is the kind of no leaf.
    private mutating func readLeaf(_ kind: UInt8) throws(NodeBytes.Fault) -> LeafValue? {
        switch kind {
        case 1: return .bool(false)
        case 2: return .bool(true)
        case 3:
            let number = Int64(bitPattern: try readNumber())
            return .integer(Int64(bitPattern: UInt64(bitPattern: number) >> 1) ^ -(number & 1))
        case 4:
            var pattern: UInt64 = 0
            for shift in stride(from: UInt64(0), to: 64, by: 8) {
                pattern |= UInt64(try readByte()) << shift
            }
            let number = Double(bitPattern: pattern)
            guard number.isFinite else { throw .wrongNumber }
            return .double(number)
        case 5: return .string(try readText())
        default: return nil
        }
    }

    private mutating func readText() throws(NodeBytes.Fault) -> String {
        let count = try readNumber()
        guard count <= UInt64(bytes.count - offset) else { throw .cutOff }
        let range = offset..<offset + Int(count)
        guard let text = String(validUTF8: bytes[range]) else { throw .wrongText }
        offset = range.upperBound
        return text
    }

    private mutating func readNumber() throws(NodeBytes.Fault) -> UInt64 {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            let byte = try readByte()
            guard shift < 63 || byte < 2 else { throw .wrongNumber }
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
        }
        throw .wrongNumber
    }

    private mutating func readByte() throws(NodeBytes.Fault) -> UInt8 {
        guard offset < bytes.count else { throw .cutOff }
        defer { offset += 1 }
        return bytes[offset]
    }
}
