import HearthModel

/// Gathers writes that the backend applies all or none: a `WriteBatch` or a `Transaction`.
///
/// Only Hearth's own types can carry the writes out.
public protocol DocumentWriter: Sendable {
    /// Takes a write, or remembers why the write cannot be made.
    @discardableResult
    func add(_ write: DocumentWrite) -> Self
}

/// One write for a `DocumentWriter`, or the error why the write cannot be made.
///
/// Only Hearth makes values of this type.
public struct DocumentWrite: Sendable {
    let mutation: Result<Mutation, FirestoreError>

    init(_ mutation: () throws(FirestoreError) -> Mutation) {
        self.mutation = Result(catching: mutation)
    }
}

extension DocumentWriter {
    /// Makes or replaces a document, or merges the data into the document.
    ///
    /// - Parameters:
    ///   - data: The fields; see `DocumentReference.setData`.
    ///   - document: The document.
    ///   - merge: Whether to change only the fields in the data, and keep the others.
    @discardableResult
    public func setData(
        _ data: [String: Any], forDocument document: DocumentReference, merge: Bool = false
    ) -> Self {
        add(
            DocumentWrite { () throws(FirestoreError) in
                merge
                    ? try UserData.merge(data, at: document.key)
                    : try UserData.set(data, at: document.key)
            })
    }

    /// Changes only the named fields of a document. The data must hold all the named fields.
    ///
    /// - Parameters:
    ///   - data: The fields; see `DocumentReference.setData`.
    ///   - document: The document.
    ///   - mergeFields: The names or paths of the fields to change.
    @discardableResult
    public func setData(
        _ data: [String: Any], forDocument document: DocumentReference,
        mergeFields: [any FieldName]
    ) -> Self {
        add(
            DocumentWrite { () throws(FirestoreError) in
                try UserData.merge(data, mergeFields: mergeFields.modelPaths(), at: document.key)
            })
    }

    /// Changes fields of a document. The document must exist.
    @discardableResult
    public func updateData(
        _ fields: [AnyHashable: Any], forDocument document: DocumentReference
    ) -> Self {
        add(
            DocumentWrite { () throws(FirestoreError) in
                try UserData.update(fields, at: document.key)
            })
    }

    /// Deletes a document, if there is one.
    @discardableResult
    public func deleteDocument(_ document: DocumentReference) -> Self {
        add(DocumentWrite { Mutation(key: document.key, kind: .delete) })
    }

    /// Makes or replaces a document with the fields of a value, or merges the fields into the
    /// document.
    ///
    /// - Throws: The errors of `Firestore.Encoder.encode`. The writer tells all others.
    @discardableResult
    public func setData(
        from value: some Encodable, forDocument document: DocumentReference, merge: Bool = false,
        encoder: Firestore.Encoder = Firestore.Encoder()
    ) throws -> Self {
        setData(try encoder.encode(value), forDocument: document, merge: merge)
    }

    /// Changes only the named fields of a document. The value must have all the named fields.
    ///
    /// - Parameters:
    ///   - value: The value, which `encoder` makes into fields.
    ///   - document: The document.
    ///   - mergeFields: The names or paths of the fields to change.
    ///   - encoder: How the value becomes fields.
    /// - Throws: The errors of `Firestore.Encoder.encode`. The writer tells all others.
    @discardableResult
    public func setData(
        from value: some Encodable, forDocument document: DocumentReference,
        mergeFields: [any FieldName], encoder: Firestore.Encoder = Firestore.Encoder()
    ) throws -> Self {
        setData(try encoder.encode(value), forDocument: document, mergeFields: mergeFields)
    }
}
