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

    /// Prints what is at and below a path; an empty one stands for the whole database.
    ///
    /// - Parameter put: Takes each document's line, in the order of paths.
    nonisolated(nonsending) func run(
        _ path: PathText?, put: (String) throws(Failure) -> Void
    ) async throws {
        guard let path else {
            for collection in try await collections(below: nil) { try await walk(collection, put) }
            return
        }
        if path.isDocument {
            let document = try firestore.validatedDocument(path.description)
            let snapshot = try await document.getDocument(source: source)
            if snapshot.exists { try put(Self.line(of: snapshot)) }
            let below = try await collections(below: path.description)
            for collection in below { try await walk(collection, put) }
        } else {
            try await walk(path.description, put)
        }
    }

    /// Prints the documents of a collection, then the collections below each.
    private nonisolated(nonsending) func walk(
        _ path: String, _ put: (String) throws(Failure) -> Void
    ) async throws {
        let collection = try firestore.validatedCollection(path)
        let query = collection.order(by: FieldPath.documentID()).limit(to: Self.pageDocumentCount)
        var last: QueryDocumentSnapshot?
        repeat {
            let page = try await (last.map { query.start(afterDocument: $0) } ?? query)
                .getDocuments(source: source)
            for document in page.documents { try put(Self.line(of: document)) }
            last = page.count == Self.pageDocumentCount ? page.documents.last : nil
        } while last != nil
        // Also below documents that are not there themselves.
        for name in try await collections(below: path) { try await walk(name, put) }
    }

    /// The collections one level below a document, all documents of a collection, or the database.
    private nonisolated(nonsending) func collections(below path: String?) async throws -> [String] {
        let depth = path.map { $0.split(separator: "/").count } ?? 0
        let wanted = depth.isMultiple(of: 2) ? depth + 1 : depth + 2
        return try await firestore.cachedCollections(below: path).filter {
            $0.split(separator: "/").count == wanted
        }
    }

    /// The line of a document: its path and its fields, as `import` reads them.
    private static func line(of document: DocumentSnapshot) -> String {
        let text = DocumentText(document)
        return Report().with("path", text.path).with("fields", text.fields ?? .map([])).line
    }
}
