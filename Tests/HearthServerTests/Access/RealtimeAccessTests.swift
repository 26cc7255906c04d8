import HearthEngine
import HearthModel
import HearthServer
import HearthWire
import Testing

/// What access rules mean for an instance of the Realtime Database.
struct RealtimeAccessTests {
    private static let till = Peer(uid: 60_001, gid: 60_100, pid: 42, unit: "till.service")

    private func grant(_ rules: String..., on instance: String = "shop") throws -> AccessGrant {
        let read = try rules.enumerated().map {
            try AccessRuleReader.read($0.element, name: "rule \($0.offset + 1)")
        }
        let id = try #require(InstanceID(url: "https://\(instance).firebaseio.com"))
        return AccessGrant(AccessPolicy(rules: read), to: Self.till, in: .realtime(id))
    }

    @Test(arguments: [
        ("a", "rule 2"), ("a/b", "rule 2"), ("a/b/c", "rule 2"), ("a/b/c/d", "rule 2"),
        ("a/x", nil), ("a/bb", nil), ("x", nil),
    ])
    func `a listen is refused if any rule at, above or below its place denies`(
        place: String, rule: String?
    ) throws {
        let grant = try grant("allow everyone read", "deny unit till.service read below a/b/c")
        let path = try #require(RealtimePath(place))
        #expect(grant.refusal(of: .read, to: .subtree(path))?.rule == rule)
    }

    @Test func `a right below a place is not a right to the place`() throws {
        let grant = try grant("allow everyone read below a/b/c/d/e")
        #expect(grant.refusal(of: .read, to: .subtree("a/b/c/d")) != nil)
        #expect(grant.refusal(of: .read, to: .subtree("a/b/c/d/e")) == nil)
        #expect(grant.refusal(of: .read, to: .subtree("a/b/c/d/e/f")) == nil)
        #expect(grant.refusal(of: .read, to: .subtree("a/b/c/d/é")) != nil)
    }

    @Test(arguments: [
        ("allow everyone read", true), ("allow everyone read realtime", true),
        ("allow everyone read realtime shop", true), ("allow everyone read realtime SHOP", true),
        ("allow everyone read realtime other", false), ("allow everyone read in shop", false),
    ])
    func `a rule counts for the instances that it names`(rule: String, isAllowed: Bool) throws {
        #expect((try grant(rule).refusal(of: .read, to: .everything) == nil) == isAllowed)
    }

    @Test func `whoever asks for the children of a place needs the right to read the place`() {
        let read = InstanceRequest.get(ListenTarget("a/b", .all), .cache)
        for source in [
            Inquiry.ChildPage.Source.cache(beginningWith: "c"), .backend(after: nil),
        ] {
            let page = Inquiry.ChildPage(of: "a/b", in: source)
            #expect(Request.inquiry(.children(page)).traits == Request.realtime(read).traits)
        }
    }

    @Test func `a rule about an instance allows nothing in Firestore`() throws {
        let rule = try AccessRuleReader.read("allow everyone read realtime demo", name: "x")
        let grant = AccessGrant(
            AccessPolicy(rules: [rule]), to: Self.till,
            in: .firestore(DatabaseID(project: "demo", database: "demo")))
        #expect(!grant.holdsAnything)
    }
}
