/// Turns a value of an `Encodable` type into what `setData` takes: maps, arrays and Hearth's values.
///
/// Hearth's own types, dates and bytes stay what they are; all else is taken apart.
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
    let userInfo: [CodingUserInfoKey: Any] = [:]
    private var node = Node.nothing

    private init(_ codingPath: [any CodingKey]) {
        self.codingPath = codingPath
    }

    /// Encodes a value.
    static func encode(_ value: any Encodable, at codingPath: [any CodingKey] = []) throws -> Any {
        try encoder(of: value, at: codingPath).result
    }

    static func encoder(
        of value: any Encodable, at codingPath: [any CodingKey]
    ) throws -> FieldEncoder {
        let encoder = FieldEncoder(codingPath)
        try encoder.take(value)
        return encoder
    }

    /// An encoder for something that follows.
    static func open(at codingPath: [any CodingKey]) -> FieldEncoder { FieldEncoder(codingPath) }

    private func take(_ value: any Encodable) throws {
        if value is FieldValue || value is [UInt8] && type(of: value) == [UInt8].self {
            node = .value(value)
        } else if !(value is any Collection), try ValueEncoder.scalar(value) != nil {
            node = .value(value)
        } else if value is String || ValueEncoder.isBytes(value) {
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
        return KeyedEncodingContainer(FieldContainer<Key>(map: map, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        let array: ArrayNode
        if case .array(let begun) = node {
            array = begun
        } else {
            array = ArrayNode()
            node = .array(array)
        }
        return ElementContainer(array: array, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleContainer(encoder: self)
    }
}

/// The fields of a map.
private struct FieldContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let map: FieldEncoder.MapNode
    let codingPath: [any CodingKey]

    private func add(_ value: FieldEncoder, _ key: some CodingKey) {
        map.fields.append((key.stringValue, value))
    }

    mutating func encodeNil(forKey key: Key) throws {
        let encoder = FieldEncoder.open(at: codingPath + [key])
        encoder.set(FirestoreNull())
        add(encoder, key)
    }

    mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        if value is any DocumentIDProperty { return }  // It is the document's name, and no field.
        add(try FieldEncoder.encoder(of: value, at: codingPath + [key]), key)
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        let encoder = FieldEncoder.open(at: codingPath + [key])
        add(encoder, key)
        return encoder.container(keyedBy: keyType)
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        let encoder = FieldEncoder.open(at: codingPath + [key])
        add(encoder, key)
        return encoder.unkeyedContainer()
    }

    mutating func superEncoder() -> any Swift.Encoder { superEncoder(named: IndexKey("super")) }

    mutating func superEncoder(forKey key: Key) -> any Swift.Encoder { superEncoder(named: key) }

    private func superEncoder(named key: some CodingKey) -> any Swift.Encoder {
        let encoder = FieldEncoder.open(at: codingPath + [key])
        add(encoder, key)
        return encoder
    }
}

/// The elements of an array.
private struct ElementContainer: UnkeyedEncodingContainer {
    let array: FieldEncoder.ArrayNode
    let codingPath: [any CodingKey]

    var count: Int { array.elements.count }
    private var path: [any CodingKey] { codingPath + [IndexKey(count)] }

    private func open() -> FieldEncoder {
        let encoder = FieldEncoder.open(at: path)
        array.elements.append(encoder)
        return encoder
    }

    mutating func encodeNil() throws { open().set(FirestoreNull()) }

    mutating func encode<T: Encodable>(_ value: T) throws {
        array.elements.append(try FieldEncoder.encoder(of: value, at: path))
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

    mutating func encode<T: Encodable>(_ value: T) throws {
        encoder.set(try FieldEncoder.encode(value, at: codingPath))
    }
}

/// A place in an array, or a name that no type has.
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
