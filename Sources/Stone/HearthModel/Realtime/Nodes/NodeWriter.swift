/// Writes nodes as JSON, in either of its forms.
package enum NodeWriter {
    /// The parts of a node to write.
    package enum Form: Sendable {
        /// Leaves and children alone; children that look like an array are one.
        case plain
        /// With `.priority` and `.value`, and no arrays: what a write sends and `format=export` answers.
        case export
    }

    /// Adds a node as JSON. O(n).
    ///
    /// - Parameters:
    ///   - node: The node.
    ///   - form: Whether priorities are written.
    ///   - bytes: The text so far. The call appends the node.
    package static func write(_ node: Node, as form: Form, to bytes: inout [UInt8]) {
        guard form == .export, let priority = node.priority else {
            return writeContent(node, as: form, to: &bytes)
        }
        if let leaf = node.leaf {
            bytes += #"{".value":"#.utf8
            write(leaf, to: &bytes)
            bytes += #",".priority":"#.utf8
        } else {
            bytes += #"{".priority":"#.utf8
        }
        write(priority, to: &bytes)
        for child in node.children {
            bytes.append(UInt8(ascii: ","))
            writeMember(child, as: form, to: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    /// Adds a leaf or a priority.
    ///
    /// Whole numbers have no fraction, as the service writes them.
    package static func write(_ leaf: LeafValue, to bytes: inout [UInt8]) {
        switch leaf {
        case .bool(let flag): bytes += (flag ? "true" : "false").utf8
        case .integer(let number): bytes += number.description.utf8
        case .double(let number):
            precondition(number.isFinite, "JSON has no \(number)")
            let text = number.description
            bytes += (text.utf8HasSuffix(".0") ? text.utf8.dropLast(2) : text.utf8[...])
        case .string(let text): JSONWriter.write(text, to: &bytes)
        }
    }

    private static func writeContent(_ node: Node, as form: Form, to bytes: inout [UInt8]) {
        if let leaf = node.leaf { return write(leaf, to: &bytes) }
        guard !node.isEmpty else {
            bytes += "null".utf8
            return
        }
        if form == .plain, node.arrayCount != nil { return writeArray(node, to: &bytes) }
        bytes.append(UInt8(ascii: "{"))
        var isFirst = true
        for child in node.children {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            writeMember(child, as: form, to: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private static func writeMember(
        _ child: NodeChildren.Element, as form: Form, to bytes: inout [UInt8]
    ) {
        JSONWriter.write(child.key.text, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        write(child.node, as: form, to: &bytes)
    }

    private static func writeArray(_ node: Node, to bytes: inout [UInt8]) {
        var place = 0
        for child in node.children {
            let key = Int(child.key.integer ?? 0)
            while place < key {
                bytes += (place == 0 ? "[null" : ",null").utf8
                place += 1
            }
            bytes.append(place == 0 ? UInt8(ascii: "[") : UInt8(ascii: ","))
            write(child.node, as: .plain, to: &bytes)
            place += 1
        }
        bytes.append(UInt8(ascii: "]"))
    }
}

extension Node {
    /// How long the array is that the children are read as; `nil` if they are none.
    ///
    /// All keys must be whole numbers without needless zeros, and more than half of the places taken.
    ///
    /// - Source: firebase-js-sdk `core/snap/ChildrenNode.ts`, val.
    package var arrayCount: Int? {
        guard let last = children.last?.key, let length = Self.arrayIndex(last),
            length < 2 * childCount,
            children.allSatisfy({ Self.arrayIndex($0.key) != nil })
        else { return nil }
        return length + 1
    }

    private static func arrayIndex(_ key: ChildKey) -> Int? {
        guard let index = key.integer, index >= 0,
            index == 0 ? key.text.utf8.count == 1 : key.text.utf8.first != UInt8(ascii: "0")
        else { return nil }
        return Int(index)
    }

    /// The bytes of the node as JSON. O(n).
    package func json(_ form: NodeWriter.Form) -> [UInt8] {
        var bytes: [UInt8] = []
        NodeWriter.write(self, as: form, to: &bytes)
        return bytes
    }

    /// Reads a node that leaves nothing to the server.
    ///
    /// - Parameters:
    ///   - bytes: The JSON.
    ///   - origin: Who wrote the bytes.
    ///   - depthMax: How many keys may be above each other.
    /// - Throws: `NodeError`; `refusedServerValue` if a value is left to the server.
    package init(
        json bytes: some Collection<UInt8>, from origin: NodeReader.Origin = .client,
        depthMax: Int = RealtimePath.depthMax
    ) throws(NodeError) {
        let read = try NodeReader.read(Array(bytes), from: origin, depthMax: depthMax)
        guard let node = read.node else { throw .refusedServerValue }
        self = node
    }

    /// Reads a node that leaves nothing to the server.
    ///
    /// - Throws: `NodeError`; `refusedServerValue` if a value is left to the server.
    package init(json text: String) throws(NodeError) {
        try self.init(json: text.utf8)
    }
}
