import HearthModel
import HearthRules

/// Feeds any text to the reader of the Realtime Database's rules, and asks what it reads about a read
/// and about a write: neither may crash, nor take longer than the budget of rules allows.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRealtimeRules(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let source = String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    guard let rules = try? RealtimeRuleSet(source) else { return 0 }
    for auth in RealtimeRulesFuzz.callers {
        var request = RealtimeRuleRequest(
            auth: auth, now: 1_700_000_000_000, query: RealtimeRulesFuzz.query,
            recorder: RuleRecorder())
        _ = rules.decideRead(at: "rooms/hall", of: RealtimeRulesFuzz.data, &request)
        _ = rules.decideWrite(
            at: ["rooms", "s"], from: RealtimeRulesFuzz.data, to: RealtimeRulesFuzz.newData,
            &request)
        var coverage = RuleCoverage()
        if let recorder = request.recorder { coverage.add(recorder, of: rules) }
        _ = rules.report(of: coverage).json
    }
    return 0
}

/// What the rules are asked about.
enum RealtimeRulesFuzz {
    static let data = node(
        """
        {"rooms": {"hall": {"n": 1, "s": "text", "t": true}, "7": {".value": 2, ".priority": "p"}},
         "s": "ann"}
        """)
    static let newData = node(
        #"{"rooms": {"hall": {"n": 1.5, "list": [1, "a"]}, "attic": null}, "s": false}"#)
    static let query = RealtimeRuleQuery(order: .child("n"), startAt: "a", limitToFirst: 3)
    static let callers: [JSONValue] = [
        .null,
        .object([
            .init(name: "uid", value: .string("ann")),
            .init(name: "list", value: .array([.integer(1), .double(0.5)])),
        ]),
    ]

    private static func node(_ json: String) -> Node {
        (try? Node(json: json)) ?? .empty
    }
}
