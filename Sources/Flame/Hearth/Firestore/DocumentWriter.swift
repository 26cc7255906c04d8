import HearthModel

/// What gathers writes of documents that stand or fall together: a `WriteBatch`, a `Transaction`.
///
/// Only Hearth's own types are useful as one.
public protocol DocumentWriter: Sendable {
    /// Takes a write, or remembers why there is none.
    @discardableResult
    func add(_ write: DocumentWrite) -> Self
}

/// One write for a `DocumentWriter`, or why it cannot be made. Only Hearth makes them.
public struct DocumentWrite: Sendable {
    let mutation: Result<Mutation, FirestoreError>

    fileprivate init(_ mutation: () throws(FirestoreError) -> Mutation) {
        self.mutation = Result(catching: mutation)
    }
}

extension DocumentWriter {
    /// Makes a document, or replaces it, or merges the data into it.
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

    /// Changes only the named fields of a document, all of which must be in the data.
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

    /// Changes fields of a document, which must exist.
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

    /// Makes a document of a value, or replaces it, or merges the value into it.
    @discardableResult
    public func setData(
        from value: some Encodable, forDocument document: DocumentReference, merge: Bool = false,
        encoder: Firestore.Encoder = Firestore.Encoder()
    ) throws -> Self {
        setData(try encoder.encode(value), forDocument: document, merge: merge)
    }

    /// Changes only the named fields of a document, all of which the value must have.
    @discardableResult
    public func setData(
        from value: some Encodable, forDocument document: DocumentReference,
        mergeFields: [any FieldName], encoder: Firestore.Encoder = Firestore.Encoder()
    ) throws -> Self {
        setData(try encoder.encode(value), forDocument: document, mergeFields: mergeFields)
    }
}
