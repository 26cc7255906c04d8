import HearthModel
import Testing

@testable import HearthBackend

/// No message stops the backend, and a refused message changes nothing.
struct RealtimeFuzzTests {
    private static let fragments = [
        "\"", "$key", "$value", "$priority", "n", "/", ".", ",", "[", "]", "{", "}", "null", "true",
        "-", "1", "0.5", "1e999", "9223372036854775808", "\\u0000", "\\ud83d", "é", "\u{1F600}",
        " ",
        "[MIN_NAME]", "[MAX_NAME]", "", "a", "b",
    ]
    private static let names = [
        "orderBy", "startAt", "startAfter", "endAt", "endBefore", "equalTo", "limitToFirst",
        "limitToLast", "shallow", "print", "format", "timeout", "writeSizeLimit", "other",
    ]
    /// Values that are often right, so that the backend does not refuse every message at once.
    private static let values = [
        "\"$key\"", "\"n\"", "\"$value\"", "\"$priority\"", "1", "2", "\"a\"", "\"b\",\"a\"",
        "true",
        "silent", "export", "10s", "2147483647", "2147483648", "large",
    ]

    @Test(arguments: 0..<16) func `parameters by chance are read or refused`(seed: UInt64) throws {
        var chance = Lottery(seed: seed &* 104_729 &+ 3)
        var spec = RealtimeSpec(#"{"a":{"n":1},"b":{"n":"x"},"7":{"n":true},"c":5}"#)
        _ = try spec.setRules(#"{".read":true,".write":true,".indexOn":["n",".value"]}"#)
        let tree = spec.tree
        var answered = 0
        for _ in 0..<1_500 {
            let items = (0..<chance.number(below: 5)).map { _ in
                (name: chance.pick(Self.names), value: value(&chance))
            }
            guard let parameters = try? RealtimeCallParameters(items) else { continue }
            let place = chance.pick(["/", "/a", "/c", "/none", "/a/.priority"])
            let reply = spec.call(.read, place) { $0.parameters = parameters }
            #expect(
                [.ok, .noContent, .badRequest].contains(reply.status), "seed \(seed): \(items)")
            answered += reply.status == .ok ? 1 : 0
            guard place == "/", let query = parameters.query, case .node(let found, _) = reply.body
            else { continue }
            #expect(found.children.allSatisfy { query.admits($0) }, "seed \(seed): \(items)")
            #expect(found.childCount <= query.limit?.count ?? 4, "seed \(seed): \(items)")
        }
        #expect(answered > 20, "seed \(seed): hardly anything was right")
        #expect(spec.tree == tree)
    }

    @Test(arguments: 0..<8) func `requests that cannot be carried out change nothing`(
        seed: UInt64
    ) {
        var chance = Lottery(seed: seed &* 15_485_863 &+ 5)
        var spec = RealtimeSpec(#"{"a":{"n":1}}"#)
        for _ in 0..<400 {
            let place = WritePath(path(&chance), isPriority: chance.number(below: 3) == 0)
            let node = written(
                chance.pick([
                    "1", "true", "null", #"{"x":{".sv":"timestamp"}}"#, #"{".sv":{"increment":1}}"#,
                    #"{".value":true,".priority":{".sv":"timestamp"}}"#, #""text""#,
                ]))
            let before = spec.tree
            let requests: [RealtimeAction] = [
                .put(place, node, hash: chance.pick([nil, nil, "", "x"])),
                .merge(path(&chance), [.init(place, node), .init(WritePath(path(&chance)), node)]),
                .onDisconnectPut(place, node), .onDisconnectCancel(place),
                .get(path(&chance), .byKey(first: 1)),
                .unlisten(path(&chance), .byKey(last: 1), tag: chance.number(below: 3)),
                .listen(
                    .init(
                        path(&chance), .byKey(last: 1), tag: chance.number(below: 3), hash: "")),
            ]
            let answer = spec.ask(1 + chance.number(below: 3), chance.pick(requests)).last ?? ""
            if ["failed", "datastale", "too_big"].contains(answer) {
                #expect(spec.tree == before, "seed \(seed)")
            }
            #expect(spec.backend.root(of: RealtimeSpec.namespace).node(at: .info).isEmpty)
        }
        for connection in 1...3 { _ = spec.disconnect(connection) }
        #expect(spec.backend.state(RealtimeSpec.namespace).listens.isEmpty, "seed \(seed)")
    }

    private func value(_ chance: inout Lottery) -> String {
        guard chance.number(below: 3) == 0 else { return chance.pick(Self.values) }
        return (0..<chance.number(below: 6)).map { _ in chance.pick(Self.fragments) }.joined()
    }

    private func path(_ chance: inout Lottery) -> RealtimePath {
        if chance.number(below: 12) == 0 { return .info }
        let depth = chance.pick([0, 1, 1, 2, 2, 3, 31, 32, 33, 200])
        return RealtimePath((0..<depth).map { _ in chance.pick(["a", "n", "7", "b"]) })
    }
}
