import Hearth

extension ValueLiteral {
    /// The form that the library takes: a value of Swift, or a `FieldValue`.
    func encoded(in firestore: Firestore) throws -> any Sendable {
        try encoded(in: firestore) { try $0.encoded(in: firestore) }
    }

    /// The same where orders stand for something else, or must not be.
    func encoded(
        in firestore: Firestore, order encodeOrder: (Order) throws -> any Sendable
    ) throws -> any Sendable {
        switch self {
        case .null: return FirestoreNull()
        case .boolean(let flag): return flag
        case .integer(let number): return number
        case .double(let number): return number
        case .timestamp(let time): return time
        case .string(let text): return text
        case .bytes(let bytes): return bytes
        case .reference(let name): return try firestore.validatedReference(name)
        case .geoPoint(let point): return point
        case .vector(let numbers): return VectorValue(numbers)
        case .array(let elements):
            return try elements.map { try $0.encoded(in: firestore, order: encodeOrder) }
        case .map(let fields):
            return SpelledMap(
                try fields.map {
                    .init($0.name, try $0.value.encoded(in: firestore, order: encodeOrder))
                }
            ).simplest
        case .order(let order): return try encodeOrder(order)
        }
    }

    /// What the library takes as a document.
    ///
    /// - Throws: `Failure` if this is no map.
    func encodedDocument(in firestore: Firestore) throws -> [String: Any] {
        guard case .map(let fields) = self else {
            throw Failure(.usage, "A document is a map, not \(kind).")
        }
        return try Self.encode(fields, in: firestore) { try $0.encoded(in: firestore) }
    }

    /// What the library takes as a document's own fields.
    ///
    /// - Throws: `Failure` if Swift takes the names of two fields for one.
    static func encode(
        _ fields: [Field], in firestore: Firestore,
        order encodeOrder: (Order) throws -> any Sendable
    ) throws -> [String: any Sendable] {
        var map: [String: any Sendable] = [:]
        for field in fields {
            // Swift takes two spellings of "é" for one name, as Firestore does not.
            if map[field.name] != nil {
                throw Failure(
                    .failed,
                    "The document has the field \"\(field.name)\" in two spellings, and the library "
                        + "takes a document's own fields as a dictionary of Swift, which has room "
                        + "for one. Google's clients can write such a document.")
            }
            map[field.name] = try field.value.encoded(in: firestore, order: encodeOrder)
        }
        return map
    }

    /// Takes a value from the library, with a map's names in the order of their bytes.
    init(_ value: any Sendable) {
        switch value {
        case let flag as Bool: self = .boolean(flag)
        case let number as Int: self = .integer(Int64(number))
        case let number as Double: self = .double(number)
        case let text as String: self = .string(text)
        case let time as Timestamp: self = .timestamp(time)
        // Every empty array can be cast to an array of bytes.
        case let bytes as [UInt8] where type(of: value) == [UInt8].self: self = .bytes(bytes)
        case let point as GeoPoint: self = .geoPoint(point)
        case let reference as DocumentReference:
            self = .reference(reference.foreignName ?? reference.path)
        case let vector as VectorValue: self = .vector(vector.array)
        case let map as [String: any Sendable]: self.init(map)
        case let map as SpelledMap: self.init(map)
        case let elements as [any Sendable]: self = .array(elements.map { ValueLiteral($0) })
        default: self = .null
        }
    }

    /// A map, with its names in the order of their bytes.
    init(_ map: [String: any Sendable]) {
        self.init(SpelledMap(map.map { SpelledMap.Field($0.key, $0.value) }))
    }

    /// A map, with its names in the order of their bytes.
    init(_ map: SpelledMap) {
        let sorted = map.fields.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        self = .map(sorted.map { Field(name: $0.name, value: ValueLiteral($0.value)) })
    }
}

extension ValueLiteral.Order {
    /// The library's order.
    func encoded(in firestore: Firestore) throws -> FieldValue {
        switch self {
        case .delete: .delete()
        case .serverTimestamp: .serverTimestamp()
        case .increment(.integer(let number)): .increment(number)
        case .increment(.double(let number)): .increment(number)
        case .maximum(.integer(let number)): .maximum(number)
        case .maximum(.double(let number)): .maximum(number)
        case .minimum(.integer(let number)): .minimum(number)
        case .minimum(.double(let number)): .minimum(number)
        case .arrayUnion(let elements):
            .arrayUnion(try elements.map { try $0.encoded(in: firestore) })
        case .arrayRemove(let elements):
            .arrayRemove(try elements.map { try $0.encoded(in: firestore) })
        }
    }
}

extension FieldPathText {
    /// The library's path.
    var fieldPath: FieldPath {
        names == ["__name__"] ? .documentID() : FieldPath(names)
    }
}

extension Condition {
    /// The library's filter.
    func filter(in firestore: Firestore) throws -> Filter {
        let field = field.fieldPath
        let operand = try operand.encoded(in: firestore)
        let elements = operand as? [Any] ?? []
        return switch comparison {
        case .isEqual: Filter.whereField(field, isEqualTo: operand)
        case .isNotEqual: Filter.whereField(field, isNotEqualTo: operand)
        case .isLess: Filter.whereField(field, isLessThan: operand)
        case .isLessOrEqual: Filter.whereField(field, isLessThanOrEqualTo: operand)
        case .isGreater: Filter.whereField(field, isGreaterThan: operand)
        case .isGreaterOrEqual: Filter.whereField(field, isGreaterThanOrEqualTo: operand)
        case .isIn: Filter.whereField(field, in: elements)
        case .isNotIn: Filter.whereField(field, notIn: elements)
        case .contains: Filter.whereField(field, arrayContains: operand)
        case .containsAny: Filter.whereField(field, arrayContainsAny: elements)
        }
    }
}
