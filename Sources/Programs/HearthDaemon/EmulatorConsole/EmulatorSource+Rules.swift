import HearthBackend
import HearthConsole
import HearthEmulator
import HearthModel
import HearthRules

/// Rules of both services: in force, tried, published.
extension EmulatorSource {
    /// Whose rules a question is about.
    private enum Held {
        case firestore(DatabaseID)
        case realtime(RealtimeNamespace)
    }

    /// A tree's name has no slash, and a database's has one.
    private func held(_ question: ConsoleQuestion) throws(HearthError) -> Held {
        try question.needed("db").contains("/")
            ? .firestore(try database(question)) : .realtime(try Self.namespace(question))
    }

    /// The rules of a database's project or of a tree, and what each expression has come to.
    func rules(_ question: ConsoleQuestion) throws -> JSONValue {
        let name: String
        let report: JSONValue
        var isHeld = true
        switch try held(question) {
        case .firestore(let id):
            name = id.project
            report = desk.ruleReport(of: id.project)
            isHeld = desk.hasRules(id.project)
        case .realtime(let namespace):
            // A tree that was given no rules has rules that allow everything.
            name = namespace.name
            report = desk.ruleReport(of: namespace)
        }
        let file = report["rules"]?["files"]?.elements?.first
        return .members([
            "project": .string(name), "isHeld": .boolean(isHeld),
            "source": file?["content"] ?? .string(""), "report": report["report"] ?? .array([]),
        ])
    }

    /// Tries a request against a source that need not be in force.
    ///
    /// - Returns: The verdict and what each expression came to, or the problem of the source.
    func tryRules(_ question: ConsoleQuestion) async throws -> JSONValue {
        let source = try question.needed("source")
        do {
            let outcome: RuleTrial.Outcome
            switch try held(question) {
            case .firestore(let id):
                outcome = try await desk.outcome(of: RuleTrial(question), by: source, in: id)
            case .realtime(let namespace):
                outcome = try desk.outcome(
                    of: RealtimeRuleTrial(question), by: source, in: namespace)
            }
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
        let held = try held(question)
        do throws(RulesError) {
            switch held {
            case .firestore: _ = try RuleSet(source)
            case .realtime: _ = try RealtimeRuleSet(source)
            }
        } catch {
            return Self.json(of: error)
        }
        switch held {
        case .firestore(let id): try await desk.publish(source, for: id.project)
        case .realtime(let namespace): try await desk.publish(source, for: namespace)
        }
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
        guard let method = RuleMethod(rawValue: name) else { throw .noMethod(name) }
        let newFields = question.body?["newFields"]
        try self.init(
            method, try question.path("path"),
            by: try TrialAsker(question.body?["auth"])?.auth,
            resource: try Self.resource(question.body?["resource"]),
            newFields: newFields == nil || newFields == .null
                ? nil : try ValueJSON.fields(newFields ?? .null))
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

extension RealtimeRuleTrial {
    /// The trial that a page's form describes.
    ///
    /// Shape: `{method: "read" | "write", path, auth: null | {uid, claims}, resource: "stored" |
    /// "missing" | {value}, newValue}`, values as clients of the Realtime Database write them.
    fileprivate init(_ question: ConsoleQuestion) throws(HearthError) {
        let name = try question.needed("method")
        let action: Action
        switch name {
        case "read": action = .read
        case "write": action = .write(try Self.node(question.body?["newValue"]))
        default: throw .noMethod(name)
        }
        self.init(
            action, at: try EmulatorSource.treePath(question),
            by: try TrialAsker(question.body?["auth"])?.treeAuth ?? .null,
            before: try Self.resource(question.body?["resource"]))
    }

    private static func resource(_ json: JSONValue?) throws(HearthError) -> Node? {
        if json?.string == "missing" { return .empty }
        guard let json, json.members != nil else { return nil }
        guard let node = try node(json["value"]).node else {
            throw EmulatorSource.argument("What is there before has no values of the server.")
        }
        return node
    }

    private static func node(_ json: JSONValue?) throws(HearthError) -> UnresolvedNode {
        do throws(NodeError) {
            return try NodeReader.read(JSONWriter.bytes(of: json ?? .null))
        } catch {
            throw EmulatorSource.argument("\(error)")
        }
    }
}

extension HearthError {
    fileprivate static func noMethod(_ name: String) -> HearthError {
        EmulatorSource.argument("There is no method \"\(name.prefix(40))\".")
    }
}
