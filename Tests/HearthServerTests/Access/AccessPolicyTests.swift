import HearthEngine
import HearthModel
import HearthServer
import HearthWire
import Testing

private let database = EngineKey.firestore(DatabaseID(project: "demo"))

private func path(_ text: String) -> ResourcePath {
    (try? ResourcePath(parsing: text)) ?? .root
}

private func document(_ text: String) -> AccessScope { .document(path(text)) }

/// A peer who is neither root nor us.
private let till = Peer(uid: 60_001, gid: 60_100, pid: 42, unit: "till.service", groups: [60_200])

struct AccessPolicyTests {
    private func grant(_ rules: String...) throws -> AccessGrant {
        let read = try rules.enumerated().map {
            try AccessRuleReader.read($0.element, name: "rule \($0.offset + 1)")
        }
        return AccessGrant(AccessPolicy(rules: read), to: till, in: database)
    }

    @Test(arguments: [
        ("everyone", true), ("uid 60001", true), ("uid 60002", false), ("gid 60100", true),
        ("gid 60200", true), ("gid 60300", false), ("unit till.service", true),
        ("unit shop.service", false),
    ])
    func `a rule is for whom the kernel names`(subject: String, isAllowed: Bool) throws {
        let grant = try grant("allow \(subject) read")
        #expect((grant.refusal(of: .read, to: .everything) == nil) == isAllowed)
        #expect(grant.holdsEverywhere(.read) == isAllowed)
        #expect(grant.refusal(of: .write, to: document("a/b")) != nil)
    }

    @Test func `a program's name counts for nothing`() throws {
        let policy = AccessPolicy(
            rules: [try AccessRuleReader.read("allow unit till.service read", name: "x")])
        let stranger = Peer(uid: 60_001, gid: 60_100, pid: 42, unit: "other.service")
        let grant = AccessGrant(policy, to: stranger, in: database)
        #expect(grant.refusal(of: .read, to: document("a/b"))?.rule == nil)
        #expect(grant.refusal(of: .read, to: document("a/b")) != nil)
    }

    @Test func `a unit of a user's manager is allowed nothing by its name alone`() throws {
        let policy = AccessPolicy(
            rules: [
                try AccessRuleReader.read("allow unit till.service read", name: "system"),
                try AccessRuleReader.read("allow userUnit till.service uid 7 write", name: "user"),
            ])
        var impostor = Peer(uid: 7, gid: 7, pid: 42, unit: "user@7.service")
        impostor.userUnit = UserUnit(name: "till.service", uid: 7)
        let grant = AccessGrant(policy, to: impostor, in: database)
        #expect(grant.refusal(of: .read, to: document("a/b")) != nil)
        #expect(grant.holdsEverywhere(.write))
        impostor.userUnit = UserUnit(name: "till.service", uid: 8)
        #expect(!AccessGrant(policy, to: impostor, in: database).holdsEverywhere(.write))
    }

    @Test(arguments: ["unit till.service", "userUnit till.service uid 7"])
    func `what is denied to a unit is denied to a process of an unknown unit`(who: String) throws {
        let policy = AccessPolicy(
            rules: [
                try AccessRuleReader.read("allow everyone read write", name: "all"),
                try AccessRuleReader.read("deny \(who) write", name: "no"),
                try AccessRuleReader.read("allow \(who) administer", name: "yes"),
            ])
        var gone = Peer(uid: 60_001, gid: 60_001, pid: 42)
        #expect(AccessGrant(policy, to: gone, in: database).holdsEverywhere(.write))
        gone.isUnitKnown = false
        let grant = AccessGrant(policy, to: gone, in: database)
        let refusal = try #require(grant.refusal(of: .write, to: document("a/b")))
        #expect(refusal.rule == "no")
        #expect(refusal.peer == "uid 60001 (of an unknown unit)")
        #expect(grant.holdsEverywhere(.read))
        #expect(!grant.holdsEverywhere(.administer))
    }

    @Test(arguments: [
        (AccessScope.document(path("shops/1")), true),
        (.document(path("shops/1/tills/a")), true), (.document(path("shops/2")), false),
        (.document(path("shops/10")), false), (.collection(path("shops")), false),
        (.collection(path("shops/1/tills")), true), (.collection(path("other")), false),
        (.group(below: path("shops/1")), true), (.group(below: .root), false),
        (.everything, false), (.anything, true),
    ])
    func `a rule allows only what it covers as a whole`(scope: AccessScope, isAllowed: Bool) throws
    {
        let grant = try grant("allow everyone read below shops/1")
        #expect((grant.refusal(of: .read, to: scope) == nil) == isAllowed)
        #expect(!grant.holdsEverywhere(.read))
    }

    @Test(arguments: [
        (AccessScope.document(path("staff/ann")), false),
        (.document(path("staff/ann/pay/1")), false), (.document(path("staffing/x")), true),
        (.collection(path("staff")), false), (.collection(path("shops")), true),
        (.group(below: .root), false), (.group(below: path("shops/1")), true),
        (.everything, false), (.anything, true),
    ])
    func `a rule denies whatever it touches`(scope: AccessScope, isAllowed: Bool) throws {
        let grant = try grant("allow everyone read", "deny everyone read below staff")
        let refusal = grant.refusal(of: .read, to: scope)
        #expect((refusal == nil) == isAllowed)
        if !isAllowed { #expect(refusal?.rule == "rule 2") }
    }

    @Test func `a hidden document hides the query of its collection, and no other`() throws {
        let grant = try grant("allow everyone read", "deny everyone read below shops/1")
        #expect(grant.refusal(of: .read, to: .collection(path("shops"))) != nil)
        #expect(grant.refusal(of: .read, to: document("shops/2")) == nil)
        let deep = try self.grant("allow everyone read", "deny everyone read below shops/1/pay")
        #expect(deep.refusal(of: .read, to: .collection(path("shops"))) == nil)
        #expect(deep.refusal(of: .read, to: .group(below: path("shops/1"))) != nil)
    }

    @Test func `a rule may be about one project or one database`() throws {
        let rule = try AccessRuleReader.read("allow everyone write in demo/other", name: "x")
        let policy = AccessPolicy(rules: [rule])
        func allows(_ database: DatabaseID) -> Bool {
            AccessGrant(policy, to: till, in: .firestore(database)).holdsEverywhere(.write)
        }
        #expect(!allows(DatabaseID(project: "demo")))
        #expect(allows(DatabaseID(project: "demo", database: "other")))
        #expect(!allows(DatabaseID(project: "live", database: "other")))
    }

    @Test func `a refusal says who, what, and by which rule`() throws {
        let denied = try #require(
            try grant("deny everyone write").refusal(of: .write, to: document("a/b")))
        #expect(denied.error.code == .permissionDenied)
        #expect(
            denied.error.message.hasPrefix(
                "uid 60001 (till.service) may not write a/b: the access rule \"rule 1\" denies it.")
        )
        let absent = try #require(try grant().refusal(of: .read, to: .everything))
        #expect(absent.error.message.contains("no access rule allows all of it"))
    }

    @Test func `without rules the client socket's permissions are the rule`() {
        func rights(_ group: UInt32, _ mode: UInt32) -> [AccessPolicy.Right] {
            let policy = AccessPolicy.standard(group: group, mode: mode)
            let grant = AccessGrant(policy, to: till, in: database)
            return AccessPolicy.Right.allCases.filter(grant.holdsEverywhere)
        }
        #expect(rights(60_200, 0o660) == [.read, .write])
        #expect(rights(60_100, 0o660) == [.read, .write])
        #expect(rights(60_300, 0o660) == [])
        #expect(rights(60_200, 0o600) == [])
        #expect(rights(60_300, 0o666) == [.read, .write])
    }

    @Test func `root may do everything, whatever the rules say`() throws {
        let policy = AccessPolicy(rules: [AccessPolicy.unreadable("broken")])
        let root = Peer(uid: 0, gid: 0, pid: 1)
        let grant = AccessGrant(policy, to: root, in: database)
        #expect(AccessPolicy.Right.allCases.allSatisfy(grant.holdsEverywhere))
        #expect(
            AccessGrant(policy, to: till, in: database).refusal(of: .read, to: .anything)?.rule
                == "broken")
    }
}
