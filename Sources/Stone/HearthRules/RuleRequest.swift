package import HearthModel

/// A request about a document, or about the results of a query, as rules see the request.
package struct RuleRequest: Sendable {
    /// Who asks, if anybody is signed in.
    package struct Auth: Sendable {
        /// The user's id.
        package let uid: String
        /// The claims of the user's token.
        package let token: MapValue

        /// Names a user.
        package init(uid: String, token: MapValue) {
            self.uid = uid
            self.token = token
        }
    }

    /// What the request is about.
    package enum Subject: Sendable {
        /// A document as it is, found or missing.
        case document(Document)
        /// The results of a query.
        case query(RuleQuery)
    }

    /// What is to be done.
    package let method: RuleMethod
    /// Where.
    package let database: DatabaseID
    /// With what.
    package let subject: Subject
    /// The document as it will be, for a create or an update, and for a get that verifies a document.
    package var newDocument: Document?
    /// Who asks.
    package let auth: Auth?
    /// When.
    package let time: Timestamp

    /// Asks to read or change a document.
    ///
    /// - Parameters:
    ///   - method: What is to be done.
    ///   - document: The document as it is before the request.
    ///   - database: The database of the document.
    ///   - auth: Who asks; `nil` for somebody who is not signed in.
    ///   - time: When the request came, as rules see it.
    package init(
        _ method: RuleMethod, _ document: Document, in database: DatabaseID, by auth: Auth?,
        at time: Timestamp
    ) {
        self.method = method
        self.database = database
        self.subject = .document(document)
        self.auth = auth
        self.time = time
    }

    /// Asks for the results of a query.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - database: The database of the query.
    ///   - auth: Who asks; `nil` for somebody who is not signed in.
    ///   - time: When the request came, as rules see it.
    package init(
        _ query: RuleQuery, in database: DatabaseID, by auth: Auth?, at time: Timestamp
    ) {
        self.method = .list
        self.database = database
        self.subject = .query(query)
        self.auth = auth
        self.time = time
    }
}

/// What the results of one conjunction of a query's filter have in common.
///
/// A query whose filter is a disjunction becomes several `RuleQuery` values, and the rules must
/// allow every value.
package struct RuleQuery: Sendable {
    /// Where a query looks.
    package enum Scope: Sendable {
        /// One collection.
        case collection(ResourcePath)
        /// All collections of an id at any depth below a path.
        case group(String, below: ResourcePath)
        /// All collections at any depth below a path.
        case everything(below: ResourcePath)
    }

    /// Where the query looks.
    package let scope: Scope
    /// Comparisons that every result fulfils.
    package let filters: [FieldFilter]
    /// `request.query.limit`.
    package let limit: Int?
    /// `request.query.offset`.
    package let offset: Int
    /// `request.query.orderBy`.
    package let orderBys: [OrderBy]

    /// Takes the parts.
    ///
    /// - Parameters:
    ///   - scope: Where the query looks.
    ///   - filters: Comparisons that every result fulfils.
    ///   - limit: What rules see as `request.query.limit`; `nil` for none.
    ///   - offset: What rules see as `request.query.offset`.
    ///   - orderBys: What rules see as `request.query.orderBy`.
    package init(
        scope: Scope, filters: [FieldFilter] = [], limit: Int? = nil, offset: Int = 0,
        orderBys: [OrderBy] = []
    ) {
        self.scope = scope
        self.filters = filters
        self.limit = limit
        self.offset = offset
        self.orderBys = orderBys
    }
}

/// Where rules look up other documents.
package protocol RuleDocuments: Sendable {
    /// The document as it is before the request.
    func document(_ key: DocumentKey) -> Document

    /// The document as it will be when all of the request is done.
    func documentAfter(_ key: DocumentKey) -> Document
}

/// What a request has looked up: the limit is for all of its documents together.
package struct RuleAccesses: Sendable {
    var keys: Set<Key> = []
    /// What notes the values of expressions; `nil` if nobody wants to know them.
    package var recorder: RuleRecorder?

    struct Key: Hashable {
        let document: DocumentKey
        let isAfter: Bool
    }

    /// Nothing yet.
    package init(recorder: RuleRecorder? = nil) {
        self.recorder = recorder
    }
}

/// What rules say of a request.
package enum RuleDecision: Hashable, Sendable {
    case allowed
    /// Why not: each allow statement that was evaluated, with its outcome. Empty without such a
    /// statement.
    case denied([String])

    /// Whether the request may be carried out.
    package var isAllowed: Bool { self == .allowed }
}
