/// A type in which a server timestamp can be kept: `Timestamp`, or `Date`.
public protocol ServerTimestampWrappable: Codable, Sendable {
    /// Makes a value of a moment.
    ///
    /// - Throws: Any error, if the type cannot hold the moment.
    static func wrap(_ timestamp: Timestamp) throws -> Self
}

extension Timestamp: ServerTimestampWrappable {
    /// The moment itself. The call throws nothing.
    public static func wrap(_ timestamp: Timestamp) throws -> Timestamp { timestamp }
}

/// A time that the backend sets if the property is `nil` when it is written.
///
/// The property reads as `nil` until the backend has set the time.
@propertyWrapper
public struct ServerTimestamp<Value: ServerTimestampWrappable>: Codable, Sendable {
    /// The time.
    public var wrappedValue: Value?

    /// Sets the time; with `nil`, the backend sets the time.
    public init(wrappedValue: Value?) {
        self.wrappedValue = wrappedValue
    }

    /// Reads the time; null means that the backend has not set it.
    ///
    /// - Throws: `DecodingError` if there is no time, and the errors of `wrap`.
    public init(from decoder: any Swift.Decoder) throws {
        let container = try decoder.singleValueContainer()
        wrappedValue =
            try container.decodeNil() ? nil : Value.wrap(container.decode(Timestamp.self))
    }

    /// Writes the time, or the order that the backend set the time.
    ///
    /// - Throws: What the encoder throws. Only Hearth's encoder can write the order.
    public func encode(to encoder: any Swift.Encoder) throws {
        var container = encoder.singleValueContainer()
        if let wrappedValue {
            try container.encode(wrappedValue)
        } else {
            try container.encode(FieldValue.serverTimestamp())
        }
    }
}

/// A property that holds a time which the server may set. The coders recognise the property by this
/// protocol.
protocol ServerTimestampProperty {
    /// The time; `nil` if the server is to set it.
    ///
    /// - Throws: `FirestoreError` for a time outside the years 1 to 9999.
    func moment() throws -> Timestamp?
}

extension ServerTimestamp: ServerTimestampProperty {
    func moment() throws -> Timestamp? { try wrappedValue.flatMap { try Timestamp(any: $0) } }
}

extension ServerTimestamp: Equatable where Value: Equatable {}
extension ServerTimestamp: Hashable where Value: Hashable {}

/// An optional that is written as null when it is `nil`, rather than left out.
@propertyWrapper
public struct ExplicitNull<Value> {
    /// The value.
    public var wrappedValue: Value?

    /// Keeps a value.
    public init(wrappedValue: Value?) {
        self.wrappedValue = wrappedValue
    }
}

extension ExplicitNull: Equatable where Value: Equatable {}
extension ExplicitNull: Hashable where Value: Hashable {}
extension ExplicitNull: Sendable where Value: Sendable {}

extension ExplicitNull: Encodable where Value: Encodable {
    /// Writes the value, or null.
    ///
    /// - Throws: What the value or the encoder throws.
    public func encode(to encoder: any Swift.Encoder) throws {
        var container = encoder.singleValueContainer()
        if let wrappedValue {
            try container.encode(wrappedValue)
        } else {
            try container.encodeNil()
        }
    }
}

extension ExplicitNull: Decodable where Value: Decodable {
    /// Reads the value; null means `nil`.
    ///
    /// - Throws: `DecodingError` if the value is neither null nor of the type.
    public init(from decoder: any Swift.Decoder) throws {
        let container = try decoder.singleValueContainer()
        wrappedValue = try container.decodeNil() ? nil : container.decode(Value.self)
    }
}

/// A missing field reads like a field that is null.
extension KeyedDecodingContainer {
    /// Reads a server timestamp.
    ///
    /// - Throws: The errors of `ServerTimestamp.init(from:)`. A missing field is no error.
    public func decode<Value>(
        _ type: ServerTimestamp<Value>.Type, forKey key: Key
    ) throws -> ServerTimestamp<Value> {
        try decodeIfPresent(type, forKey: key) ?? ServerTimestamp(wrappedValue: nil)
    }

    /// Reads a value that may be null.
    ///
    /// - Throws: The errors of `ExplicitNull.init(from:)`. A missing field is no error.
    public func decode<Value: Decodable>(
        _ type: ExplicitNull<Value>.Type, forKey key: Key
    ) throws -> ExplicitNull<Value> {
        try decodeIfPresent(type, forKey: key) ?? ExplicitNull(wrappedValue: nil)
    }
}
