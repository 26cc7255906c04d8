import HearthModel
import HearthTestSupport
import Testing

@testable import HearthBackend

/// What a fuzzer of REST's parameters has found worth keeping is asked in every run of the tests.
struct RealtimeCallCorpusTests {
    @Test func `parameters of the corpus are refused, or find no more than they ask for`() throws {
        var spec = RealtimeSpec(#"{"a":{".priority":3,"n":1},"b":{"n":"x"},"7":{"n":true},"c":5}"#)
        _ = try spec.setRules(#"{".read":true,".indexOn":["n",".value"]}"#)
        var answered = 0
        var refused = 0
        for (name, bytes) in FuzzCorpus.inputs(of: "RealtimeCalls") {
            let items = String(decoding: bytes.dropFirst(), as: UTF8.self).split(separator: "&")
                .map { item in
                    let parts = item.split(separator: "=", maxSplits: 1)
                    return (name: String(parts[0]), value: parts.dropFirst().joined())
                }
            guard let parameters = try? RealtimeCallParameters(items) else {
                refused += 1
                continue
            }
            let reply = spec.call(.read, "/") { $0.parameters = parameters }
            #expect([.ok, .noContent, .badRequest].contains(reply.status), "\(name)")
            answered += reply.status == .badRequest ? 0 : 1
            guard let query = parameters.query, case .node(let found, _) = reply.body else {
                continue
            }
            #expect(found.children.allSatisfy { query.admits($0) }, "\(name)")
            #expect(found.childCount <= query.limit?.count ?? 4, "\(name)")
        }
        #expect(answered > 8)
        #expect(refused > 3)
    }
}
