import HearthModel

/// Reads a value of a `Decodable` type out of a document's fields.
struct FieldDecoder: Swift.Decoder {
    /// The facts that are the same for all fields of a document.
    struct Context {
        /// The document that the fields belong to; `nil` if they belong to none.
        let reference: DocumentReference?
        /// The database of the references among the fields; `nil` if the fields hold no reference.
        let firestore: Firestore?
        /// What a server timestamp shows that the backend has not set yet.
        let behavior: ServerTimestampBehavior
        /// The decoder's choices.
        let strategies: DecodingStrategies
        /// Whether the value is one of the Realtime Database's: times are milliseconds, and whether
        /// children are an array or a dictionary is the type's to say.
        var isRealtime = false
    }

    /// The key of `userInfo` for the reference of the decoded document, which property wrappers
    /// read.
    static let referenceKey = CodingUserInfoKey(rawValue: "hearth.reference")

    let value: Value
    let context: Context
    let codingPath: [any CodingKey]
    /// Whether keys stay as they are, because the keys are a dictionary's.
    var keepsNames = false

    var userInfo: [CodingUserInfoKey: Any] {
        var info: [CodingUserInfoKey: Any] = context.strategies.userInfo
        if let key = Self.referenceKey, let reference = context.reference { info[key] = reference }
        return info
    }

    /// Decodes a document's fields.
    ///
    /// - Throws: `DecodingError` with a description that names the document and the field.
    static func decode<T: Decodable>(
        _ type: T.Type, from fields: MapValue, _ context: Context
    ) throws -> T {
        do {
            return try FieldDecoder(value: .map(fields), context: context, codingPath: [])
                .decode(type)
        } catch let error as DecodingError {
            throw error.named(in: context.reference)
        }
    }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        if let passed = try passedOn(as: type), let known = passed as? T { return known }
        var decoder = self
        decoder.keepsNames = type is any NamedValues.Type
        return try T(from: decoder)
    }

    /// The value itself, if the type is one of Hearth's own, `[UInt8]`, or has a strategy; else
    /// `nil`.
    ///
    /// Such types do not decode themselves from parts.
    private func passedOn(as type: any Decodable.Type) throws -> Any? {
        let plain = ValueDecoder(
            firestore: context.firestore, behavior: context.behavior)
        if context.isRealtime, type == Timestamp.self {
            let time = try decode(Int64.self)
            guard let moment = Timestamp(milliseconds: time) else { throw mismatch(type) }
            return moment
        }
        if type == Timestamp.self || type == GeoPoint.self || type == VectorValue.self
            || type == DocumentReference.self || type == [UInt8].self
        {
            let decoded = plain.decode(value)
            guard Swift.type(of: decoded) == type else { throw mismatch(type) }
            return decoded
        }
        return try context.strategies.read(type, from: self)
    }

    func mismatch(_ type: Any.Type) -> DecodingError {
        DecodingError.typeMismatch(
            type,
            DecodingError.Context(
                codingPath: codingPath, debugDescription: "The field holds no \(type)."))
    }

    /// The value under a key, or `nil`.
    func child(_ key: some CodingKey, of map: MapValue) -> FieldDecoder? {
        map[HearthModel.FieldPath([key.stringValue])].map {
            FieldDecoder(value: $0, context: context, codingPath: codingPath + [key])
        }
    }

    /// Whether the value reads as `nil`.
    var isNil: Bool {
        switch value {
        case .null: true
        case .serverTimestamp(let pending):
            switch context.behavior {
            case .none: true
            case .estimate: false
            case .previous: pending.previousValue.map(\.isNull) ?? true
            }
        case .boolean, .integer, .double, .timestamp, .string, .bytes, .reference, .geoPoint,
            .array, .map:
            false
        }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard let map else { throw mismatch([String: Any].self) }
        let fields = keepsNames ? map : context.strategies.renamed(map, at: codingPath)
        return KeyedDecodingContainer(FieldsContainer<Key>(map: fields, decoder: self))
    }

    /// The value's fields; `nil` if the value has none.
    private var map: MapValue? {
        switch value {
        case .map(let map): return map
        case .array(let elements) where context.isRealtime:
            return MapValue(
                entries: elements.enumerated().filter { !$0.element.isNull }
                    .map { MapValue.Entry(key: "\($0.offset)", value: $0.element) })
        default: return nil
        }
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = value else { throw mismatch([Any].self) }
        return ElementsContainer(elements: elements, decoder: self)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        ValueContainer(decoder: self)
    }
}

/// The fields of a map.
private struct FieldsContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let map: MapValue
    let decoder: FieldDecoder

    var codingPath: [any CodingKey] { decoder.codingPath }
    var allKeys: [Key] { map.entries.compactMap { Key(stringValue: $0.key) } }

    func contains(_ key: Key) -> Bool { decoder.child(key, of: map) != nil }

    private func field(_ key: some CodingKey) throws -> FieldDecoder {
        guard let child = decoder.child(key, of: map) else {
            throw DecodingError.keyNotFound(
                key,
                DecodingError.Context(
                    codingPath: codingPath,
                    debugDescription: "There is no field \"\(key.stringValue)\"."))
        }
        return child
    }

    func decodeNil(forKey key: Key) throws -> Bool { try field(key).isNil }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        if let property = type as? any DocumentIDProperty.Type {
            guard let reference = decoder.context.reference else {
                throw DecodingError.valueNotFound(
                    type,
                    DecodingError.Context(
                        codingPath: codingPath + [key],
                        debugDescription: "Of no document, so there is no document's id."))
            }
            guard let id = try property.init(reference: reference) as? T else {
                throw decoder.mismatch(type)
            }
            return id
        }
        return try field(key).decode(type)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try field(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try field(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Swift.Decoder { try field(IndexKey("super")) }

    func superDecoder(forKey key: Key) throws -> any Swift.Decoder { try field(key) }
}

/// The elements of an array.
private struct ElementsContainer: UnkeyedDecodingContainer {
    let elements: [Value]
    let decoder: FieldDecoder
    var currentIndex = 0

    init(elements: [Value], decoder: FieldDecoder) {
        self.elements = elements
        self.decoder = decoder
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    private func element() throws -> FieldDecoder {
        let path = codingPath + [IndexKey(currentIndex)]
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                Any.self,
                DecodingError.Context(
                    codingPath: path, debugDescription: "The array has no more elements."))
        }
        return FieldDecoder(
            value: elements[currentIndex], context: decoder.context, codingPath: path)
    }

    mutating func decodeNil() throws -> Bool {
        guard try element().isNil else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let decoded = try element().decode(type)
        currentIndex += 1
        return decoded
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        let container = try element().container(keyedBy: type)
        currentIndex += 1
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try element().unkeyedContainer()
        currentIndex += 1
        return container
    }

    mutating func superDecoder() throws -> any Swift.Decoder {
        let decoder = try element()
        currentIndex += 1
        return decoder
    }
}

/// One value.
private struct ValueContainer: SingleValueDecodingContainer {
    let decoder: FieldDecoder

    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool { decoder.isNil }

    func decode(_ type: Bool.Type) throws -> Bool {
        guard case .boolean(let flag) = decoder.value else { throw decoder.mismatch(type) }
        return flag
    }

    func decode(_ type: String.Type) throws -> String {
        guard case .string(let text) = decoder.value else { throw decoder.mismatch(type) }
        return text
    }

    func decode(_ type: Double.Type) throws -> Double {
        switch decoder.value {
        case .double(let number): return number
        case .integer(let number): return Double(number)
        case .string(let text):
            guard let number = decoder.context.strategies.number(text) else {
                throw decoder.mismatch(type)
            }
            return number
        case .null, .boolean, .timestamp, .serverTimestamp, .bytes, .reference, .geoPoint, .array,
            .map:
            throw decoder.mismatch(type)
        }
    }

    func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }

    private func integer<T: FixedWidthInteger>(_ type: T.Type) throws -> T {
        let exact: T? =
            switch decoder.value {
            case .integer(let number): T(exactly: number)
            case .double(let number): T(exactly: number)
            case .null, .boolean, .timestamp, .serverTimestamp, .string, .bytes, .reference,
                .geoPoint, .array, .map:
                nil
            }
        guard let exact else { throw decoder.mismatch(type) }
        return exact
    }

    func decode(_ type: Int.Type) throws -> Int { try integer(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }

    func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.decode(type) }
}
