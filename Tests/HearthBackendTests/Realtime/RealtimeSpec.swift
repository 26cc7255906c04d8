import HearthModel
import Testing

@testable import HearthBackend

/// A backend with a clock in hand, that tells what happens in the words of a transcript.
///
/// Lines: `1 d /a 5` is a push without a tag to connection 1, `1 m /a t7 {"b":1}` one of tag 7, `1
/// c /a` a listen that was revoked, `save /a 5` what goes to disk.
struct RealtimeSpec {
    static let namespace: RealtimeNamespace = {
        guard let namespace = RealtimeNamespace("spec") else { preconditionFailure("no name") }
        return namespace
    }()

    var backend = RealtimeBackend()
    var now = Timestamp(seconds: 1_700_000_000, nanoseconds: 0)
    private var chance = Lottery(seed: 7)
    /// What was to be saved since the start.
    private(set) var saves: [String] = []

    init(_ json: String = "null", connections: Int = 3, as caller: RealtimeCaller = .nobody) {
        do {
            try backend.restore(node(json), in: Self.namespace)
        } catch {
            preconditionFailure("\(error)")
        }
        for id in 1...connections {
            backend.connect(RealtimeConnectionID(UInt64(id)), to: Self.namespace, as: caller)
        }
    }

    /// The tree.
    var tree: String { backend.root(of: Self.namespace).description }

    /// Asks, and returns what happened: effects, then the answer.
    mutating func ask(_ connection: Int, _ request: RealtimeAction) -> [String] {
        let answer = backend.take(
            request, from: RealtimeConnectionID(UInt64(connection)), at: now)
        return told() + [Self.text(answer)]
    }

    mutating func put(_ connection: Int, _ path: String, _ json: String, ifHash hash: String? = nil)
        -> [String]
    {
        ask(connection, .put(place(path), written(json), hash: hash))
    }

    mutating func merge(_ connection: Int, _ path: RealtimePath, _ parts: (String, String)...)
        -> [String]
    {
        ask(connection, .merge(path, children(parts)))
    }

    mutating func listen(
        _ connection: Int, _ path: RealtimePath, _ query: QueryParameters = QueryParameters(),
        tag: Int? = nil, hash: String = ""
    ) -> [String] {
        ask(connection, .listen(RealtimeListen(path, query, tag: tag, hash: hash)))
    }

    /// Begins a stream of REST.
    mutating func watch(
        _ connection: Int, _ path: RealtimePath, _ query: QueryParameters? = nil
    ) -> [String] {
        let answer = backend.watch(
            path, query, for: RealtimeConnectionID(UInt64(connection)), at: now)
        return told() + [Self.text(answer)]
    }

    /// Lets a connection act for somebody, by a token of nobody's making.
    mutating func authenticate(_ connection: Int, as uid: String) -> [String] {
        let claims = Base64.encodeForLinks(Array(#"{"sub":"\#(uid)"}"#.utf8))
        let token = uid == Caller.ownerToken ? uid : "e30.\(claims)."
        return ask(connection, .authenticate(RealtimeCredential(.user, token: Secret(token))))
    }

    mutating func get(_ path: RealtimePath, _ query: QueryParameters = QueryParameters())
        -> [String]
    {
        ask(1, .get(path, query))
    }

    mutating func disconnect(_ connection: Int) -> [String] {
        backend.disconnect(RealtimeConnectionID(UInt64(connection)), at: now)
        return told()
    }

    /// Gives rules without the outermost member.
    mutating func setRules(_ rules: String) throws -> [String] {
        try backend.setRules(#"{"rules":\#(rules)}"#, of: Self.namespace, at: now)
        return told()
    }

    mutating func call(
        _ verb: RealtimeCall.Verb, _ path: String, by caller: RealtimeCaller = .nobody,
        _ change: (inout RealtimeCall) -> Void = { _ in }
    ) -> RealtimeReply {
        var call = RealtimeCall(verb, at: place(path))
        change(&call)
        return backend.take(call, of: Self.namespace, by: caller, at: now, using: &chance)
    }

    /// What was told since it was last asked, by connection.
    mutating func told() -> [String] {
        backend.takeEffects().flatMap { effect -> [String] in
            switch effect {
            case .save(_, .rules): return []
            case .save(_, let save):
                saves.append(Self.text(save))
                return []
            case .push(let change, let listeners):
                return listeners.sorted {
                    ($0.connection.rawValue, $0.tag ?? 0) < ($1.connection.rawValue, $1.tag ?? 0)
                }
                .map { Self.text(change, for: $0) }
            case .revoke(let path, let query, let listener):
                let tag = listener.tag.map { " t\($0)" } ?? ""
                let isDefault = query == QueryParameters()
                return ["\(listener.connection.rawValue) c \(path)\(tag)\(isDefault ? "" : " q")"]
            }
        }
    }

    private static func text(_ save: RealtimeBackend.Save) -> String {
        switch save {
        case .node(let place, let node): "\(place) \(node)"
        case .rules(let text): "rules \(text)"
        case .settings: "settings"
        }
    }

    private static func text(_ answer: RealtimeBackend.Answer) -> String {
        switch answer {
        case .done, .authenticated, .unauthenticated: "ok"
        case .listening(let warnings): (["ok"] + warnings.map(\.rawValue)).joined(separator: " ")
        case .value(let node): "\(node)"
        case .refused(let refusal): refusal.status.rawValue
        }
    }

    static func text(_ change: PushedChange, for listener: RealtimeListener) -> String {
        let tag = listener.tag.map { " t\($0)" } ?? ""
        let connection = listener.connection.rawValue
        switch change {
        case .overwrite(let place, let node): return "\(connection) d \(place)\(tag) \(node)"
        case .merge(let path, let children):
            return "\(connection) m \(path)\(tag) \(text(children))"
        case .ranges(let path, let ranges): return "\(connection) rm \(path)\(tag) \(ranges.count)"
        }
    }

    static func text(_ children: [RealtimeTold]) -> String {
        "{"
            + children.map { "\($0.place.description.dropFirst()):\($0.node)" }.joined(
                separator: ",")
            + "}"
    }
}

/// The node of a JSON text that is known to be right.
func node(_ json: String) -> Node {
    guard let node = try? Node(json: json) else { preconditionFailure("\(json) is no node") }
    return node
}

func written(_ json: String) -> UnresolvedNode {
    guard let node = try? NodeReader.read(Array(json.utf8)) else {
        preconditionFailure("\(json) is no node")
    }
    return node
}

func place(_ text: String) -> WritePath {
    guard let place = WritePath(text) else { preconditionFailure("\(text) is no path") }
    return place
}

func children(_ parts: [(String, String)]) -> [RealtimeChange.Part] {
    parts.map { .init(place($0.0), written($0.1)) }
}
