import HearthModel
import HearthRules
import Testing

/// Rules, documents and who asks, with short words for what tests do with them.
struct RulesSpec {
    static let database = DatabaseID(project: "spec")

    var rules: RuleSet
    var documents = Documents()
    var time = Timestamp(seconds: 1_700_000_000, nanoseconds: 0)

    /// Documents in memory, before and after a request.
    struct Documents: RuleDocuments {
        var before: [DocumentKey: Document] = [:]
        var after: [DocumentKey: Document] = [:]

        func document(_ key: DocumentKey) -> Document {
            before[key] ?? .missing(key, at: .zero)
        }

        func documentAfter(_ key: DocumentKey) -> Document {
            after[key] ?? document(key)
        }
    }

    /// Rules in the usual frame.
    init(_ body: String, version: String = "2") throws {
        rules = try RuleSet(Self.framed(body, version: version))
    }

    /// A source whose fourth line is the first of `body`.
    static func framed(_ body: String, version: String = "2") -> String {
        """
        rules_version = '\(version)';
        service cloud.firestore {
          match /databases/{database}/documents {
        \(body)
          }
        }
        """
    }

    mutating func put(_ path: String, _ fields: MapValue) {
        let key = Self.key(path)
        documents.before[key] = .found(key, at: .zero, fields)
    }

    func get(_ path: String, _ claims: MapValue = [:], by uid: String? = "alice") -> RuleDecision {
        decide(.get, path, nil, by: uid, claims)
    }

    func create(_ path: String, _ fields: MapValue, by uid: String? = "alice") -> RuleDecision {
        decide(.create, path, fields, by: uid)
    }

    func update(_ path: String, _ fields: MapValue, by uid: String? = "alice") -> RuleDecision {
        decide(.update, path, fields, by: uid)
    }

    func delete(_ path: String, by uid: String? = "alice") -> RuleDecision {
        decide(.delete, path, nil, by: uid)
    }

    func list(
        _ path: String, _ filters: FieldFilter..., limit: Int? = nil, group: String? = nil,
        by uid: String? = "alice"
    ) throws -> RuleDecision {
        try list(path, filters, limit: limit, offset: 0, group: group, orderBys: [], by: uid)
    }

    func list(
        _ path: String, _ filters: [FieldFilter], limit: Int?, offset: Int, group: String?,
        orderBys: [OrderBy], by uid: String? = "alice"
    ) throws -> RuleDecision {
        let path = try ResourcePath(parsing: path)
        let query = RuleQuery(
            scope: group.map { .group($0, below: path) } ?? .collection(path), filters: filters,
            limit: limit, offset: offset, orderBys: orderBys)
        var accesses = RuleAccesses()
        return rules.decide(
            RuleRequest(query, in: Self.database, by: auth(uid, [:]), at: time),
            reading: documents, &accesses)
    }

    private func decide(
        _ method: RuleMethod, _ path: String, _ fields: MapValue?, by uid: String?,
        _ claims: MapValue = [:]
    ) -> RuleDecision {
        let key = Self.key(path)
        var documents = documents
        var request = RuleRequest(
            method, documents.document(key), in: Self.database, by: auth(uid, claims), at: time)
        if let fields { request.newDocument = .found(key, at: .zero, fields) }
        if method != .get {
            documents.after[key] = request.newDocument ?? .missing(key, at: .zero)
        }
        var accesses = RuleAccesses()
        return rules.decide(request, reading: documents, &accesses)
    }

    private func auth(_ uid: String?, _ claims: MapValue) -> RuleRequest.Auth? {
        uid.map { uid in
            var token = claims
            token["sub"] = .string(uid)
            return RuleRequest.Auth(uid: uid, token: token)
        }
    }

    static func key(_ path: String) -> DocumentKey {
        guard let key = try? DocumentKey(parsing: path) else {
            preconditionFailure("\(path) is no document's path")
        }
        return key
    }
}
