/// A few leaves by key, as bytes: for what is kept for long and looked at seldom.
///
/// A program that listens keeps each child of a place. Side by side as values, three strings and numbers
/// take 220 bytes, and as bytes 80. Whoever looks at a leaf reads the bytes, each time anew.
///
/// Shape: how many leaves, a byte; about how many bytes they have as JSON, two bytes LE; then the body, of
/// each leaf its key, a text, and a byte for the kind with what belongs to it. 1 false; 2 true; 3 whole number, a
/// varint of `number << 1 ^ number >> 63`; 4 double, eight bytes LE; 5 text. A text is its length as a varint and its
/// bytes. Leaves in the form of `NodeBytes` have the same body, so between the two the body is copied.
struct PackedLeaves: Sendable {
    /// More bytes are not packed, since each look at a leaf reads the leaves before it.
    static let byteCountMax = 512
    static let headByteCount = 3
    /// A longer text is not packed.
    static let textByteCountMax = 255

    private let bytes: [UInt8]

    /// Packs children in the order of their keys, none twice.
    ///
    /// - Returns: `nil` if there are none, or too many, or some are no leaves or have a priority.
    init?(_ children: [(key: ChildKey, node: Node)]) {
        guard 1...255 ~= children.count else { return nil }
        var bytes = [UInt8](repeating: 0, count: Self.headByteCount)
        bytes[0] = UInt8(children.count)
        var estimate = 0
        for child in children {
            guard child.node.priority == nil, let leaf = child.node.leaf,
                Self.write(child.key.text, to: &bytes), Self.write(leaf, to: &bytes),
                bytes.count <= Self.byteCountMax
            else { return nil }
            estimate += ChildTree.Child(key: child.key, node: child.node).byteCount
        }
        bytes[1] = UInt8(truncatingIfNeeded: estimate)
        bytes[2] = UInt8(truncatingIfNeeded: estimate >> 8)
        self.bytes = Array(bytes[...])  // Without room to spare.
    }

    /// Copies a body that may come from anywhere.
    ///
    /// - Parameters:
    ///   - count: How many leaves are to come.
    ///   - bytes: The body, and whatever follows the body.
    /// - Returns: `nil` if the bytes do not begin with so many leaves that can be packed.
    init?(count: Int, from bytes: UnsafeRawBufferPointer) {
        guard 1...255 ~= count,
            let body = PackedBody(
                count: count, in: bytes, byteCountMax: Self.byteCountMax - Self.headByteCount)
        else { return nil }
        // Faster than an array of uninitialised bytes, whose type is looked up each time.
        var packed: [UInt8] = []
        packed.reserveCapacity(Self.headByteCount + body.byteCount)
        packed.append(UInt8(count))
        packed.append(UInt8(truncatingIfNeeded: body.jsonByteCount))
        packed.append(UInt8(truncatingIfNeeded: body.jsonByteCount >> 8))
        packed.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[..<body.byteCount]))
        self.bytes = packed
    }

    /// The leaves in the form of `NodeBytes`.
    var body: ArraySlice<UInt8> { bytes[Self.headByteCount...] }

    /// Whether both have the same bytes, and so the same leaves.
    func isSame(as other: PackedLeaves) -> Bool { bytes == other.bytes }

    /// How many leaves there are.
    var count: Int { Int(bytes[0]) }

    /// About how many bytes the leaves have as JSON, with their keys.
    var jsonByteCount: Int { Int(bytes[1]) | Int(bytes[2]) << 8 }

    /// The leaves as children. O(bytes).
    var tree: ChildTree {
        var children: [ChildTree.Child] = []
        children.reserveCapacity(count)
        var reader = Reader(bytes)
        while let key = reader.nextText() {
            let key = ChildKey(unchecked: String(decoding: key, as: UTF8.self))
            children.append(.init(key: key, node: Node(reader.leaf())))
        }
        return ChildTree(sorted: children)
    }

    /// The leaf of a key; `nil` if there is none. O(bytes).
    func find(_ key: ChildKey) -> Node? {
        var reader = Reader(bytes)
        while let next = reader.nextText() {
            if next.elementsEqual(key.text.utf8) { return Node(reader.leaf()) }
            reader.skipLeaf()
        }
        return nil
    }

    // MARK: Writing

    /// - Returns: False if the text is too long.
    private static func write(_ text: String, to bytes: inout [UInt8]) -> Bool {
        let count = text.utf8.count
        guard count <= textByteCountMax else { return false }
        if count >= 0x80 { bytes.append(UInt8(truncatingIfNeeded: count) | 0x80) }
        bytes.append(UInt8(count < 0x80 ? count : count >> 7))
        bytes += text.utf8
        return true
    }

    /// - Returns: False if the leaf is too long.
    private static func write(_ leaf: LeafValue, to bytes: inout [UInt8]) -> Bool {
        switch leaf {
        case .bool(let flag): bytes.append(flag ? 2 : 1)
        case .integer(let number):
            bytes.append(3)
            var rest = UInt64(bitPattern: number << 1 ^ number >> 63)
            while rest >= 0x80 {
                bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
                rest >>= 7
            }
            bytes.append(UInt8(rest))
        case .double(let number):
            bytes.append(4)
            for shift in stride(from: UInt64(0), to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: number.bitPattern >> shift))
            }
        case .string(let text):
            bytes.append(5)
            return write(text, to: &bytes)
        }
        return true
    }
}

extension PackedLeaves: Equatable {
    static func == (lhs: Self, rhs: Self) -> Bool {
        // A number may be written in two ways.
        lhs.bytes == rhs.bytes || lhs.count == rhs.count && lhs.tree == rhs.tree
    }
}

/// Reads what `PackedLeaves` has written or `PackedBody` has checked: what else stands there is our own bug.
private struct Reader {
    private let bytes: [UInt8]
    private var offset = 3

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The next key; `nil` at the end.
    mutating func nextText() -> ArraySlice<UInt8>? { offset < bytes.count ? text() : nil }

    private mutating func text() -> ArraySlice<UInt8> {
        var count = Int(bytes[offset])
        offset += 1
        if count >= 0x80 {
            count += (Int(bytes[offset]) - 1) << 7
            offset += 1
        }
        defer { offset += count }
        return bytes[offset..<offset + count]
    }

    mutating func leaf() -> LeafValue {
        defer { offset += 1 }
        switch bytes[offset] {
        case 1: return .bool(false)
        case 2: return .bool(true)
        case 3:
            var (number, shift): (UInt64, UInt64) = (0, 0)
            repeat {
                offset += 1
                number |= UInt64(bytes[offset] & 0x7F) << shift
                shift += 7
            } while bytes[offset] >= 0x80
            return .integer(Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1))
        case 4:
            let pattern = bytes[offset + 1...offset + 8].reversed().reduce(UInt64(0)) {
                $0 << 8 | UInt64($1)
            }
            offset += 8
            return .double(Double(bitPattern: pattern))
        case 5:
            offset += 1
            let text = text()
            offset -= 1
            return .string(String(decoding: text, as: UTF8.self))
        case let kind: preconditionFailure("A packed leaf of kind \(kind)")
        }
    }

    mutating func skipLeaf() {
        switch bytes[offset] {
        case 3:
            repeat { offset += 1 } while bytes[offset] >= 0x80
            offset += 1
        case 4: offset += 9
        case 5:
            offset += 1
            _ = text()
        default: offset += 1
        }
    }
}
