import HearthModel

/// A value of the Realtime Database's rules language.
enum RealtimeRuleValue: Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case double(Double)
    case string(String)
    /// An object or a list of `auth`.
    case claims(JSONValue)
    /// What a place with children holds.
    case tree(Node)
    /// A place of the database.
    case snapshot(RuleSnapshot)

    /// What a place holds, its priority aside.
    init(_ node: Node) {
        if let leaf = node.leaf {
            self.init(leaf)
        } else {
            self = node.isEmpty ? .null : .tree(node)
        }
    }

    /// A value without children, or none.
    init(_ leaf: LeafValue?) {
        switch leaf {
        case nil: self = .null
        case .bool(let flag): self = .boolean(flag)
        case .integer(let number): self = .integer(number)
        case .double(let number): self = .double(number)
        case .string(let text): self = .string(text)
        }
    }

    /// `auth`, or a part of it.
    init(claims: JSONValue?) {
        switch claims {
        case nil, .null: self = .null
        case .boolean(let flag): self = .boolean(flag)
        case .integer(let number): self = .integer(number)
        case .double(let number): self = .double(number)
        case .string(let text): self = .string(text)
        case .array(let elements): self = .claims(.array(elements))
        case .object(let members): self = .claims(.object(members))
        }
    }

    /// The number as a double, if this is one.
    var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .double(let number): number
        case .null, .boolean, .string, .claims, .tree, .snapshot: nil
        }
    }

    /// The text, if this is one.
    var text: String? {
        if case .string(let text) = self { return text }
        return nil
    }

    /// The type's name, as errors have it.
    var typeName: String {
        switch self {
        case .null: "null"
        case .boolean: "a boolean"
        case .integer, .double: "a number"
        case .string: "a string"
        case .claims: "a part of auth"
        case .tree: "an object"
        case .snapshot: "a snapshot"
        }
    }
}

extension RealtimeRuleValue {
    /// The value as coverage tells it.
    ///
    /// Coverage tells a snapshot by its path, and tells only the first children of a value with
    /// children.
    var noted: RuleValue {
        switch self {
        case .null: .null
        case .boolean(let flag): .boolean(flag)
        case .integer(let number): .integer(number)
        case .double(let number): .float(number)
        case .string(let text): .string(text)
        case .claims(let claims): Self.noted(claims)
        case .tree(let node): .map(Self.noted(node))
        case .snapshot(let snapshot): .path(RulePath(snapshot.keys.map(\.text)))
        }
    }

    private static func noted(_ claims: JSONValue) -> RuleValue {
        switch claims {
        case .array(let elements):
            .list(
                elements.prefix(RulesLimits.notedElementCountMax).map {
                    RealtimeRuleValue(claims: $0).noted
                })
        case .object(let members):
            .map(
                RuleMap(
                    members.prefix(RulesLimits.notedElementCountMax).map {
                        ($0.name, RealtimeRuleValue(claims: $0.value).noted)
                    }))
        case .null, .boolean, .integer, .double, .string: RealtimeRuleValue(claims: claims).noted
        }
    }

    /// Tells the children of a node; of children that have children themselves, only the names.
    private static func noted(_ node: Node) -> RuleMap {
        RuleMap(
            node.children.prefix(RulesLimits.notedElementCountMax).map { key, child in
                (key.text, child.isLeaf ? RealtimeRuleValue(child).noted : .map(RuleMap([])))
            })
    }
}
