extension Database {
    /// Turns a value of an `Encodable` type into what `setValue` takes.
    ///
    /// The strategies are the same as in `Firestore.Encoder`. A `Timestamp` and a
    /// `@ServerTimestamp` are written as milliseconds since 1970, whatever the strategy for dates.
    /// Only one thread at a time may use an encoder. Each thread may have its own encoder.
    public final class Encoder {
        /// How dates are written. `timestamp` stands for milliseconds since 1970.
        public var dateEncodingStrategy = Firestore.Encoder.DateEncodingStrategy.deferredToDate
        /// How `Data` is written.
        public var dataEncodingStrategy = Firestore.Encoder.DataEncodingStrategy.base64
        /// How infinities and NaN are written, which the Realtime Database cannot hold as numbers.
        public var nonConformingFloatEncodingStrategy =
            Firestore.Encoder.NonConformingFloatEncodingStrategy.throw
        /// How keys become names of children.
        public var keyEncodingStrategy = Firestore.Encoder.KeyEncodingStrategy.useDefaultKeys
        /// Values that types with their own `encode(to:)` can look up.
        public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

        /// An encoder with the strategies of FirebaseDatabase.
        public init() {}

        /// Turns a value into dictionaries, arrays, strings, flags and numbers. The encoder leaves
        /// out optionals that are `nil`.
        ///
        /// - Throws: `EncodingError` for a number that the strategies refuse, `DatabaseError`
        ///   `invalidArgument` for a time outside the years 1 to 9999, or the errors of the type's
        ///   own `encode(to:)`.
        public func encode(_ value: some Encodable) throws -> Any {
            let strategies = EncodingStrategies(
                date: date, data: dataEncodingStrategy, float: nonConformingFloatEncodingStrategy,
                key: keyEncodingStrategy, userInfo: userInfo, isRealtime: true)
            do {
                return try FieldEncoder.encode(value, by: strategies)
            } catch {
                throw DatabaseError.translated(error)
            }
        }

        /// The strategy for dates, in which `timestamp` writes a `Timestamp` instead of a date.
        private var date: Firestore.Encoder.DateEncodingStrategy {
            guard case .timestamp = dateEncodingStrategy else { return dateEncodingStrategy }
            return .custom { date, encoder in
                var container = encoder.singleValueContainer()
                try container.encode(try Timestamp(checking: date))
            }
        }
    }
}

extension DatabaseReference {
    /// Makes a value of a type this place's value. See `setValue`.
    ///
    /// - Parameters:
    ///   - value: The value, which `encoder` makes into the place's data.
    ///   - encoder: How the value becomes data.
    ///   - stage: How long to wait.
    /// - Throws: The errors of `Database.Encoder.encode` and of `setValue`.
    @discardableResult
    public nonisolated(nonsending) func setValue(
        from value: some Encodable, encoder: Database.Encoder = Database.Encoder(),
        until stage: WriteStage = .committed
    ) async throws -> DatabaseReceipt {
        try await setValue(try encoder.encode(value), until: stage)
    }

    /// Makes a value of a type this place's value, and calls `completion` when the backend has
    /// answered.
    ///
    /// - Throws: The errors of `Database.Encoder.encode`. `completion` gets all others.
    public func setValue(
        from value: some Encodable, encoder: Database.Encoder = Database.Encoder(),
        completion: (@Sendable ((any Error)?) -> Void)?
    ) throws {
        let encoded = try encoder.encode(value)
        var told: Completion?
        if let completion { told = { error, _ in completion(error) } }
        write(told) { () throws(DatabaseError) in try setting(encoded) }
    }
}
