import HearthModel

/// A named query from a bundle; sometimes only the bundle's documents tell where the query looks.
///
/// Google's Python library writes the query's own name in the place of the parent's name. The
/// documents that such a query found lie in the collection where the query looks. If the query
/// found nothing, the reader takes the query to look at the top.
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
        // The Python library gives a query without results a read time in the year 1.
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
            // A query for the last documents is written as the user gave the query, not as the
            // backend would watch the query.
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

    /// The parent of the collection that the query names, if the document lies in the collection.
    ///
    /// For a collection group the parent is the top.
    private func parent(of found: DocumentKey?) -> ResourcePath {
        guard let found, let source = structured["from"]?.elements?.first,
            source["allDescendants"]?.boolean != true, let id = source["collectionId"]?.string,
            utf8Equals(id, found.collection.last)
        else { return .root }
        return found.collection.parent
    }
}
