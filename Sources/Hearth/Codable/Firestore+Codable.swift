import HearthModel

extension Firestore {
    /// Turns a value of an `Encodable` type into what `setData` takes.
    public struct Encoder: Sendable {
        /// An encoder.
        public init() {}

        /// Takes a value apart into fields. Optionals that are `nil` are left out.
        ///
        /// - Throws: `FirestoreError` `invalidArgument` for a value that has no fields, or what the
        ///   type throws.
        public func encode(_ value: some Encodable) throws -> [String: Any] {
            guard let fields = try FieldEncoder.encode(value) as? [String: Any] else {
                throw FirestoreError(
                    .invalidArgument,
                    "A document is made of fields, but a \(type(of: value)) is a single value.")
            }
            return fields
        }
    }

    /// Makes a value of a `Decodable` type of a document.
    public struct Decoder: Sendable {
        /// A decoder.
        public init() {}

        /// Reads a document's fields.
        ///
        /// - Throws: `FirestoreError` `notFound` if there is no document; `DecodingError` if its
        ///   fields do not fit.
        public func decode<T: Decodable>(
            _ type: T.Type, from snapshot: DocumentSnapshot,
            with serverTimestampBehavior: ServerTimestampBehavior = .none
        ) throws -> T {
            guard let document = snapshot.document else {
                throw FirestoreError(.notFound, "There is no document \(snapshot.reference).")
            }
            return try FieldDecoder.decode(
                type, from: document.fields,
                FieldDecoder.Context(
                    reference: snapshot.reference, firestore: snapshot.reference.firestore,
                    behavior: serverTimestampBehavior))
        }

        /// Reads fields as `setData` takes them, as if they were those of a document.
        ///
        /// - Parameter document: Whose fields they are. Without it, a `@DocumentID` cannot be read.
        /// - Throws: `FirestoreError` `invalidArgument` for data that Firestore cannot hold;
        ///   `DecodingError` if they do not fit.
        public func decode<T: Decodable>(
            _ type: T.Type, from data: [String: Any], in document: DocumentReference? = nil
        ) throws -> T {
            guard case .map(let fields) = try UserData.encodeOperand(data) else {
                throw FirestoreError(.invalidArgument, "Fields are to be decoded.")
            }
            return try FieldDecoder.decode(
                type, from: fields,
                FieldDecoder.Context(
                    reference: document, firestore: document?.firestore ?? Self.firestore(of: data),
                    behavior: .none))
        }

        /// Whose references stand in a value; `nil` if none do.
        private static func firestore(of value: Any) -> Firestore? {
            switch value {
            case let reference as DocumentReference: reference.firestore
            case let map as [String: Any]: map.values.lazy.compactMap(firestore).first
            case let elements as [Any]: elements.lazy.compactMap(firestore).first
            default: nil
            }
        }
    }
}

extension DocumentSnapshot {
    /// The document as a value of a type.
    ///
    /// - Throws: `FirestoreError` `notFound` if there is no document and the type is no optional;
    ///   `DecodingError` if its fields do not fit.
    public func data<T: Decodable>(
        as type: T.Type, with serverTimestampBehavior: ServerTimestampBehavior = .none,
        decoder: Firestore.Decoder = Firestore.Decoder()
    ) throws -> T {
        if !exists, let nothing = (type as? any AnyOptional.Type)?.nothing as? T { return nothing }
        return try decoder.decode(type, from: self, with: serverTimestampBehavior)
    }
}

extension DocumentReference {
    /// Reads the document once, as a value of a type.
    public func getDocument<T: Decodable & Sendable>(
        as type: T.Type, source: FirestoreSource = .default,
        with serverTimestampBehavior: ServerTimestampBehavior = .none,
        decoder: Firestore.Decoder = Firestore.Decoder()
    ) async throws -> T {
        try await getDocument(source: source)
            .data(as: type, with: serverTimestampBehavior, decoder: decoder)
    }

    /// Reads the document once, as a value of a type, and calls back on a thread of Hearth's.
    public func getDocument<T: Decodable & Sendable>(
        as type: T.Type, source: FirestoreSource = .default,
        with serverTimestampBehavior: ServerTimestampBehavior = .none,
        decoder: Firestore.Decoder = Firestore.Decoder(),
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        getDocument(source: source) { snapshot, error in
            guard let snapshot else {
                return completion(.failure(error ?? FirestoreError(.unknown, "No answer came.")))
            }
            completion(
                Result {
                    try snapshot.data(as: type, with: serverTimestampBehavior, decoder: decoder)
                })
        }
    }

    /// Makes the document of a value, or replaces it, or merges the value into it. See `setData`.
    @discardableResult
    public nonisolated(nonsending) func setData(
        from value: some Encodable, merge: Bool = false,
        encoder: Firestore.Encoder = Firestore.Encoder(), until stage: WriteStage = .committed
    ) async throws -> WriteReceipt {
        try await setData(encoder.encode(value), merge: merge, until: stage)
    }

    /// Changes only the named fields, all of which the value must have. See `setData`.
    @discardableResult
    public nonisolated(nonsending) func setData(
        from value: some Encodable, mergeFields: [any FieldName],
        encoder: Firestore.Encoder = Firestore.Encoder(), until stage: WriteStage = .committed
    ) async throws -> WriteReceipt {
        try await setData(encoder.encode(value), mergeFields: mergeFields, until: stage)
    }

    /// Makes the document of a value, and calls back when the backend has spoken.
    public func setData(
        from value: some Encodable, merge: Bool = false,
        encoder: Firestore.Encoder = Firestore.Encoder(),
        completion: (@Sendable ((any Error)?) -> Void)? = nil
    ) throws {
        setData(try encoder.encode(value), merge: merge, completion: completion)
    }

    /// Changes only the named fields, and calls back when the backend has spoken.
    public func setData(
        from value: some Encodable, mergeFields: [any FieldName],
        encoder: Firestore.Encoder = Firestore.Encoder(),
        completion: (@Sendable ((any Error)?) -> Void)? = nil
    ) throws {
        setData(try encoder.encode(value), mergeFields: mergeFields, completion: completion)
    }
}

extension CollectionReference {
    /// Makes a document of a value, under a random name.
    @discardableResult
    public nonisolated(nonsending) func addDocument(
        from value: some Encodable, encoder: Firestore.Encoder = Firestore.Encoder(),
        until stage: WriteStage = .committed
    ) async throws -> DocumentReference {
        try await addDocument(data: encoder.encode(value), until: stage)
    }

    /// Makes a document of a value, under a random name, and calls back when the backend has spoken.
    @discardableResult
    public func addDocument(
        from value: some Encodable, encoder: Firestore.Encoder = Firestore.Encoder(),
        completion: (@Sendable ((any Error)?) -> Void)? = nil
    ) throws -> DocumentReference {
        addDocument(data: try encoder.encode(value), completion: completion)
    }
}
