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
                    reference: snapshot.reference, behavior: serverTimestampBehavior))
        }
    }
}

extension DocumentSnapshot {
    /// The document as a value of a type.
    ///
    /// - Throws: `FirestoreError` `notFound` if there is no document and the type is no optional;
    ///   `DecodingError` if its fields do not fit.
    public func data<T: Decodable>(
        as type: T.Type, with serverTimestampBehavior: ServerTimestampBehavior = .none
    ) throws -> T {
        if !exists, let nothing = (type as? any AnyOptional.Type)?.nothing as? T { return nothing }
        return try Firestore.Decoder().decode(type, from: self, with: serverTimestampBehavior)
    }
}

extension DocumentReference {
    /// Reads the document once, as a value of a type.
    public func getDocument<T: Decodable & Sendable>(
        as type: T.Type, source: FirestoreSource = .default
    ) async throws -> T {
        try await getDocument(source: source).data(as: type)
    }

    /// Makes the document of a value, or replaces it, or merges the value into it. See `setData`.
    @discardableResult
    public nonisolated(nonsending) func setData(
        from value: some Encodable, merge: Bool = false, until stage: WriteStage = .committed
    ) async throws -> WriteReceipt {
        try await setData(Firestore.Encoder().encode(value), merge: merge, until: stage)
    }

    /// Makes the document of a value, and calls back when the backend has spoken.
    public func setData(
        from value: some Encodable, merge: Bool = false,
        completion: (@Sendable ((any Error)?) -> Void)? = nil
    ) throws {
        setData(try Firestore.Encoder().encode(value), merge: merge, completion: completion)
    }
}

extension CollectionReference {
    /// Makes a document of a value, under a random name.
    @discardableResult
    public nonisolated(nonsending) func addDocument(
        from value: some Encodable, until stage: WriteStage = .committed
    ) async throws -> DocumentReference {
        try await addDocument(data: Firestore.Encoder().encode(value), until: stage)
    }
}

extension WriteBatch {
    /// Makes a document of a value, or replaces it, or merges the value into it.
    @discardableResult
    public func setData(
        from value: some Encodable, forDocument document: DocumentReference, merge: Bool = false
    ) throws -> WriteBatch {
        setData(try Firestore.Encoder().encode(value), forDocument: document, merge: merge)
    }
}

extension Transaction {
    /// Makes a document of a value, or replaces it, or merges the value into it.
    @discardableResult
    public func setData(
        from value: some Encodable, forDocument document: DocumentReference, merge: Bool = false
    ) throws -> Transaction {
        setData(try Firestore.Encoder().encode(value), forDocument: document, merge: merge)
    }
}
