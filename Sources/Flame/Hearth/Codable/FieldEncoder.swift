/// Turns a value of an `Encodable` type into what `setData` takes: maps, arrays and Hearth's values.
///
/// Hearth's own types stay as they are. Dates and bytes stay as they are, too, unless a strategy
/// says otherwise. Every other value encodes its parts.
final class FieldEncoder: Swift.Encoder {
    /// What has been encoded so far.
    private enum Node {
        case nothing
        case value(Any)
        case map(MapNode)
        case array(ArrayNode)
    }

    final class MapNode {
        var fields: [(name: String, value: FieldEncoder)] = []
    }

    final class ArrayNode {
        var elements: [FieldEncoder] = []
    }

    let codingPath: [any CodingKey]
    let strategies: EncodingStrategies
    /// Whether keys stay as they are, because the keys are a dictionary's.
    private var keepsNames = false
    private var node = Node.nothing

    private init(_ codingPath: [any CodingKey], _ strategies: EncodingStrategies) {
        self.codingPath = codingPath
        self.strategies = strategies
    }

    var userInfo: [CodingUserInfoKey: Any] { strategies.userInfo }

    /// Encodes a value.
    static func encode(_ value: any Encodable, by strategies: EncodingStrategies) throws -> Any {
        let encoder = FieldEncoder([], strategies)
        try encoder.take(value)
        return encoder.result
    }

    /// An encoder for something that follows under a key.
    func open(_ key: some CodingKey) -> FieldEncoder {
        FieldEncoder(codingPath + [key], strategies)
    }

    /// The value that follows under a key, encoded.
    func encoder(of value: any Encodable, under key: some CodingKey) throws -> FieldEncoder {
        let encoder = open(key)
        try encoder.take(value)
        return encoder
    }

    /// The name of the field for a key of this encoder's value.
    func name(of key: some CodingKey) -> String {
        keepsNames ? key.stringValue : strategies.name(of: key, at: codingPath)
    }

    /// Encodes a value in this encoder's place.
    func take(_ value: any Encodable) throws {
        keepsNames = value is any NamedValues
        if try strategies.write(value, to: self) { return }
        if value is FieldValue || value is [UInt8] && type(of: value) == [UInt8].self {
            node = .value(value)
        } else if !(value is any Collection), try ValueEncoder.scalar(value) != nil {
            node = .value(value)
        } else if value is String {
            node = .value(value)
        } else {
            try value.encode(to: self)
        }
    }

    var result: Any {
        switch node {
        case .nothing: [String: Any]()
        case .value(let value): value
        case .map(let map):
            Dictionary(map.fields.map { ($0.name, $0.value.result) }) { _, last in last }
        case .array(let array): array.elements.map(\.result)
        }
    }

    func set(_ value: Any) { node = .value(value) }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        let map: MapNode
        if case .map(let begun) = node {
            map = begun
        } else {
            map = MapNode()
            node = .map(map)
        }
        return KeyedEncodingContainer(FieldContainer<Key>(map: map, encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        let array: ArrayNode
        if case .array(let begun) = node {
            array = begun
        } else {
            array = ArrayNode()
            node = .array(array)
        }
        return ElementContainer(array: array, encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleContainer(encoder: self)
    }
}

/// The fields of a map.
private struct FieldContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let map: FieldEncoder.MapNode
    let encoder: FieldEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    private func add(_ value: FieldEncoder, _ key: some CodingKey) {
        map.fields.append((encoder.name(of: key), value))
    }

    private func open(_ key: some CodingKey) -> FieldEncoder {
        let opened = encoder.open(key)
        add(opened, key)
        return opened
    }

    mutating func encodeNil(forKey key: Key) throws { open(key).set(FirestoreNull()) }

    mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        if value is any DocumentIDProperty { return }  // The document's name is no field.
        add(try encoder.encoder(of: value, under: key), key)
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        open(key).container(keyedBy: keyType)
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        open(key).unkeyedContainer()
    }

    mutating func superEncoder() -> any Swift.Encoder { open(IndexKey("super")) }

    mutating func superEncoder(forKey key: Key) -> any Swift.Encoder { open(key) }
}

/// The elements of an array.
private struct ElementContainer: UnkeyedEncodingContainer {
    let array: FieldEncoder.ArrayNode
    let encoder: FieldEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { array.elements.count }

    private func open() -> FieldEncoder {
        let opened = encoder.open(IndexKey(count))
        array.elements.append(opened)
        return opened
    }

    mutating func encodeNil() throws { open().set(FirestoreNull()) }

    mutating func encode<T: Encodable>(_ value: T) throws {
        array.elements.append(try encoder.encoder(of: value, under: IndexKey(count)))
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        open().container(keyedBy: keyType)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        open().unkeyedContainer()
    }

    mutating func superEncoder() -> any Swift.Encoder { open() }
}

/// One value.
private struct SingleContainer: SingleValueEncodingContainer {
    let encoder: FieldEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    mutating func encodeNil() throws { encoder.set(FirestoreNull()) }

    mutating func encode<T: Encodable>(_ value: T) throws { try encoder.take(value) }
}

/// A key for a place in an array, or for a name that no type's `CodingKeys` holds.
struct IndexKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ index: Int) {
        stringValue = "\(index)"
        intValue = index
    }

    init(_ name: String) {
        stringValue = name
        intValue = nil
    }

    init(stringValue: String) { self.init(stringValue) }

    init(intValue: Int) { self.init(intValue) }
}
