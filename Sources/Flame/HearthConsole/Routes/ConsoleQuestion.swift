package import HearthModel
package import HearthRPC

/// What a page asks, read from the request's address and body.
///
/// Each call that throws throws `HearthError` `invalidArgument`, with the name of the parameter, for a text that
/// has no meaning.
package struct ConsoleQuestion: Sendable {
    private let target: HTTPTarget
    /// The body, if the route takes one.
    package let body: JSONValue?

    /// A question whose body was read.
    package init(_ target: HTTPTarget, body: JSONValue? = nil) {
        self.target = target
        self.body = body
    }

    /// The text of a parameter or a member of the body; `nil` if it is not there.
    package func text(_ name: String) -> String? {
        target.parameter(name) ?? body?[name]?.string
    }

    /// The same where the question needs it.
    package func needed(_ name: String) throws(HearthError) -> String {
        guard let text = text(name) else { throw .argument("The request lacks \"\(name)\".") }
        return text
    }

    /// A whole number; `nil` if it is not there.
    package func number(_ name: String) throws(HearthError) -> Int64? {
        if let number = body?[name]?.integer { return number }
        guard let text = target.parameter(name) else { return nil }
        guard let number = Int64(text) else { throw .argument("\"\(name)\" is no number.") }
        return number
    }

    /// How many lines the page wants.
    package func pageSize() throws(HearthError) -> Int {
        let size = try number("pageSize") ?? Int64(ConsoleLimits.pageSize)
        guard size > 0 else { throw .argument("\"pageSize\" is 1 or more.") }
        return Int(min(size, Int64(ConsoleLimits.pageSizeMax)))
    }

    /// JSON, as a member of the body or as the text of a parameter.
    package func json(_ name: String) throws(HearthError) -> JSONValue? {
        if let json = body?[name] { return json }
        guard let text = target.parameter(name) else { return nil }
        do throws(JSONError) {
            return try JSONReader.read(Array(text.utf8))
        } catch {
            throw .argument("\"\(name)\": \(error)")
        }
    }

    /// A page of a collection's documents in the order of their ids, and one document more.
    package func collectionPage(
        in database: DatabaseID
    ) throws(HearthError) -> (query: Query, size: Int) {
        let path = try Self.path(try needed("collection"))
        guard path.count % 2 == 1 else {
            throw .argument("\(PathError.brief(path.string)) is no collection.")
        }
        let size = try pageSize()
        var query = Query(path: path)
        query.limit = Query.Limit(size + 1)
        if let after = text("after") {
            let key = try MutationJSON.key("\(path.string)/\(after)", in: database)
            query.startAt = Bound(
                [.reference(DocumentName(database: database, key: key))], isInclusive: false)
        }
        return (query, size)
    }

    /// A path of a collection or a document; the root if it is not there.
    package func path(_ name: String) throws(HearthError) -> ResourcePath {
        try Self.path(text(name) ?? "")
    }

    private static func path(_ text: String) throws(HearthError) -> ResourcePath {
        do throws(PathError) {
            return try ResourcePath(parsing: text)
        } catch {
            throw .argument("\(error)")
        }
    }
}
