// Calls for which nobody waits, as Firebase's programs make them in functions that are not `async`.
//
// Top-level code of `main.swift` may `await`, but Swift 6.3 chooses its overloads as if it could not,
// so that even `try await document.setData(data)` would come here, wait for nothing and hide every
// error. `noasync` makes that an error of the compiler, and a warning in Swift 5. What takes a
// completion, be it `nil`, says that it does not wait, and is allowed everywhere. In async functions
// the shorter list of parameters would win if an argument is a literal; so these are disfavored.

extension DocumentReference {
    /// Makes the document, or replaces it, or merges the data into it, and tells of no error.
    @_disfavoredOverload
    @available(*, noasync, message: "it does not wait: `until: .committed` does")
    public func setData(_ documentData: [String: Any], merge: Bool = false) {
        setData(documentData, merge: merge, completion: nil)
    }

    /// Changes only the named fields, all of which must be in the data, and tells of no error.
    @_disfavoredOverload
    @available(*, noasync, message: "it does not wait: `until: .committed` does")
    public func setData(_ documentData: [String: Any], mergeFields: [any FieldName]) {
        setData(documentData, mergeFields: mergeFields, completion: nil)
    }

    /// Makes the document of a value, and tells of no error of the daemon or the backend.
    @_disfavoredOverload
    @available(*, noasync, message: "it does not wait: `until: .committed` does")
    public func setData(
        from value: some Encodable, merge: Bool = false,
        encoder: Firestore.Encoder = Firestore.Encoder()
    ) throws {
        try setData(from: value, merge: merge, encoder: encoder, completion: nil)
    }

    /// Changes only the named fields, and tells of no error of the daemon or the backend.
    @_disfavoredOverload
    @available(*, noasync, message: "it does not wait: `until: .committed` does")
    public func setData(
        from value: some Encodable, mergeFields: [any FieldName],
        encoder: Firestore.Encoder = Firestore.Encoder()
    ) throws {
        try setData(from: value, mergeFields: mergeFields, encoder: encoder, completion: nil)
    }

    /// Changes fields of a document, which must exist, and tells of no error.
    @_disfavoredOverload
    @available(*, noasync, message: "it does not wait: `until: .committed` does")
    public func updateData(_ fields: [AnyHashable: Any]) {
        updateData(fields, completion: nil)
    }

    /// Deletes the document, if there is one, and tells of no error.
    @_disfavoredOverload
    @available(*, noasync, message: "it does not wait: `until: .committed` does")
    public func delete() {
        delete(completion: nil)
    }
}

extension CollectionReference {
    /// Makes a document under a random name, and tells of no error.
    @_disfavoredOverload
    @available(*, noasync, message: "it does not wait: `until: .committed` does")
    @discardableResult
    public func addDocument(data: [String: Any]) -> DocumentReference {
        addDocument(data: data, completion: nil)
    }

    /// Makes a document of a value, and tells of no error of the daemon or the backend.
    @_disfavoredOverload
    @available(*, noasync, message: "it does not wait: `until: .committed` does")
    @discardableResult
    public func addDocument(
        from value: some Encodable, encoder: Firestore.Encoder = Firestore.Encoder()
    ) throws -> DocumentReference {
        try addDocument(from: value, encoder: encoder, completion: nil)
    }
}

extension WriteBatch {
    /// Writes everything that was added, and tells of no error.
    @_disfavoredOverload
    @available(*, noasync, message: "it does not wait: `until: .committed` does")
    public func commit() {
        commit(completion: nil)
    }
}

extension Firestore {
    /// Loads a bundle; the task tells how far it is and whether it failed.
    @_disfavoredOverload
    @available(*, noasync, message: "it does not wait: a call from an async function does")
    @discardableResult
    public func loadBundle(_ bundle: some Sequence<UInt8>) -> LoadBundleTask {
        loadBundle(bundle, completion: nil)
    }

    /// Loads a bundle from a stream; the task tells how far it is and whether it failed.
    @_disfavoredOverload
    @available(*, noasync, message: "it does not wait: a call from an async function does")
    @discardableResult
    public func loadBundle(_ stream: some ByteStream) -> LoadBundleTask {
        loadBundle(stream, completion: nil)
    }

    /// Makes the indexes of a `firestore.indexes.json` those of the machine's cache, and tells of no
    /// error.
    @_disfavoredOverload
    @available(*, noasync, message: "it does not wait: a call from an async function does")
    public func setIndexConfiguration(_ json: String) {
        setIndexConfiguration(json, completion: nil)
    }

    /// Wants the network to be used.
    @_disfavoredOverload
    @available(*, noasync, message: "it does not wait: a call from an async function does")
    public func enableNetwork() {
        enableNetwork(completion: nil)
    }

    /// Wants the network to be left alone.
    @_disfavoredOverload
    @available(*, noasync, message: "it does not wait: a call from an async function does")
    public func disableNetwork() {
        disableNetwork(completion: nil)
    }

    /// Ends the connection and everything that waits for it, in its own time.
    @_disfavoredOverload
    @available(*, noasync, message: "it does not wait: a call from an async function does")
    public func terminate() {
        terminate(completion: nil)
    }

    /// Forgets what the machine holds of this database, and tells of no error.
    @_disfavoredOverload
    @available(*, noasync, message: "it does not wait: a call from an async function does")
    public func clearPersistence() {
        clearPersistence(completion: nil)
    }
}
