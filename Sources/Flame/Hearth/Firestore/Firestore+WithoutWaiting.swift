// Calls without waiting, which programs for Firebase make in functions that are not `async`.
//
// Top-level code of `main.swift` may `await`, but Swift 6.3 chooses overloads there as if the code
// could not. So even `try await document.setData(data)` would choose the form in this file, wait
// for nothing and hide every error. `noasync` makes this choice a compiler error, and a warning in
// Swift 5. A call with a completion, even `nil`, clearly does not wait, so the forms with a
// completion are allowed everywhere. In async functions the shorter list of parameters would win if
// an argument is a literal; so the forms here are disfavored.

extension DocumentReference {
    /// Makes or replaces the document, or merges the data into the document, and reports no error.
    @_disfavoredOverload
    @available(*, noasync, message: "it does not wait: `until: .committed` does")
    public func setData(_ documentData: [String: Any], merge: Bool = false) {
        setData(documentData, merge: merge, completion: nil)
    }

    /// Changes only the named fields, and reports no error. The data must hold all the named
    /// fields.
    @_disfavoredOverload
    @available(*, noasync, message: "it does not wait: `until: .committed` does")
    public func setData(_ documentData: [String: Any], mergeFields: [any FieldName]) {
        setData(documentData, mergeFields: mergeFields, completion: nil)
    }

    /// Makes the document of a value, and reports no error of the daemon or the backend.
    ///
    /// - Parameters:
    ///   - value: The value, which `encoder` makes into the document's fields.
    ///   - merge: Whether to change only the fields of the value, and keep the others.
    ///   - encoder: How the value becomes fields.
    /// - Throws: The errors of `Firestore.Encoder.encode`.
    @_disfavoredOverload
    @available(*, noasync, message: "it does not wait: `until: .committed` does")
    public func setData(
        from value: some Encodable, merge: Bool = false,
        encoder: Firestore.Encoder = Firestore.Encoder()
    ) throws {
        try setData(from: value, merge: merge, encoder: encoder, completion: nil)
    }

    /// Changes only the named fields, and reports no error of the daemon or the backend.
    ///
    /// - Parameters:
    ///   - value: The value, which must have all the named fields.
    ///   - mergeFields: The names or paths of the fields to change.
    ///   - encoder: How the value becomes fields.
    /// - Throws: The errors of `Firestore.Encoder.encode`.
    @_disfavoredOverload
    @available(*, noasync, message: "it does not wait: `until: .committed` does")
    public func setData(
        from value: some Encodable, mergeFields: [any FieldName],
        encoder: Firestore.Encoder = Firestore.Encoder()
    ) throws {
        try setData(from: value, mergeFields: mergeFields, encoder: encoder, completion: nil)
    }

    /// Changes fields of a document, and reports no error. The document must exist.
    @_disfavoredOverload
    @available(*, noasync, message: "it does not wait: `until: .committed` does")
    public func updateData(_ fields: [AnyHashable: Any]) {
        updateData(fields, completion: nil)
    }

    /// Deletes the document, if there is one, and reports no error.
    @_disfavoredOverload
    @available(*, noasync, message: "it does not wait: `until: .committed` does")
    public func delete() {
        delete(completion: nil)
    }
}

extension CollectionReference {
    /// Makes a document under a random name, and reports no error.
    @_disfavoredOverload
    @available(*, noasync, message: "it does not wait: `until: .committed` does")
    @discardableResult
    public func addDocument(data: [String: Any]) -> DocumentReference {
        addDocument(data: data, completion: nil)
    }

    /// Makes a document of a value, and reports no error of the daemon or the backend.
    ///
    /// - Throws: The errors of `Firestore.Encoder.encode`.
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
    /// Writes everything that was added, and reports no error.
    @_disfavoredOverload
    @available(*, noasync, message: "it does not wait: `until: .committed` does")
    public func commit() {
        commit(completion: nil)
    }
}

extension Firestore {
    /// Loads a bundle. The task tells the progress, and whether the loading failed.
    @_disfavoredOverload
    @available(*, noasync, message: "it does not wait: a call from an async function does")
    @discardableResult
    public func loadBundle(_ bundle: some Sequence<UInt8>) -> LoadBundleTask {
        loadBundle(bundle, completion: nil)
    }

    /// Loads a bundle from a stream. The task tells the progress, and whether the loading failed.
    @_disfavoredOverload
    @available(*, noasync, message: "it does not wait: a call from an async function does")
    @discardableResult
    public func loadBundle(_ stream: some ByteStream) -> LoadBundleTask {
        loadBundle(stream, completion: nil)
    }

    /// Configures the indexes of the machine's cache from a `firestore.indexes.json`, and reports
    /// no error.
    @_disfavoredOverload
    @available(*, noasync, message: "it does not wait: a call from an async function does")
    public func setIndexConfiguration(_ json: String) {
        setIndexConfiguration(json, completion: nil)
    }

    /// Withdraws `disableNetwork`.
    @_disfavoredOverload
    @available(*, noasync, message: "it does not wait: a call from an async function does")
    public func enableNetwork() {
        enableNetwork(completion: nil)
    }

    /// Tells the daemon that this program wants no network.
    @_disfavoredOverload
    @available(*, noasync, message: "it does not wait: a call from an async function does")
    public func disableNetwork() {
        disableNetwork(completion: nil)
    }

    /// Begins to end the connection and all operations, and returns at once.
    @_disfavoredOverload
    @available(*, noasync, message: "it does not wait: a call from an async function does")
    public func terminate() {
        terminate(completion: nil)
    }

    /// Deletes all that the machine holds of this database, and reports no error.
    @_disfavoredOverload
    @available(*, noasync, message: "it does not wait: a call from an async function does")
    public func clearPersistence() {
        clearPersistence(completion: nil)
    }
}
