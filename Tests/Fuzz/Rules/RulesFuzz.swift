import HearthModel
import HearthRules

/// Feeds any text to the reader of security rules, and asks what it reads about a document and about
/// a change: neither may crash, nor take longer than the budget of rules allows.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRules(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let source = String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    guard let rules = try? RuleSet(source) else { return 0 }
    for request in RulesFuzz.requests {
        var accesses = RuleAccesses()
        _ = rules.decide(request, reading: RulesFuzz.Documents(), &accesses)
    }
    return 0
}

/// What the rules are asked about.
enum RulesFuzz {
    /// Every document is there, and alike.
    struct Documents: RuleDocuments {
        func document(_ key: DocumentKey) -> Document { RulesFuzz.document(key) }
        func documentAfter(_ key: DocumentKey) -> Document { RulesFuzz.document(key) }
    }

    private static let time = Timestamp(seconds: 1_700_000_000, nanoseconds: 0)
    private static let database = DatabaseID(project: "demo")

    static func document(_ key: DocumentKey) -> Document {
        .found(
            key, at: SnapshotVersion(time),
            [
                "name": .string("hall"), "seats": .integer(40), "share": .double(0.5),
                "tags": .array([.string("a"), .integer(1)]), "owner": .string("ann"),
                "more": .map(["x": .null]), "since": .timestamp(time), "raw": .bytes([0, 255]),
            ], createdAt: SnapshotVersion(time))
    }

    static let requests: [RuleRequest] = {
        guard let key = try? DocumentKey(parsing: "rooms/hall") else { return [] }
        let auth = RuleRequest.Auth(uid: "ann", token: ["email": .string("ann@example.org")])
        let get = RuleRequest(.get, document(key), in: database, by: auth, at: time)
        var update = RuleRequest(.update, document(key), in: database, by: nil, at: time)
        update.newDocument = document(key)
        return [get, update]
    }()
}
