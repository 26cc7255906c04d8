import HearthModel
import HearthServer
import HearthWire
import Testing

struct AccessRuleReaderTests {
    private let names = AccessRuleReader.Names(
        uid: { $0 == "ann" ? 7 : nil }, gid: { $0 == "staff" ? 8 : nil })

    @Test func `a rule has a subject, rights, a database and a path`() throws {
        let rule = try AccessRuleReader.read(
            "deny unit shop.service read, write,administer in demo/main below a b/c d ", name: "x")
        #expect(
            rule
                == AccessPolicy.Rule(
                    name: "x", isDenial: true, subject: .unit("shop.service"),
                    rights: [.read, .write, .administer],
                    in: .database(project: UTF8Text("demo"), database: UTF8Text("main")),
                    path: ResourcePath(["a b", "c d"])))
        let named = try AccessRuleReader.read("allow user ann read", name: "y", names: names)
        #expect(named.subject == .uid(7))
        #expect(
            try AccessRuleReader.read("allow group staff read", name: "y", names: names).subject
                == .gid(8))
        #expect(
            try AccessRuleReader.read("deny userUnit a.scope uid 7 write", name: "y").subject
                == .userUnit(UserUnit(name: "a.scope", uid: 7)))
    }

    @Test func `a rule names an instance of the Realtime Database, and a path of any length`()
        throws
    {
        let rule = try AccessRuleReader.read(
            "allow everyone read write realtime Shop-1 below a/b c/3/d/e", name: "x")
        #expect(rule.place == .instance(UTF8Text("shop-1")))
        #expect(rule.path == ResourcePath(["a", "b c", "3", "d", "e"]))
        let every = try AccessRuleReader.read("deny everyone write realtime below a", name: "y")
        #expect(every.place == .everyInstance)
        #expect(every.path == ResourcePath(["a"]))
        let project = try AccessRuleReader.read("allow everyone read in realtime", name: "z")
        #expect(project.place == .project(UTF8Text("realtime")))
    }

    @Test(arguments: [
        ("", "allow or deny"), ("permit", "allow or deny"), ("allow", "everyone, uid"),
        ("allow root read", "everyone, uid"), ("allow uid x read", "a uid's number"),
        ("allow uid -1 read", "a uid's number"), ("allow uid 4294967296 read", "a uid's number"),
        ("allow user bob read", "no user \"bob\""), ("allow unit shop read", "ends in .service"),
        ("allow userUnit a.service read", "where uid should"), ("allow userUnit x", "ends in"),
        ("allow userUnit a.service uid x", "a uid's number"),
        ("allow everyone", "read, write or administer"),
        ("allow everyone fly", "read, write or administer"),
        ("allow everyone read in", "PROJECT"), ("allow everyone read in a/b/c", "PROJECT"),
        ("allow everyone read in /b", "PROJECT"), ("allow everyone read below", "the path"),
        ("allow everyone read below //", "the path"),
        ("allow everyone read realtime a/b", "the name of an instance"),
        ("allow everyone read realtime shop below", "the path of a node"),
        ("allow everyone read realtime shop below /", "the path of a node"),
        ("allow everyone read realtime shop below .info", "the path of a node"),
        ("allow everyone read realtime shop below a#b", "the path of a node"),
        ("allow everyone read realtime shop in demo", "in, realtime, below or the end"),
        ("allow everyone read for ever", "in, realtime, below or the end"),
    ])
    func `what is wrong with a rule is said`(text: String, reason: String) {
        do {
            let rule = try AccessRuleReader.read(text, name: "x", names: names)
            Issue.record("\(text) reads as \(rule)")
        } catch {
            #expect(error.description.contains(reason), "\(text): \(error)")
        }
    }

    @Test func `whatever stands there, the reader returns a rule or an error`() throws {
        let words = [
            "allow", "deny", "everyone", "uid", "gid", "unit", "user", "userUnit", "read", "write",
            "administer", "in", "realtime", "below", "1", "a.service", "rooms/hall", "/", ",", " ",
            "\t", "é",
            "\u{0}", "//", "demo/x", "99999999999",
        ]
        var random = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...9, using: &random)).map { _ in
                (words.randomElement(using: &random) ?? "") + (Bool.random() ? " " : "")
            }.joined()
            guard let rule = try? AccessRuleReader.read(text, name: "x", names: names) else {
                continue
            }
            // What was read says what was written: its rights stand in the text.
            #expect(rule.rights.allSatisfy { text.contains($0.rawValue) }, "\(text)")
            #expect(text.contains(rule.isDenial ? "deny" : "allow"), "\(text)")
        }
    }
}
