extension DocumentSnapshot {
    /// The document as a value of a type.
    ///
    /// - Parameters:
    ///   - type: The type; an optional type reads a missing document as `nil`.
    ///   - serverTimestampBehavior: What the decoder reads for a server timestamp that the backend
    ///     has not set yet.
    ///   - decoder: How the fields become values.
    /// - Throws: `FirestoreError` `notFound` if there is no document and the type is no optional;
    ///   `DecodingError` if the document's fields do not fit the type.
    public func data<T: Decodable>(
        as type: T.Type, with serverTimestampBehavior: ServerTimestampBehavior = .none,
        decoder: Firestore.Decoder = Firestore.Decoder()
    ) throws -> T {
        try data(as: type, with: serverTimestampBehavior, by: decoder.strategies)
    }

    fileprivate func data<T: Decodable>(
        as type: T.Type, with serverTimestampBehavior: ServerTimestampBehavior,
        by strategies: DecodingStrategies
    ) throws -> T {
        if !exists, let nothing = (type as? any AnyOptional.Type)?.nothing as? T { return nothing }
        return try strategies.decode(type, from: self, with: serverTimestampBehavior)
    }
}

extension DocumentReference {
    /// Reads the document once, as a value of a type.
    ///
    /// - Throws: `FirestoreError` as `getDocument(source:)`; otherwise the errors of
    ///   `DocumentSnapshot.data(as:with:decoder:)`.
    public nonisolated(nonsending) func getDocument<T: Decodable & Sendable>(
        as type: T.Type, source: FirestoreSource = .default,
        with serverTimestampBehavior: ServerTimestampBehavior = .none,
        decoder: Firestore.Decoder = Firestore.Decoder()
    ) async throws -> T {
        try await getDocument(source: source)
            .data(as: type, with: serverTimestampBehavior, decoder: decoder)
    }

    /// Reads the document once, as a value of a type, and calls `completion` on a thread of
    /// Hearth's.
    ///
    /// - Parameters:
    ///   - type: The type; an optional type reads a missing document as `nil`.
    ///   - source: Who answers: the cache, the backend, or the daemon's choice.
    ///   - serverTimestampBehavior: What the decoder reads for a server timestamp that the backend
    ///     has not set yet.
    ///   - decoder: How the fields become values.
    ///   - completion: Gets the value; or the error, of the read (`FirestoreError`) or of the
    ///     decoder.
    public func getDocument<T: Decodable & Sendable>(
        as type: T.Type, source: FirestoreSource = .default,
        with serverTimestampBehavior: ServerTimestampBehavior = .none,
        decoder: Firestore.Decoder = Firestore.Decoder(),
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        let strategies = decoder.strategies
        getDocument(source: source) { snapshot, error in
            guard let snapshot else {
                return completion(.failure(error ?? FirestoreError(.unknown, "No answer came.")))
            }
            completion(
                Result {
                    try snapshot.data(as: type, with: serverTimestampBehavior, by: strategies)
                })
        }
    }

    /// Makes or replaces the document with the fields of a value, or merges the fields into the
    /// document. See `setData`.
    ///
    /// - Parameters:
    ///   - value: The value, which `encoder` makes into the document's fields.
    ///   - merge: Whether to change only the fields of the value, and keep the others.
    ///   - encoder: How the value becomes fields.
    ///   - stage: How long to wait.
    /// - Throws: The errors of `Firestore.Encoder.encode` and of `setData`.
    @discardableResult
    public nonisolated(nonsending) func setData(
        from value: some Encodable, merge: Bool = false,
        encoder: Firestore.Encoder = Firestore.Encoder(), until stage: WriteStage = .committed
    ) async throws -> WriteReceipt {
        try await setData(encoder.encode(value), merge: merge, until: stage)
    }

    /// Changes only the named fields. The value must have all the named fields. See `setData`.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - mergeFields: The names or paths of the fields to change.
    ///   - encoder: How the value becomes fields.
    ///   - stage: How long to wait.
    /// - Throws: The errors of `Firestore.Encoder.encode` and of `setData`.
    @discardableResult
    public nonisolated(nonsending) func setData(
        from value: some Encodable, mergeFields: [any FieldName],
        encoder: Firestore.Encoder = Firestore.Encoder(), until stage: WriteStage = .committed
    ) async throws -> WriteReceipt {
        try await setData(encoder.encode(value), mergeFields: mergeFields, until: stage)
    }

    /// Writes the fields of a value, and calls `completion` when the backend has answered.
    ///
    /// - Parameters:
    ///   - value: The value, which `encoder` makes into the document's fields.
    ///   - merge: Whether to change only the fields of the value, and keep the others.
    ///   - encoder: How the value becomes fields.
    ///   - completion: Gets the error of the write; `nil` if the backend has committed the write.
    /// - Throws: The errors of `Firestore.Encoder.encode`. `completion` gets all others.
    public func setData(
        from value: some Encodable, merge: Bool = false,
        encoder: Firestore.Encoder = Firestore.Encoder(),
        completion: (@Sendable ((any Error)?) -> Void)?
    ) throws {
        setData(try encoder.encode(value), merge: merge, completion: completion)
    }

    /// Changes only the named fields, and calls `completion` when the backend has answered.
    ///
    /// - Parameters:
    ///   - value: The value, which must have all the named fields.
    ///   - mergeFields: The names or paths of the fields to change.
    ///   - encoder: How the value becomes fields.
    ///   - completion: Gets the error of the write; `nil` if the backend has committed the write.
    /// - Throws: The errors of `Firestore.Encoder.encode`. `completion` gets all others.
    public func setData(
        from value: some Encodable, mergeFields: [any FieldName],
        encoder: Firestore.Encoder = Firestore.Encoder(),
        completion: (@Sendable ((any Error)?) -> Void)?
    ) throws {
        setData(try encoder.encode(value), mergeFields: mergeFields, completion: completion)
    }
}

extension CollectionReference {
    /// Makes a document of a value, under a random name.
    ///
    /// - Parameters:
    ///   - value: The value, which `encoder` makes into the document's fields.
    ///   - encoder: How the value becomes fields.
    ///   - stage: How long to wait.
    /// - Throws: The errors of `Firestore.Encoder.encode` and of `setData`.
    @discardableResult
    public nonisolated(nonsending) func addDocument(
        from value: some Encodable, encoder: Firestore.Encoder = Firestore.Encoder(),
        until stage: WriteStage = .committed
    ) async throws -> DocumentReference {
        try await addDocument(data: encoder.encode(value), until: stage)
    }

    /// Makes a document of a value, under a random name, and calls `completion` when the backend
    /// has answered.
    ///
    /// - Throws: The errors of `Firestore.Encoder.encode`. `completion` gets all others.
    @discardableResult
    public func addDocument(
        from value: some Encodable, encoder: Firestore.Encoder = Firestore.Encoder(),
        completion: (@Sendable ((any Error)?) -> Void)?
    ) throws -> DocumentReference {
        addDocument(data: try encoder.encode(value), completion: completion)
    }
}
