import HearthModel

extension RuleValue {
    /// `request`.
    init(_ request: RuleRequest) {
        var entries: [(String, RuleValue)] = [
            ("auth", Self.auth(request.auth)),
            ("method", .string(request.method.rawValue)),
            ("time", .timestamp(request.time)),
        ]
        if let path = Self.path(of: request) { entries.append(("path", .path(path))) }
        switch request.method {
        case .create, .update:
            entries.append(
                ("resource", Self.document(request.newDocument, in: request.database)))
        case .delete: entries.append(("resource", .null))
        case .list:
            if case .query(let query) = request.subject {
                entries.append(("query", .map(Self.options(of: query))))
            }
        case .get:
            // A write that only verifies a document asks as a get does, and has a resource.
            if let document = request.newDocument {
                entries.append(("resource", Self.document(document, in: request.database)))
            }
        }
        self = .map(RuleMap(entries))
    }

    /// A document as rules see it; null if it does not exist.
    static func document(_ document: Document?, in database: DatabaseID) -> RuleValue {
        guard let document, document.isFound else { return .null }
        let name = DocumentName(database: database, key: document.key)
        return .map(
            RuleMap([
                ("data", .map(RuleMap(document.fields))),
                ("id", .string(document.key.documentID)),
                ("__name__", .path(RulePath(name))),
            ]))
    }

    private static func auth(_ auth: RuleRequest.Auth?) -> RuleValue {
        guard let auth else { return .null }
        return .map(
            RuleMap([("uid", .string(auth.uid)), ("token", .map(RuleMap(auth.token)))]))
    }

    /// The document, or a query's collection; `nil` for a group, whose collections are not known.
    private static func path(of request: RuleRequest) -> RulePath? {
        switch request.subject {
        case .document(let document):
            return RulePath(DocumentName(database: request.database, key: document.key))
        case .query(let query):
            if let key = query.documentKey {
                return RulePath(DocumentName(database: request.database, key: key))
            }
            guard case .collection(let path) = query.scope else { return nil }
            return RulePath(DocumentName(database: request.database, path: path))
        }
    }

    private static func options(of query: RuleQuery) -> RuleMap {
        let orders = query.orderBys.map { orderBy in
            let direction = orderBy.direction == .ascending ? "ASC" : "DESC"
            return (orderBy.field.description, RuleValue.string(direction))
        }
        return RuleMap([
            ("limit", query.limit.map { .integer(Int64($0)) } ?? .null),
            ("offset", .integer(Int64(query.offset))),
            ("orderBy", .map(RuleMap(orders))),
        ])
    }
}
