import HearthModel

extension Database {
    /// Makes a value of a `Decodable` type of a snapshot.
    ///
    /// The strategies are the same as in `Firestore.Decoder`. A `Timestamp` and a
    /// `@ServerTimestamp` are read from milliseconds since 1970. Children whose keys are whole
    /// numbers are read as an array or as a dictionary, as the type wants. Only one thread at a
    /// time may use a decoder. Each thread may have its own decoder.
    public final class Decoder {
        /// How dates are read. `timestamp` stands for milliseconds since 1970.
        public var dateDecodingStrategy = Firestore.Decoder.DateDecodingStrategy.deferredToDate
        /// How `Data` is read.
        public var dataDecodingStrategy = Firestore.Decoder.DataDecodingStrategy.base64
        /// Whether strings can stand for infinities and for NaN.
        public var nonConformingFloatDecodingStrategy =
            Firestore.Decoder.NonConformingFloatDecodingStrategy.throw
        /// How the names of children become keys.
        public var keyDecodingStrategy = Firestore.Decoder.KeyDecodingStrategy.useDefaultKeys
        /// Values that types with their own `init(from:)` can look up.
        public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

        /// A decoder with the strategies of FirebaseDatabase.
        public init() {}

        /// Reads a value of the kind that `setValue` takes.
        ///
        /// - Throws: `DatabaseError` `invalidArgument` for what the Realtime Database cannot hold;
        ///   `DecodingError` if the value does not fit the type.
        public func decode<T: Decodable>(_ type: T.Type, from value: Any?) throws -> T {
            guard let node = try UserNode.read(value, at: .root).node else {
                throw DatabaseError(
                    .invalidArgument, "A value that is left to the server cannot be read.")
            }
            return try decode(type, from: node, at: nil)
        }

        func decode<T: Decodable>(_ type: T.Type, from node: Node, at place: String?) throws -> T {
            let strategies = DecodingStrategies(
                date: dateDecodingStrategy, data: dataDecodingStrategy,
                float: nonConformingFloatDecodingStrategy, key: keyDecodingStrategy,
                userInfo: userInfo)
            let context = FieldDecoder.Context(
                reference: nil, firestore: nil, behavior: .none, strategies: strategies,
                isRealtime: true)
            do {
                return try FieldDecoder(value: Value(node), context: context, codingPath: [])
                    .decode(type)
            } catch let error as DecodingError {
                throw error.named(at: place)
            }
        }
    }
}

extension DataSnapshot {
    /// The value as a value of a type.
    ///
    /// - Parameters:
    ///   - type: The type; an optional type reads what is not there as `nil`.
    ///   - decoder: How children become properties.
    /// - Throws: `DatabaseError` `notFound` if nothing is there and the type is no optional;
    ///   `DecodingError` if the value does not fit the type.
    public func data<T: Decodable>(
        as type: T.Type, decoder: Database.Decoder = Database.Decoder()
    ) throws -> T {
        guard exists() else {
            if let nothing = (type as? any AnyOptional.Type)?.nothing as? T { return nothing }
            throw DatabaseError(.notFound, "Nothing is at \(ref.path).")
        }
        return try decoder.decode(type, from: node, at: "\(ref.path)")
    }
}

extension Value {
    /// A node without its priorities: children whose keys are whole numbers become an array.
    init(_ node: Node) {
        switch node.leaf {
        case .bool(let flag)?: self = .boolean(flag)
        case .integer(let number)?: self = .integer(number)
        case .double(let number)?: self = .double(number)
        case .string(let text)?: self = .string(text)
        case nil:
            if node.isEmpty {
                self = .null
            } else if let count = node.arrayCount {
                self = .array((0..<count).map { Value(node.child(ChildKey(unchecked: "\($0)"))) })
            } else {
                self = .map(
                    MapValue(
                        entries: node.children.map {
                            MapValue.Entry(key: $0.key.text, value: Value($0.node))
                        }))
            }
        }
    }
}
