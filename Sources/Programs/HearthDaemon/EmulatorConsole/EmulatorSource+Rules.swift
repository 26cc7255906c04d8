import HearthBackend
import HearthConsole
import HearthEmulator
import HearthModel
import HearthRules

/// Rules: in force, tried, published.
extension EmulatorSource {
    /// The rules of a database's project, and what each expression has come to.
    func rules(_ question: ConsoleQuestion) throws -> JSONValue {
        let project = try database(question).project
        let report = desk.ruleReport(of: project)
        let file = report["rules"]?["files"]?.elements?.first
        return .members([
            "project": .string(project), "isHeld": .boolean(desk.hasRules(project)),
            "source": file?["content"] ?? .string(""), "report": report["report"] ?? .array([]),
        ])
    }

    /// Tries a request against a source that need not be in force.
    ///
    /// - Returns: The verdict and what each expression came to, or the problem of the source.
    func tryRules(_ question: ConsoleQuestion) async throws -> JSONValue {
        let source = try question.needed("source")
        let trial = try RuleTrial(question)
        do {
            let outcome = try await desk.outcome(
                of: trial, by: source, in: try database(question))
            return .members([
                "verdict": Self.json(of: outcome.verdict),
                "report": outcome.report["report"] ?? .array([]),
            ])
        } catch let error as RulesError {
            return Self.json(of: error)
        }
    }

    /// Puts a source in force.
    ///
    /// - Returns: Nothing, or the problem of the source; the rules then stay as they were.
    func publishRules(_ question: ConsoleQuestion) async throws -> JSONValue {
        let source = try question.needed("source")
        let project = try database(question).project
        do throws(RulesError) {
            _ = try RuleSet(source)
        } catch {
            return Self.json(of: error)
        }
        try await desk.publish(source, for: project)
        return .object([])
    }

    private static func json(of error: RulesError) -> JSONValue {
        .members([
            "problem": .members([
                "line": .count(error.position.line), "column": .count(error.position.column),
                "message": .string(error.reason),
            ])
        ])
    }
}

extension RuleTrial {
    /// The trial that a page's form describes.
    ///
    /// Shape: `{method, path, auth: null | {uid, claims}, resource: "stored" | "missing" | {fields},
    /// newFields}`, fields as Firestore's REST values.
    fileprivate init(_ question: ConsoleQuestion) throws(HearthError) {
        let name = try question.needed("method")
        guard let method = RuleMethod(rawValue: name) else {
            throw EmulatorSource.argument("There is no method \"\(name.prefix(40))\".")
        }
        let newFields = question.body?["newFields"]
        try self.init(
            method, try question.path("path"), by: try Self.auth(question.body?["auth"]),
            resource: try Self.resource(question.body?["resource"]),
            newFields: newFields == nil || newFields == .null
                ? nil : try ValueJSON.fields(newFields ?? .null))
    }

    private static func auth(_ json: JSONValue?) throws(HearthError) -> RuleRequest.Auth? {
        guard let json, json != .null else { return nil }
        guard let uid = json["uid"]?.string, !uid.isEmpty else {
            throw EmulatorSource.argument("Who asks needs a user's id.")
        }
        let claims = json["claims"] ?? .object([])
        guard let members = claims.members else {
            throw EmulatorSource.argument("The claims of a token are an object.")
        }
        let usual = [("sub", uid), ("user_id", uid)].filter { claims[$0.0] == nil }
        return RuleRequest.Auth(
            uid: uid,
            token: MapValue(
                usual.map { ($0.0, .string($0.1)) }
                    + members.map { ($0.name, Value(claim: $0.value)) }))
    }

    private static func resource(_ json: JSONValue?) throws(HearthError) -> Resource {
        switch json?.string {
        case "stored": return .stored
        case "missing": return .missing
        default:
            guard let json, json.members != nil else { return .stored }
            return .found(try ValueJSON.fields(json["fields"] ?? .object([])))
        }
    }
}
