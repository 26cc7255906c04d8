import Hearth

/// Values of the Realtime Database, which has fewer types than Firestore.
extension ValueLiteral {
    /// The value as the library takes it; `nil` for null.
    ///
    /// - Throws: A type that the Realtime Database lacks.
    func treeValue() throws(Failure) -> (any Sendable)? {
        switch self {
        case .null: return nil
        case .boolean(let flag): return flag
        case .integer(let number): return Int(number)
        case .double(let number): return number
        case .string(let text): return text
        case .array(let elements):
            var values: [(any Sendable)?] = []
            for element in elements { values.append(try element.treeValue()) }
            return values
        case .map(let fields):
            var values: [SpelledMap.Field] = []
            for field in fields {
                // Null removes, so a child that is null is as good as none.
                if let value = try field.value.treeValue() {
                    values.append(.init(field.name, value))
                }
            }
            return SpelledMap(values).simplest
        case .order(.serverTimestamp): return Self.server("timestamp")
        case .order(.increment(.integer(let delta))): return Self.server(["increment": Int(delta)])
        case .order(.increment(.double(let delta))): return Self.server(["increment": delta])
        case .order(.delete): return nil
        case .timestamp, .bytes, .reference, .geoPoint, .vector, .order:
            throw Failure(
                .usage, "The Realtime Database has no \(kind); it has text, numbers and flags.")
        }
    }

    /// What the server fills in.
    private static func server(_ value: any Sendable) -> [String: any Sendable] { [".sv": value] }

    /// The children to write together, by their paths.
    ///
    /// - Throws: `Failure` `usage` if this is no object.
    func treeUpdate() throws(Failure) -> [AnyHashable: Any] {
        guard let fields else {
            throw Failure(.usage, "An update needs an object: paths with their values.")
        }
        var values: [AnyHashable: Any] = [:]
        for field in fields {
            if values[field.name] != nil {
                throw Failure(
                    .usage,
                    "The update has the path \"\(field.name)\" in two spellings. Write one by one.")
            }
            // In a dictionary of this type a nil would be no entry, and a place must be removed.
            values.updateValue(try field.value.treeValue() as Any, forKey: field.name)
        }
        return values
    }

    /// What a snapshot shows, its children in the order of the query.
    ///
    /// - Parameter withPriorities: Whether priorities are told too, as `set` reads them.
    init(showing snapshot: DataSnapshot, withPriorities: Bool = false) {
        var fields: [Field] = []
        if withPriorities, let priority = snapshot.priority {
            fields.append(Field(name: ".priority", value: ValueLiteral(leaf: priority)))
        }
        guard snapshot.hasChildren() else {
            let leaf = ValueLiteral(leaf: snapshot.value)
            self = fields.isEmpty ? leaf : .map(fields + [Field(name: ".value", value: leaf)])
            return
        }
        for child in snapshot.children {
            fields.append(
                Field(
                    name: child.key,
                    value: ValueLiteral(showing: child, withPriorities: withPriorities)))
        }
        self = .map(fields)
    }

    private init(leaf: Any?) {
        switch leaf {
        case let flag as Bool: self = .boolean(flag)
        case let number as Int: self = .integer(Int64(number))
        case let number as Double: self = .double(number)
        case let text as String: self = .string(text)
        default: self = .null
        }
    }
}
