import HearthModel

/// A named query as a bundle has it, which may look where only documents of the bundle tell.
///
/// Google's Python library writes the query's own name where the parent's belongs. What such a query
/// found lies where it looks; one that found nothing is taken to look at the top.
struct BundledQuery {
    /// The query's name.
    let name: String
    private let structured: JSONValue
    private let isLast: Bool
    private let readAt: SnapshotVersion
    private let offset: Int
    private let database: DatabaseID
    /// `nil` if the bundle does not say.
    private let parent: ResourcePath?

    /// Reads all but the query itself.
    ///
    /// - Parameters:
    ///   - readAt: When the bundle says that its documents were read.
    ///   - offset: Where the element starts, for errors.
    init(
        _ json: JSONValue, readAt: SnapshotVersion, at offset: Int, in database: DatabaseID
    ) throws(BundleError) {
        guard let name = json["name"]?.string, let bundled = json["bundledQuery"],
            let parent = bundled["parent"]?.string, let structured = bundled["structuredQuery"]
        else {
            throw .badElement(
                offset: offset, reason: "a named query lacks its name, parent or query")
        }
        if let root = DocumentName(parent), root.database == database {
            self.parent = root.path
        } else if utf8Equals(parent, name) {
            self.parent = nil
        } else {
            throw .foreignName(offset: offset, name: parent)
        }
        self.name = name
        self.structured = structured
        self.offset = offset
        self.database = database
        isLast = bundled["limitType"]?.string == "LAST"
        // Of a query that found nothing, the Python library says that it was read in the year 1.
        self.readAt = max(readAt, .zero)
    }

    /// The query, once it is known where it looks.
    ///
    /// - Parameter found: A document that the query found, if there is one.
    func placed(beside found: DocumentKey?) throws(BundleError) -> NamedQuery {
        var query: Query
        do {
            let structured = try BundleJSON(database: database)
                .structuredQuery(structured, parent: parent ?? self.parent(of: found))
            try structured.checkLimits()
            let target = try Target(structured)
            query = target.query()
            // A query for the last is written as the user gave it, not as the backend would watch it.
            if isLast, let limit = target.limit { query.limit = Query.Limit(limit, .last) }
            try query.validate()
        } catch let error as BundleJSON.Failure {
            throw .badElement(offset: offset, reason: error.reason)
        } catch let error as HearthError {
            throw .badElement(offset: offset, reason: error.message)
        } catch {
            throw .badElement(offset: offset, reason: "\(error)")
        }
        return NamedQuery(name: name, query: query, readAt: readAt)
    }

    /// Above the collection that the query names, if the document lies in it; a group is asked for at
    /// the top.
    private func parent(of found: DocumentKey?) -> ResourcePath {
        guard let found, let source = structured["from"]?.elements?.first,
            source["allDescendants"]?.boolean != true, let id = source["collectionId"]?.string,
            utf8Equals(id, found.collection.last)
        else { return .root }
        return found.collection.parent
    }
}
