import HearthModel

/// Reads what a program writes into a node.
///
/// A program writes strings, flags, numbers, `nil`, arrays, and dictionaries with strings as keys;
/// `ServerValue`; and the form with `.value` and `.priority`. What the Realtime Database cannot
/// hold is refused with the place where it stands.
struct UserNode {
    /// The place that is written, counted from the root.
    private let base: RealtimePath
    /// The keys from there down to the value that is being read.
    private var keys: [ChildKey] = []
    private var places: [UnresolvedNode.Place] = []

    private init(_ base: RealtimePath) {
        self.base = base
    }

    /// Reads a value for a place.
    ///
    /// - Parameter priority: The priority that the program gives beside the value; `nil` for none. A
    ///   `.priority` in the value itself goes before this priority.
    /// - Throws: `invalidArgument` for what cannot stand there.
    /// - Source: firebase-js-sdk `core/snap/nodeFromJSON.ts`; iOS has the same.
    static func read(
        _ value: Any?, priority: Any? = nil, at path: RealtimePath
    ) throws(DatabaseError) -> UnresolvedNode {
        var reader = UserNode(path)
        var node = try reader.node(value)
        if let priority = Self.unwrapped(priority),
            (Self.unwrapped(value) as? [String: Any])?[".priority"] == nil
        {
            node = try reader.giving(priority, to: node)
        }
        return UnresolvedNode(template: node, places: reader.places)
    }

    /// Reads a priority for a place, as the node that a write of the priority takes.
    ///
    /// - Throws: `invalidArgument` for what is no priority.
    static func readPriority(
        _ priority: Any?, at path: RealtimePath
    ) throws(DatabaseError) -> UnresolvedNode {
        guard let priority = unwrapped(priority) else { return UnresolvedNode(.empty) }
        switch try UserNode(path).priority(priority) {
        case .leaf(let leaf): return UnresolvedNode(Node(leaf))
        case .server(let value): return UnresolvedNode(value)
        }
    }

    /// Reads a flag, a number or a string.
    ///
    /// - Returns: `nil` for a value of another type.
    /// - Throws: `invalidArgument` for a number or a string that no leaf can hold.
    static func leaf(_ any: Any) throws(DatabaseError) -> LeafValue? {
        if let leaf = try foundationLeaf(any) { return leaf }
        switch any {
        case let text as String:
            guard text.utf8.count <= LeafValue.stringByteCountMax else {
                throw DatabaseError(
                    .invalidArgument, "\(NodeError.stringTooLong(byteCount: text.utf8.count))")
            }
            return .string(text)
        case let flag as Bool: return .bool(flag)
        case let number as Double: return try leaf(ofNumber: number)
        case let number as Float: return try leaf(ofNumber: Double(number))
        case let number as any BinaryInteger:
            if let exact = Int64(exactly: number) { return .integer(exact) }
            return try leaf(ofNumber: Double(number))
        case let time as Timestamp: return .integer(time.milliseconds)
        default: return nil
        }
    }

    private static func leaf(ofNumber number: Double) throws(DatabaseError) -> LeafValue {
        guard let leaf = LeafValue.number(number) else {
            throw DatabaseError(
                .invalidArgument, "\(number) is no number that the Realtime Database can hold.")
        }
        return leaf
    }

    /// Reads a number of Foundation's classes.
    private static func foundationLeaf(_ any: Any) throws(DatabaseError) -> LeafValue? {
        let scalar: Value?
        do throws(FirestoreError) {
            scalar = try FoundationScalar.value(of: any)
        } catch {
            guard let number = Double("\(any)") else {
                throw DatabaseError(
                    .invalidArgument, "\(any) is no number that the Realtime Database can hold.")
            }
            return try leaf(ofNumber: number)
        }
        switch scalar {
        case .boolean(let flag): return .bool(flag)
        case .integer(let number): return .integer(number)
        case .double(let number): return try leaf(ofNumber: number)
        default: return nil
        }
    }

    /// What a program put in; `nil` for an optional that holds nothing, and for a null of
    /// Foundation's or of Firestore's.
    static func unwrapped(_ any: Any?) -> Any? {
        guard let any else { return nil }
        if let optional = any as? any AnyOptional {
            return unwrapped(optional.unwrapped)
        }
        if any is FirestoreNull { return nil }
        guard type(of: any) is AnyClass else { return any }
        return String(reflecting: type(of: any)) == "Foundation.NSNull" ? nil : any
    }
}

extension UserNode {
    private mutating func node(_ value: Any?) throws(DatabaseError) -> Node {
        guard let value = Self.unwrapped(value) else { return .empty }
        if let order = value as? FieldValue {
            guard case .transform(let operation) = order.order,
                let server = Self.serverValue(operation)
            else {
                throw refused(
                    "A FieldValue of Firestore's stands here; the Realtime Database has "
                        + "ServerValue.timestamp() and ServerValue.increment(_:)")
            }
            return leave(to: server)
        }
        do throws(DatabaseError) {
            if let leaf = try Self.leaf(value) { return Node(leaf) }
        } catch {
            throw refused(error.message.withoutStop)
        }
        if let members = value as? [String: Any] { return try object(members, members) }
        if let map = value as? SpelledMap {
            return try object(
                map.dictionary, map.fields.map { (key: $0.name, value: $0.value as Any) })
        }
        if let elements = value as? [Any] { return try array(elements) }
        if value is [AnyHashable: Any] {
            throw refused("A dictionary has keys that are no strings; all keys must be strings")
        }
        throw refused(
            "A \(type(of: value)) is none of the Realtime Database's values; write strings, flags, "
                + "numbers, arrays and dictionaries of these, or use setValue(from:) for types of "
                + "your own")
    }

    private static func serverValue(
        _ operation: FieldTransform.Operation
    ) -> HearthModel.ServerValue? {
        switch operation {
        case .serverTimestamp: .timestamp
        case .increment(.integer(let delta)): .increment(.integer(delta))
        case .increment(.double(let delta)): LeafValue.number(delta).map { .increment($0) }
        default: nil
        }
    }

    private mutating func array(_ elements: [Any]) throws(DatabaseError) -> Node {
        var children: [(key: ChildKey, node: Node)] = []
        for (index, element) in elements.enumerated() {
            let key = ChildKey(unchecked: "\(index)")
            children.append((key, try child(key, element)))
        }
        return Node(children: children)
    }

    private mutating func child(_ key: ChildKey, _ value: Any?) throws(DatabaseError) -> Node {
        guard base.depth + keys.count < RealtimePath.depthMax else {
            throw refused("\(NodeError.tooDeep(depthMax: RealtimePath.depthMax))".withoutStop)
        }
        keys.append(key)
        let node = try node(value)
        keys.removeLast()
        return node
    }

    /// - Parameter children: The members told apart by their bytes; those that begin with a dot are
    ///   the same as in `members`.
    private mutating func object(
        _ members: [String: Any], _ children: some Collection<(key: String, value: Any)>
    ) throws(DatabaseError) -> Node {
        if let order = members[".sv"] {
            guard members.count == 1 else {
                throw refused("A .sv stands beside other members; it must stand alone")
            }
            return leave(to: try serverValue(order))
        }
        var node: Node
        if let value = members[".value"] {
            guard members.keys.allSatisfy({ $0 == ".value" || $0 == ".priority" }) else {
                throw refused("A .value stands beside children; only .priority may stand beside it")
            }
            node = try self.node(value)
            guard node.isEmpty || node.isLeaf else {
                throw refused("A .value holds children; it must be a string, a flag or a number")
            }
        } else {
            node = try self.children(children)
        }
        if let priority = Self.unwrapped(members[".priority"]) {
            node = try giving(priority, to: node)
        }
        return node
    }

    private mutating func children(
        _ members: some Collection<(key: String, value: Any)>
    ) throws(DatabaseError) -> Node {
        var children: [(key: ChildKey, node: Node)] = []
        children.reserveCapacity(members.count)
        for (name, value) in members where name != ".priority" {
            if let fault = ChildKey.fault(of: name) {
                throw refused("\(NodeError.refusedKey(name, reason: fault))".withoutStop)
            }
            let key = ChildKey(unchecked: name)
            children.append((key, try child(key, value)))
        }
        return Node(children: children)
    }

    private mutating func leave(to value: HearthModel.ServerValue) -> Node {
        places.append(.init(RealtimePath(keys), isPriority: false, value: value))
        return Node(UnresolvedNode.placeholder)
    }
}

/// Priorities, and values for the server.
extension UserNode {
    private enum Priority {
        case leaf(LeafValue)
        case server(HearthModel.ServerValue)
    }

    private mutating func giving(_ priority: Any, to node: Node) throws(DatabaseError) -> Node {
        let read = try self.priority(priority)
        guard !node.isEmpty else { return node }  // Nothing cannot have a priority.
        switch read {
        case .leaf(let leaf): return node.settingPriority(leaf)
        case .server(let value):
            places.append(.init(RealtimePath(keys), isPriority: true, value: value))
            return node.settingPriority(UnresolvedNode.placeholder)
        }
    }

    private func priority(_ any: Any) throws(DatabaseError) -> Priority {
        if let members = any as? [String: Any], let order = members[".sv"], members.count == 1 {
            return .server(try serverValue(order))
        }
        guard let leaf = try Self.leaf(any), leaf.canBePriority else {
            let kind =
                switch any {
                case is Bool: "A flag"
                case is [String: Any]: "An object"
                case is [Any]: "An array"
                default: "A \(type(of: any))"
                }
            throw refused("\(kind) is no priority; give text, a number or nothing")
        }
        return .leaf(leaf)
    }

    private func serverValue(_ any: Any) throws(DatabaseError) -> HearthModel.ServerValue {
        if let name = any as? String, name == "timestamp" { return .timestamp }
        if let members = any as? [String: Any], members.count == 1,
            let delta = members["increment"], let leaf = try Self.leaf(delta), leaf.number != nil
        {
            return .increment(leaf)
        }
        throw refused(
            "A .sv is none of the server's values; there are {\".sv\": \"timestamp\"} and "
                + "{\".sv\": {\"increment\": 5}}")
    }

    /// The error for a value that cannot stand at the place that is being read.
    private func refused(_ what: String) -> DatabaseError {
        DatabaseError(
            .invalidArgument, "\(what) (at \(base.appending(RealtimePath(keys)))).")
    }
}

extension String {
    /// The sentence without its full stop.
    var withoutStop: String { String(dropLast()) }
}
