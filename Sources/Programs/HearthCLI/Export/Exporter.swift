import Hearth

/// Prints documents and all that is below them, a line of JSON for each.
///
/// Which collections there are is asked of the machine's cache; the backend tells no client.
struct Exporter: Sendable {
    /// Documents that are read at a time.
    static let pageDocumentCount = 500

    /// The database.
    let firestore: Firestore
    /// Where documents are looked for.
    let source: FirestoreSource

    /// Prints what is at and below a path; `nil` stands for the whole database.
    ///
    /// - Parameter put: Takes each document's line. The lines of a collection come together, in
    ///   order.
    nonisolated(nonsending) func run(
        _ path: PathText?, put: (String) throws(Failure) -> Void
    ) async throws {
        if let path, path.isDocument {
            let document = try firestore.validatedDocument(path.description)
            let snapshot = try await document.getDocument(source: source)
            if snapshot.exists { try put(Self.line(of: snapshot)) }
        } else if let path {
            try await export(path.description, put)
        }
        // At any depth: what is above a document need not be there itself.
        for collection in try await firestore.cachedCollections(below: path?.description) {
            try await export(collection, put)
        }
    }

    /// Prints the documents of a collection, a page at a time.
    private nonisolated(nonsending) func export(
        _ collection: String, _ put: (String) throws(Failure) -> Void
    ) async throws {
        let query = try firestore.validatedCollection(collection)
            .order(by: FieldPath.documentID()).limit(to: Self.pageDocumentCount)
        var last: QueryDocumentSnapshot?
        repeat {
            let page = try await (last.map { query.start(afterDocument: $0) } ?? query)
                .getDocuments(source: source)
            for document in page.documents { try put(Self.line(of: document)) }
            last = page.count == Self.pageDocumentCount ? page.documents.last : nil
        } while last != nil
    }

    /// The line of a document: path and fields, in the form that `import` reads.
    private static func line(of document: DocumentSnapshot) -> String {
        let text = DocumentText(document)
        return Report().with("path", text.path).with("fields", text.fields ?? .map([])).line
    }
}
