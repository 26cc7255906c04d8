import HearthModel
import HearthRules
import Testing

/// Rules of the Realtime Database, data and who asks, with short words for what tests do with them.
struct RealtimeSpec {
    let rules: RealtimeRuleSet
    var data: Node
    var auth = JSONValue.null
    var now: Int64 = 1_700_000_000_000

    /// Rules by their file, and data as JSON.
    init(_ rules: String, data: String = "null", auth: String = "null") throws {
        self.rules = try RealtimeRuleSet(rules)
        self.data = try Node(json: data)
        self.auth = try JSONReader.read(Array(auth.utf8))
    }

    /// A file whose only rule is a `.read` below wildcards, or at the root.
    static func file(read rule: String, below wildcards: [String] = []) -> String {
        let condition = JSONValue.object([.init(name: ".read", value: .string(rule))])
        let block = wildcards.reversed().reduce(condition) { inner, name in
            .object([.init(name: name, value: inner)])
        }
        let file = JSONValue.object([.init(name: "rules", value: block)])
        return String(decoding: JSONWriter.bytes(of: file), as: UTF8.self)
    }

    func read(_ path: RealtimePath = .root, _ query: RealtimeRuleQuery = .init()) -> RuleDecision {
        var request = RealtimeRuleRequest(auth: auth, now: now, query: query)
        return rules.decideRead(at: path, of: data, &request)
    }

    func write(_ path: RealtimePath, _ json: String) throws -> RuleDecision {
        try update([(path, json)])
    }

    /// Several places changed at once.
    func update(_ changes: [(path: RealtimePath, json: String)]) throws -> RuleDecision {
        var newData = data
        for (path, json) in changes { newData = newData.setting(path, to: try Node(json: json)) }
        var request = RealtimeRuleRequest(auth: auth, now: now)
        return rules.decideWrite(at: changes.map(\.path), from: data, to: newData, &request)
    }
}

/// What becomes of one expression as the only rule of a file.
enum RealtimeVerdict: Equatable, CustomStringConvertible {
    /// It is no rule.
    case refused(String)
    /// It is true or false.
    case value(Bool)
    /// It has no value.
    case failed(String)

    /// - Parameter wildcards: Names with what they match, in the order of the path.
    init(
        _ rule: String, auth: JSONValue = .null, data: Node = .empty,
        wildcards: [(name: String, value: String)] = [], query: RealtimeRuleQuery = .init()
    ) throws {
        let path = RealtimePath(wildcards.map { ChildKey(unchecked: $0.value) })
        let names = wildcards.map(\.name)
        let rules: RealtimeRuleSet
        do throws(RulesError) {
            rules = try RealtimeRuleSet(RealtimeSpec.file(read: rule, below: names))
        } catch {
            self = .refused(error.reason)
            return
        }
        var request = RealtimeRuleRequest(auth: auth, now: 1_700_000_000_000, query: query)
        guard case .denied(let reasons) = rules.decideRead(at: path, of: data, &request) else {
            self = .value(true)
            return
        }
        let reason = reasons.joined()
        self = reason.contains(": false @ ") ? .value(false) : .failed(reason)
    }

    /// Whether it is of the same kind, whatever the reason.
    func agrees(with other: RealtimeVerdict) -> Bool {
        switch (self, other) {
        case (.refused, .refused), (.failed, .failed): true
        case (.value(let one), .value(let other)): one == other
        case (.refused, _), (.failed, _), (.value, _): false
        }
    }

    var description: String {
        switch self {
        case .refused(let reason): "refused (\(reason))"
        case .value(let flag): "\(flag)"
        case .failed(let reason): "failed (\(reason))"
        }
    }
}
