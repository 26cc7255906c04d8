import HearthModel

extension DocumentReference {
    /// Makes the document, or replaces it.
    ///
    ///     try await ref.setData(["name": "Hall"])                      // returns when committed
    ///     let receipt = try await ref.setData(["name": "Hall"], until: .accepted)
    ///     try await receipt.committed()                                // now, or later, or never
    ///
    /// A write gets two answers. `accepted`: the write is durable in the daemon's queue, shows in
    /// every program of the machine, and reaches the backend even if this program ends.
    /// `committed`: the backend has the write. Without a network, `committed` comes only when the
    /// network is back.
    ///
    /// - Parameters:
    ///   - documentData: Integers, `Double`, `Bool`, `String`, `[UInt8]` or `Data`, `Timestamp` or
    ///     `Date`, `GeoPoint`, `VectorValue`, `DocumentReference`, `FirestoreNull` or `nil`,
    ///     `FieldValue`, and arrays and string-keyed dictionaries of these.
    ///   - merge: Whether to change only the fields in the data, and keep the others.
    ///   - precondition: What must hold of the document; `nil` for what the method demands itself.
    ///   - expires: When the write is given up if it was not sent; `nil` for never. It then fails with
    ///     `deadlineExceeded`.
    ///   - whenOnlineOnly: Whether the write is only for now: it fails with `unavailable` if the backend
    ///     is known not to be there, or goes before the write was sent.
    ///   - stage: How long to wait.
    /// - Throws: `FirestoreError`: `invalidArgument` for data that Firestore cannot hold,
    ///   `unavailable` if no daemon answers, or the backend's error, if `stage` is `committed`.
    @discardableResult
    public nonisolated(nonsending) func setData(
        _ documentData: [String: Any], merge: Bool = false, precondition: Precondition? = nil,
        expires: WriteExpiry? = nil,
        whenOnlineOnly: Bool = false, until stage: WriteStage = .committed
    ) async throws -> WriteReceipt {
        let mutation =
            merge
            ? try UserData.merge(documentData, at: key) : try UserData.set(documentData, at: key)
        return try await firestore.write(
            [mutation.under(precondition)],
            WriteConditions(precondition, expires, whenOnlineOnly: whenOnlineOnly), until: stage)
    }

    /// Changes only the named fields, and makes the document if there is none.
    ///
    /// - Parameters:
    ///   - documentData: The data. It must hold all the named fields.
    ///   - mergeFields: The fields to change.
    ///   - precondition: What must hold of the document; `nil` for nothing.
    ///   - expires: When the write is given up if it was not sent; `nil` for never.
    ///   - whenOnlineOnly: Whether the write is only for now; see the other `setData`.
    ///   - stage: How long to wait.
    /// - Throws: `FirestoreError` as the other `setData`; also `invalidArgument` if the data lacks
    ///   a named field.
    @discardableResult
    public nonisolated(nonsending) func setData(
        _ documentData: [String: Any], mergeFields: [any FieldName],
        precondition: Precondition? = nil, expires: WriteExpiry? = nil,
        whenOnlineOnly: Bool = false, until stage: WriteStage = .committed
    ) async throws -> WriteReceipt {
        let mutation = try UserData.merge(
            documentData, mergeFields: mergeFields.modelPaths(), at: key)
        return try await firestore.write(
            [mutation.under(precondition)],
            WriteConditions(precondition, expires, whenOnlineOnly: whenOnlineOnly), until: stage)
    }

    /// Changes fields of a document. The backend refuses the write if the document does not exist.
    ///
    /// - Parameters:
    ///   - fields: Values under dotted strings or `FieldPath`s. A value replaces its field,
    ///     `FieldValue.delete()` deletes the field, and another `FieldValue` changes the field.
    ///   - precondition: What must hold of the document; `nil` demands only that the document
    ///     exists.
    ///   - expires: When the write is given up if it was not sent; `nil` for never.
    ///   - whenOnlineOnly: Whether the write is only for now; see `setData`.
    ///   - stage: How long to wait.
    /// - Throws: `FirestoreError` as `setData`.
    @discardableResult
    public nonisolated(nonsending) func updateData(
        _ fields: [AnyHashable: Any], precondition: Precondition? = nil,
        expires: WriteExpiry? = nil,
        whenOnlineOnly: Bool = false, until stage: WriteStage = .committed
    ) async throws -> WriteReceipt {
        try await firestore.write(
            [try UserData.update(fields, at: key).under(precondition)],
            WriteConditions(precondition, expires, whenOnlineOnly: whenOnlineOnly), until: stage)
    }

    /// Deletes the document, if there is one. Collections below the document stay.
    ///
    /// - Parameters:
    ///   - precondition: What must hold of the document; `nil` for nothing.
    ///   - expires: When the write is given up if it was not sent; `nil` for never.
    ///   - whenOnlineOnly: Whether the write is only for now; see `setData`.
    ///   - stage: How long to wait.
    /// - Throws: `FirestoreError`: `unavailable` if no daemon answers, or the backend's error, if
    ///   `stage` is `committed`.
    @discardableResult
    public nonisolated(nonsending) func delete(
        precondition: Precondition? = nil, expires: WriteExpiry? = nil,
        whenOnlineOnly: Bool = false, until stage: WriteStage = .committed
    ) async throws -> WriteReceipt {
        try await firestore.write(
            [Mutation(key: key, kind: .delete).under(precondition)],
            WriteConditions(precondition, expires, whenOnlineOnly: whenOnlineOnly), until: stage)
    }
}

/// The same with a closure, which Hearth calls on a thread of its own when the backend has
/// answered. For calls without a closure, see `Firestore+WithoutWaiting`.
extension DocumentReference {
    /// Makes or replaces the document, or merges the data into the document.
    ///
    /// - Parameters:
    ///   - documentData: The fields, as in the form that waits.
    ///   - merge: Whether to change only the fields in the data, and keep the others.
    ///   - completion: Gets the error of the write; `nil` if the backend has committed the write.
    public func setData(
        _ documentData: [String: Any], merge: Bool = false,
        completion: (@Sendable ((any Error)?) -> Void)?
    ) {
        firestore.write(completion) { () throws(FirestoreError) in
            merge
                ? try UserData.merge(documentData, at: key)
                : try UserData.set(documentData, at: key)
        }
    }

    /// Changes only the named fields. The data must hold all the named fields.
    ///
    /// - Parameters:
    ///   - documentData: The fields, as in the form that waits.
    ///   - mergeFields: The names or paths of the fields to change.
    ///   - completion: Gets the error of the write; `nil` if the backend has committed the write.
    public func setData(
        _ documentData: [String: Any], mergeFields: [any FieldName],
        completion: (@Sendable ((any Error)?) -> Void)?
    ) {
        firestore.write(completion) { () throws(FirestoreError) in
            try UserData.merge(documentData, mergeFields: mergeFields.modelPaths(), at: key)
        }
    }

    /// Changes fields of a document. The document must exist.
    public func updateData(
        _ fields: [AnyHashable: Any], completion: (@Sendable ((any Error)?) -> Void)?
    ) {
        firestore.write(completion) { () throws(FirestoreError) in
            try UserData.update(fields, at: key)
        }
    }

    /// Deletes the document, if there is one.
    public func delete(completion: (@Sendable ((any Error)?) -> Void)?) {
        firestore.write(completion) { Mutation(key: key, kind: .delete) }
    }
}

extension [any FieldName] {
    func modelPaths() throws(FirestoreError) -> [HearthModel.FieldPath] {
        var paths: [HearthModel.FieldPath] = []
        for name in self { paths.append(try name.modelPath()) }
        return paths
    }
}
