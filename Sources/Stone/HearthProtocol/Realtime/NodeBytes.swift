package import HearthModel

/// A node as it lies on disk: shorter than JSON, and written in less time.
///
/// Shape: a byte for the kind, then what belongs to it. 0 nothing; 1 false; 2 true; 3 whole number, a varint of
/// `number << 1 ^ number >> 63`; 4 double, eight bytes LE; 5 text; 6 children: how many, then of each the key, a
/// text, and its node, in the order of keys; 7 priority: a leaf, then a leaf or children. A text is its length as
/// a varint and its bytes. Several nodes at places are each the place, a text, and the node.
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
        /// What is to be a priority is neither a number nor a string.
        case wrongPriority
    }

    /// The bytes of a node. O(n).
    package static func bytes(of node: Node) -> [UInt8] {
        var writer = NodeBytesWriter(node)
        return writer.next(byteCountMax: .max)
    }

    /// The bytes of a node that has no more than `countMax`; `nil` for a larger node.
    ///
    /// - Complexity: O(countMax + the longest text), however large the node is.
    package static func bytes(of node: Node, countMax: Int) -> [UInt8]? {
        var writer = NodeBytesWriter(node)
        // A byte more distinguishes a node that just fits from a larger node.
        let bytes = writer.next(byteCountMax: countMax == .max ? .max : countMax + 1)
        return writer.isAtEnd && bytes.count <= countMax ? bytes : nil
    }

    /// Reads a node that fills all of the bytes. O(n).
    ///
    /// - Parameters:
    ///   - depthMax: How deep nodes may lie in each other here.
    ///   - packs: Whether nodes come in little memory, dearer to look at (`Node.init(packing:)`).
    /// - Throws: `Fault` for bytes that are not one node.
    package static func read(
        _ bytes: [UInt8], depthMax: Int = NodeBytes.depthMax, packs: Bool = false
    ) throws(Fault) -> Node {
        var reader = NodeBytesReader(bytes, depthMax: depthMax, packs: packs)
        let node = try reader.readNode(depth: 0)
        try reader.finish()
        return node
    }

    /// Reads a node that fills all of the bytes, where they lie, into little memory. O(n).
    ///
    /// - Throws: `Fault` for bytes that are not one node.
    package static func readPacked(_ bytes: UnsafeRawBufferPointer) throws(Fault) -> Node {
        // Mostly there are a few leaves, which need no bytes of their own to be read from.
        if bytes.count > 2, bytes[0] == 6, bytes[1] < 0x80 {
            let leaves = UnsafeRawBufferPointer(rebasing: bytes[2...])
            if let node = Node(packing: Int(bytes[1]), from: leaves),
                node.packedBytes?.count == leaves.count
            {
                return node
            }
        }
        return try read(Array(bytes), packs: true)
    }

    /// Reads the first children of a node whose bytes have not all come. O(n).
    ///
    /// - Parameters:
    ///   - packs: As for `read`.
    ///   - isWanted: Whether to take a child.
    /// - Returns: The wanted ones of the children whose bytes have all come; `nil` for none, or for bytes
    ///   that are no beginning of such a node.
    package static func readBeginning(
        _ bytes: [UInt8], packs: Bool = false, isWanted: (Node) -> Bool
    ) -> Node? {
        var reader = NodeBytesReader(bytes, depthMax: depthMax, packs: packs)
        guard let node = try? reader.readBeginning(isWanted), !node.isEmpty else { return nil }
        return node
    }

    /// Reads places, each with the node there, that fill all of the bytes. O(n).
    ///
    /// - Parameter packs: As for `read`.
    /// - Throws: `Fault` for bytes that are anything else.
    package static func readPlaces(
        _ bytes: [UInt8], packs: Bool = false
    ) throws(Fault) -> [ViewNews.Placed] {
        var reader = NodeBytesReader(bytes, depthMax: depthMax, packs: packs)
        var places: [ViewNews.Placed] = []
        while !reader.isAtEnd {
            guard let place = WritePath(try reader.readText()) else { throw .wrongText }
            let node = try reader.readNode(depth: 0)
            guard !place.isPriority || node.canBePriority else { throw .wrongPriority }
            places.append(ViewNews.Placed(place, node))
        }
        return places
    }

    static func write(_ leaf: LeafValue, to bytes: inout [UInt8]) {
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

    static func writeText(_ text: String, to bytes: inout [UInt8]) {
        writeNumber(UInt64(text.utf8.count), to: &bytes)
        bytes += text.utf8
    }

    static func writeNumber(_ number: UInt64, to bytes: inout [UInt8]) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}

extension NodeBytes.Fault: CustomStringConvertible {
    package var description: String {
        switch self {
        case .cutOff: "The bytes of the node end too early."
        case .tooLong: "Bytes follow after the end of the node."
        case .wrongKind(let kind):
            "The bytes of the node hold the kind \(kind), which cannot stand there."
        case .wrongText: "A text is no UTF-8, or stands as a key and is none."
        case .wrongOrder: "Children are empty, or not in the order of their keys."
        case .wrongNumber: "A number is none, or larger than the Realtime Database can hold."
        case .tooDeep:
            "The node nests deeper than \(RealtimePath.depthMax) keys, counted from the root of the "
                + "database."
        case .wrongPriority: "A priority is neither a number nor a string."
        }
    }
}
