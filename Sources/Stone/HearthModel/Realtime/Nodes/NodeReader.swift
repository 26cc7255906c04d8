/// Reads nodes straight from the bytes of JSON, in both of its forms.
///
/// Shape: `{"key": child}`, `[child]` with the places as keys, a leaf, or null for nothing. A node with a
/// priority is `{".value": leaf, ".priority": p}` or has `.priority` beside its children. `{".sv": …}`
/// leaves a leaf or a priority to the server.
///
/// Bounded whatever it is given: it calls itself no deeper than a path may be.
/// - Source: firebase-js-sdk `core/snap/nodeFromJSON.ts`, `core/util/validation.ts`.
package struct NodeReader {
    /// Who wrote the text.
    package enum Origin: Sendable {
        /// A client that wants it stored: what the service refuses is refused.
        case client
        /// The service: other members that begin with a dot are passed over, as SDKs do.
        case server
    }

    private let origin: Origin
    private let depthMax: Int
    private var cursor: JSONCursor
    private var path: [ChildKey] = []
    private var places: [UnresolvedNode.Place] = []

    private init(_ cursor: JSONCursor, origin: Origin, depthMax: Int) {
        self.cursor = cursor
        self.origin = origin
        self.depthMax = depthMax
    }

    /// Reads one node; `bytes` may hold nothing else except white space around the node.
    ///
    /// - Parameters:
    ///   - bytes: The JSON.
    ///   - origin: Who wrote the bytes.
    ///   - depthMax: How many keys may be above each other: `RealtimePath.depthMax` less those
    ///     above the node.
    /// - Throws: `NodeError` for bytes that are not JSON, or not a node that may be stored.
    /// - Complexity: O(n) if members come in the order of keys, else O(n log n).
    package static func read(
        _ bytes: [UInt8], from origin: Origin = .client, depthMax: Int = RealtimePath.depthMax
    ) throws(NodeError) -> UnresolvedNode {
        try read(toEndOf: JSONCursor(bytes), from: origin, depthMax: depthMax)
    }

    /// Reads a node that goes from where a cursor stands to the end of the text.
    ///
    /// - Parameters:
    ///   - cursor: Stands at the node's first byte.
    ///   - origin: Whose node the text is.
    ///   - depthMax: How many keys may be above each other.
    /// - Throws: `NodeError` for bytes that are not JSON, or not a node that may be stored.
    package static func read(
        toEndOf cursor: JSONCursor, from origin: Origin = .client,
        depthMax: Int = RealtimePath.depthMax
    ) throws(NodeError) -> UnresolvedNode {
        var cursor = cursor
        let node = try read(&cursor, from: origin, depthMax: depthMax)
        do {
            try cursor.finish()
        } catch {
            throw .notJSON(error)
        }
        return node
    }

    /// Reads one node out of a longer text, and leaves the cursor behind the node.
    ///
    /// - Parameter depthMax: How many keys may be above each other, as for
    ///   `read(_:from:depthMax:)`.
    /// - Throws: `NodeError` for a text that is not JSON, or not a node that may be stored.
    package static func read(
        _ cursor: inout JSONCursor, from origin: Origin, depthMax: Int = RealtimePath.depthMax
    ) throws(NodeError) -> UnresolvedNode {
        var reader = NodeReader(cursor, origin: origin, depthMax: depthMax)
        let node = try reader.readNode()
        cursor = reader.cursor
        return UnresolvedNode(template: node, places: reader.places)
    }

    private mutating func readNode() throws(NodeError) -> Node {
        cursor.skipSpace()
        switch cursor.next {
        case UInt8(ascii: "{"): return try readObject()
        case UInt8(ascii: "["): return try readArray()
        default: return try readLeaf().map { Node($0) } ?? .empty
        }
    }

    /// Reads a leaf; `nil` for null.
    private mutating func readLeaf() throws(NodeError) -> LeafValue? {
        cursor.skipSpace()
        let leaf: LeafValue?
        do {
            leaf = try cursor.readLeaf()
        } catch {
            throw .notJSON(error)
        }
        if case .string(let text) = leaf, text.utf8.count > LeafValue.stringByteCountMax {
            throw .stringTooLong(byteCount: text.utf8.count)
        }
        return leaf
    }
}

extension JSONCursor {
    /// Passes a leaf; `nil` for null.
    mutating func readLeaf() throws(JSONError) -> LeafValue? {
        switch next {
        case UInt8(ascii: "\""): return .string(try readString())
        case UInt8(ascii: "t"):
            try readWord("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try readWord("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try readWord("null")
            return nil
        case UInt8(ascii: "-"), .some(UInt8(ascii: "0")...UInt8(ascii: "9")):
            switch try readNumber() {
            case .integer(let number): return .integer(number)
            case .double(let number): return LeafValue.number(number)
            }
        default: throw error("no value starts like this")
        }
    }
}

extension NodeReader {
    private mutating func readArray() throws(NodeError) -> Node {
        let end = UInt8(ascii: "]")
        var children: [ChildTree.Child] = []
        guard cursor.enter(until: end) else { return .empty }
        var index = 0
        repeat {
            let key = ChildKey(unchecked: String(index))
            let node = try readChild(key)
            if !node.isEmpty { children.append(.init(key: key, node: node)) }
            index += 1
        } while try goesOn(until: end)
        return Node(sorted: children, priority: nil)
    }

    private mutating func readObject() throws(NodeError) -> Node {
        let end = UInt8(ascii: "}")
        guard cursor.enter(until: end) else { return .empty }
        var members = Members()
        repeat { try readMember(into: &members) } while try goesOn(until: end)
        return try node(of: members)
    }

    /// What an object is made of.
    private struct Members {
        var children: [ChildTree.Child] = []
        var isSorted = true
        /// Keys whose values are null, which are no children but may not come twice either.
        var absent: [ChildKey] = []
        var leaf: LeafValue?
        var priority: LeafValue?
        var serverValue: ServerValue?
        var serverPriority: ServerValue?
        var metadata: Set<String> = []
    }

    private mutating func readMember(into members: inout Members) throws(NodeError) {
        let name = try readName()
        guard name.utf8.first == UInt8(ascii: ".") else {
            return try readChild(named: name, into: &members)
        }
        guard members.metadata.insert(name).inserted else { throw .duplicateKey(name) }
        switch name {
        case ".priority": try readPriority(into: &members)
        case ".value": try readValue(into: &members)
        case ".sv": members.serverValue = try readServerValue()
        default:
            guard origin == .server else {
                throw .refusedKey(name, reason: "it begins with a dot")
            }
            try skipValue()
        }
    }

    private mutating func readChild(
        named name: String, into members: inout Members
    ) throws(NodeError) {
        if let fault = ChildKey.fault(of: name) { throw .refusedKey(name, reason: fault) }
        let key = ChildKey(unchecked: name)
        let node = try readChild(key)
        guard !node.isEmpty else {
            members.absent.append(key)
            return
        }
        if let last = members.children.last, key <= last.key { members.isSorted = false }
        members.children.append(.init(key: key, node: node))
    }

    private mutating func readChild(_ key: ChildKey) throws(NodeError) -> Node {
        guard path.count < depthMax else { throw .tooDeep(depthMax: depthMax) }
        path.append(key)
        let node = try readNode()
        path.removeLast()
        return node
    }

    private mutating func node(of members: Members) throws(NodeError) -> Node {
        let hasLeaf = members.leaf != nil || members.serverValue != nil
        let hasChildren = !members.children.isEmpty
        if origin == .client, hasLeaf, hasChildren || !members.absent.isEmpty {
            throw members.leaf != nil ? .refusedValue : .refusedServerValue
        }
        let priority =
            members.serverPriority == nil
            ? members.priority : UnresolvedNode.placeholder
        let isThere = hasLeaf || hasChildren
        if isThere, let value = members.serverValue { note(value, isPriority: false) }
        if isThere, let value = members.serverPriority { note(value, isPriority: true) }
        if members.serverValue != nil {
            return Node(UnresolvedNode.placeholder, priority: priority)
        }
        if let leaf = members.leaf { return Node(leaf, priority: priority) }
        return Node(sorted: try sorted(members), priority: priority)
    }

    private mutating func note(_ value: ServerValue, isPriority: Bool) {
        places.append(.init(RealtimePath(path), isPriority: isPriority, value: value))
    }

    private func sorted(_ members: Members) throws(NodeError) -> [ChildTree.Child] {
        if members.isSorted, members.absent.isEmpty { return members.children }
        let children = members.children.sorted { $0.key < $1.key }
        let names = (members.absent + children.map(\.key)).sorted()
        for (left, right) in zip(names, names.dropFirst()) where left == right {
            throw .duplicateKey(left.text)
        }
        return children
    }
}

/// Members that begin with a dot.
extension NodeReader {
    private mutating func readValue(into members: inout Members) throws(NodeError) {
        cursor.skipSpace()
        switch cursor.next {
        case UInt8(ascii: "{"):
            guard members.serverValue == nil else { throw .refusedServerValue }
            members.serverValue = try readServerObject(or: .refusedValue)
        case UInt8(ascii: "["): throw .refusedValue
        default: members.leaf = try readLeaf()
        }
    }

    private mutating func readPriority(into members: inout Members) throws(NodeError) {
        cursor.skipSpace()
        switch cursor.next {
        case UInt8(ascii: "{"): members.serverPriority = try readServerObject(or: .refusedPriority)
        case UInt8(ascii: "["): throw .refusedPriority
        default:
            members.priority = try readLeaf()
            guard members.priority?.canBePriority ?? true else { throw .refusedPriority }
        }
    }

    /// Reads `{".sv": …}`, which has no other members.
    ///
    /// - Parameter refusal: What any other object is refused with.
    private mutating func readServerObject(or refusal: NodeError) throws(NodeError) -> ServerValue {
        guard cursor.enter(until: UInt8(ascii: "}")), try readName() == ".sv" else { throw refusal }
        let value = try readServerValue()
        guard try !goesOn(until: UInt8(ascii: "}")) else { throw .refusedServerValue }
        return value
    }

    /// Reads what stands behind `.sv`.
    private mutating func readServerValue() throws(NodeError) -> ServerValue {
        cursor.skipSpace()
        guard cursor.next == UInt8(ascii: "{") else {
            guard case .string("timestamp") = try readLeaf() else { throw .refusedServerValue }
            return .timestamp
        }
        guard cursor.enter(until: UInt8(ascii: "}")), try readName() == "increment" else {
            throw .refusedServerValue
        }
        guard let delta = try readLeaf(), delta.number != nil,
            try !goesOn(until: UInt8(ascii: "}"))
        else { throw .refusedServerValue }
        return .increment(delta)
    }

    private mutating func readName() throws(NodeError) -> String {
        do {
            return try cursor.readName()
        } catch {
            throw .notJSON(error)
        }
    }

    private mutating func goesOn(until end: UInt8) throws(NodeError) -> Bool {
        do {
            return try cursor.goesOn(until: end)
        } catch {
            throw .notJSON(error)
        }
    }

    private mutating func skipValue() throws(NodeError) {
        do {
            try cursor.skipValue()
        } catch {
            throw .notJSON(error)
        }
    }
}
