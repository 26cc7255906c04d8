import HearthModel

extension DocumentReference {
    /// Makes the document, or replaces it.
    ///
    ///     try await ref.setData(["name": "Hall"])                      // returns when committed
    ///     let receipt = try await ref.setData(["name": "Hall"], until: .accepted)
    ///     try await receipt.committed()                                // now, or later, or never
    ///
    /// A write is answered twice. `accepted`: it is durable in the daemon's queue, shows in every
    /// program of the machine, and reaches the backend even if this program ends. `committed`: the
    /// backend has it, which offline takes as long as offline lasts.
    ///
    /// - Parameters:
    ///   - documentData: Integers, `Double`, `Bool`, `String`, `[UInt8]` or `Data`, `Timestamp` or
    ///     `Date`, `GeoPoint`, `VectorValue`, `DocumentReference`, `FirestoreNull` or `nil`,
    ///     `FieldValue`, and arrays and string-keyed dictionaries of these.
    ///   - merge: Whether to change only the fields in the data, and keep the others.
    ///   - stage: How long to wait.
    /// - Throws: `FirestoreError`: `invalidArgument` for data that Firestore cannot hold,
    ///   `unavailable` if no daemon answers, or what the backend said, if waited for.
    @discardableResult
    public nonisolated(nonsending) func setData(
        _ documentData: [String: Any], merge: Bool = false, until stage: WriteStage = .committed
    ) async throws -> WriteReceipt {
        let mutation =
            merge
            ? try UserData.merge(documentData, at: key) : try UserData.set(documentData, at: key)
        return try await firestore.write([mutation], until: stage)
    }

    /// Changes only the named fields, all of which must be in the data. Makes the document if need
    /// be.
    @discardableResult
    public nonisolated(nonsending) func setData(
        _ documentData: [String: Any], mergeFields: [any FieldName],
        until stage: WriteStage = .committed
    ) async throws -> WriteReceipt {
        let mutation = try UserData.merge(
            documentData, mergeFields: mergeFields.modelPaths(), at: key)
        return try await firestore.write([mutation], until: stage)
    }

    /// Changes fields of a document, which must exist: otherwise the backend refuses the write.
    ///
    /// - Parameter fields: By dotted string or `FieldPath`; each is replaced, deleted by
    ///   `FieldValue.delete()`, or changed by another `FieldValue`. See `setData`.
    @discardableResult
    public nonisolated(nonsending) func updateData(
        _ fields: [AnyHashable: Any], until stage: WriteStage = .committed
    ) async throws -> WriteReceipt {
        try await firestore.write([try UserData.update(fields, at: key)], until: stage)
    }

    /// Deletes the document, if there is one. Collections below it stay.
    @discardableResult
    public nonisolated(nonsending) func delete(
        until stage: WriteStage = .committed
    ) async throws -> WriteReceipt {
        try await firestore.write([Mutation(key: key, kind: .delete)], until: stage)
    }
}

/// The same with a closure, called on a thread of Hearth's when the backend has spoken. Without any:
/// `Firestore+WithoutWaiting`.
extension DocumentReference {
    /// Makes the document, or replaces it, or merges the data into it.
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

    /// Changes only the named fields, all of which must be in the data.
    public func setData(
        _ documentData: [String: Any], mergeFields: [any FieldName],
        completion: (@Sendable ((any Error)?) -> Void)?
    ) {
        firestore.write(completion) { () throws(FirestoreError) in
            try UserData.merge(documentData, mergeFields: mergeFields.modelPaths(), at: key)
        }
    }

    /// Changes fields of a document, which must exist.
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
