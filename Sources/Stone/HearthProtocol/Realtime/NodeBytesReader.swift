import HearthModel

/// Reads what `NodeBytesWriter` writes, and never beyond the end.
struct NodeBytesReader {
    private let bytes: [UInt8]
    private let depthMax: Int
    private let packs: Bool
    private var offset = 0

    /// Reads from the first byte on, and no node with more than `depthMax` keys above each other.
    ///
    /// - Parameter packs: Whether nodes come in little memory, dearer to look at.
    init(_ bytes: [UInt8], depthMax: Int, packs: Bool = false) {
        self.bytes = bytes
        self.depthMax = depthMax
        self.packs = packs
    }

    /// Whether all bytes have been read.
    var isAtEnd: Bool { offset == bytes.count }

    /// Refuses bytes that are left.
    func finish() throws(NodeBytes.Fault) {
        guard isAtEnd else { throw .tooLong }
    }

    /// Reads a node below so many other nodes.
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

    /// Reads the children of a node up to the first child that cannot be read, or not yet.
    ///
    /// - Parameter isWanted: Whether to take a child.
    /// - Throws: `NodeBytes.Fault` for bytes that are no beginning of a node with children.
    mutating func readBeginning(_ isWanted: (Node) -> Bool) throws(NodeBytes.Fault) -> Node {
        var kind = try readByte()
        if kind == 7 {
            guard try readLeaf(try readByte()) != nil else { throw .wrongKind(kind) }
            kind = try readByte()
        }
        guard kind == 6 else { throw .wrongKind(kind) }
        var left = try readNumber()
        var children: [(key: ChildKey, node: Node)] = []
        var last: ChildKey?
        while left > 0 {
            guard let child = try? readChild(depth: 0) else { break }
            guard last.map({ $0 < child.key }) ?? true else { throw .wrongOrder }
            last = child.key
            if isWanted(child.node) { children.append(child) }
            left -= 1
        }
        return packs ? Node(packing: children, priority: nil) : Node(children: children)
    }

    /// Reads a child of a node below so many other nodes.
    private mutating func readChild(
        depth: Int
    ) throws(NodeBytes.Fault) -> (key: ChildKey, node: Node) {
        guard let key = ChildKey(try readText()) else { throw .wrongText }
        let node = try readNode(depth: depth + 1)
        guard !node.isEmpty else { throw .wrongOrder }
        return (key, node)
    }

    private mutating func readContent(
        _ kind: UInt8, priority: LeafValue?, depth: Int
    ) throws(NodeBytes.Fault) -> Node {
        if kind == 0 { return .empty }
        if let leaf = try readLeaf(kind) { return Node(leaf, priority: priority) }
        guard kind == 6 else { throw .wrongKind(kind) }
        guard depth < depthMax else { throw .tooDeep }
        let count = try readNumber()
        // A child takes three bytes at least, so a count beyond the rest is refused before any room is made.
        guard count > 0, count <= UInt64(bytes.count - offset) / 3 else { throw .wrongNumber }
        if packs, let node = packedLeaves(Int(count), priority) { return node }
        var children: [(key: ChildKey, node: Node)] = []
        children.reserveCapacity(Int(count))
        for _ in 0..<count {
            let child = try readChild(depth: depth)
            guard children.last.map({ $0.key < child.key }) ?? true else { throw .wrongOrder }
            children.append(child)
        }
        return packs
            ? Node(packing: children, priority: priority)
            : Node(ordered: children, priority: priority)
    }

    /// Reads children that are all leaves and fit; `nil`, and nothing read, for others.
    private mutating func packedLeaves(_ count: Int, _ priority: LeafValue?) -> Node? {
        let node = bytes.withUnsafeBytes { bytes in
            Node(
                packing: count, from: UnsafeRawBufferPointer(rebasing: bytes[offset...]),
                priority: priority)
        }
        if let node { offset += node.packedBytes?.count ?? 0 }
        return node
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

    /// Reads a text.
    mutating func readText() throws(NodeBytes.Fault) -> String {
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
