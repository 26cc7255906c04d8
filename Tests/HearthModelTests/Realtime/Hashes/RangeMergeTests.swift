import HearthTestSupport
import Testing

@testable import HearthModel

struct RangeMergeTests {
    private static func hash(_ text: String) -> String { SHA1.base64(of: Array(text.utf8)) }

    @Test(arguments: [
        (#"{"foo":"bar"}"#, "/foo", #"("foo":(string:"bar"))"#),
        (
            #"{"bar":{"deep":"v"},"foo":"v"}"#, "/foo",
            #"("bar":("deep":(string:"v")),"foo":(string:"v"))"#
        ),
        (
            #"{"1":"one","10":"ten","2":"two"}"#, "/10",
            #"("1":(string:"one"),"2":(string:"two"),"10":(string:"ten"))"#
        ),
        (
            #"{"foo":{".value":"bar",".priority":"baz"}}"#, "/foo",
            #"("foo":(priority:string:"baz":string:"bar"))"#
        ),
        (
            #"{"foo":{"!before":"b",".priority":"prio","after":"a"},"qux":1}"#, "/qux",
            #"("foo":("!before":(string:"b"),".priority":(string:"prio"),"after":(string:"a"))"#
                + #","qux":(number:3ff0000000000000))"#
        ),
        (#"{"\"\\":"\\\""}"#, #"/"\"#, #"("\"\\":(string:"\\\""))"#),
        ("true", "/", "(boolean:true)"),
        (
            #"{"1":true,".priority":"left out, for no key comes behind it"}"#, "/1",
            #"("1":(boolean:true))"#
        ),
    ])
    func `a stretch's text has its leaves within their keys`(
        json: String, post: String, text: String
    )
        throws
    {
        let hash = CompoundHash(of: try Node(json: json))
        #expect(hash.posts.map(\.description) == [post])
        #expect(hash.hashes == [Self.hash(text), ""])
    }

    @Test func `the hash of a text is the one that clients send`() throws {
        #expect(
            CompoundHash(of: try Node(json: #"{"foo":"bar"}"#)).hashes[0]
                == "LmKmJmXugtGlEGoulMbz86myDNw=")
        #expect(CompoundHash(of: .empty).posts.isEmpty && CompoundHash(of: .empty).hashes == [""])
    }

    @Test func `a stretch that begins deep opens all keys above it`() throws {
        let node = try Node(json: #"{"a":{"b":{"c":"x","d":"y"},"e":"z"},"f":1}"#)
        let hash = CompoundHash(of: node, unitCountMax: 0)
        #expect(hash.posts == ["/a/b/c", "/a/b/d", "/a/e", "/f"])
        #expect(
            hash.hashes == [
                Self.hash(#"("a":("b":("c":(string:"x"))))"#),
                Self.hash(#"("a":("b":("d":(string:"y"))))"#),
                Self.hash(#"("a":("e":(string:"z")))"#),
                Self.hash(#"("f":(number:3ff0000000000000))"#), "",
            ])
    }

    @Test func `no stretch ends right behind a priority`() throws {
        let node = try Node(json: #"{".priority":1,"a":{".priority":2,"b":1,"c":1}}"#)
        #expect(CompoundHash(of: node, unitCountMax: 0).posts == ["/a/b", "/a/c"])
    }

    @Test func `a stretch ends beyond 512 units, and later in a large tree`() {
        func node(_ count: Int) -> Node {
            Node(children: (0..<count).map { (ChildKey(unchecked: "\($0)"), Node("value")) })
        }
        #expect(CompoundHash(of: node(10)).posts.count == 1)
        // 500 children of about 15 bytes: 25 units of text each, beyond the 900 of the square root.
        let posts = CompoundHash(of: node(500)).posts
        #expect((11...15).contains(posts.count))
        #expect(posts.last == "/499")
    }

    /// What the listed range of each case makes of `{"bar":"old","foo":{"deep":…},"quu":"old"}`.
    @Test(arguments: [
        (nil, "/bar", #"{"bar":"new"}"#, #"{"bar":"new","foo":{"a":1,"b":2},"quu":"old"}"#),
        (nil, nil, #"{"x":1}"#, #"{"x":1}"#), (nil, nil, "null", "null"),
        ("/bar", "/quu", "null", #"{"bar":"old"}"#),
        ("/bar", "/foo/a", #"{"foo":{"a":7}}"#, #"{"bar":"old","foo":{"a":7,"b":2},"quu":"old"}"#),
        ("/foo/a", "/foo/b", "null", #"{"bar":"old","foo":{"a":1},"quu":"old"}"#),
        ("/foo/a", "/quu", #"{"foo":{"c":3}}"#, #"{"bar":"old","foo":{"a":1,"c":3}}"#),
        (
            "/quu", nil, #"{"zoo":{"z":1}}"#,
            #"{"bar":"old","foo":{"a":1,"b":2},"quu":"old","zoo":{"z":1}}"#
        ),
        ("/bar", "/foo", #"{"foo":"leaf"}"#, #"{"bar":"old","foo":"leaf","quu":"old"}"#),
        ("/bar", "/foo", "null", #"{"bar":"old","foo":{"a":1,"b":2},"quu":"old"}"#),
        (nil, "/bar", "null", #"{"foo":{"a":1,"b":2},"quu":"old"}"#),
        ("/bar", "/quu/x", #"{"quu":{"x":1}}"#, #"{"bar":"old","quu":{"x":1}}"#),
        (
            "/foo/!", "/foo/a", #"{"foo":{".priority":5,"a":1}}"#,
            #"{"bar":"old","foo":{".priority":5,"a":1,"b":2},"quu":"old"}"#
        ),
    ])
    func `a stretch is replaced and the rest stays`(
        start: String?, end: String?, update: String, expected: String
    ) throws {
        let node = try Node(json: #"{"bar":"old","foo":{"a":1,"b":2},"quu":"old"}"#)
        let range = NodeRange(
            after: start.flatMap(NodeRange.edge), through: end.flatMap(NodeRange.edge))
        let merge = RangeMerge(range: range, update: try Node(json: update))
        #expect(merge.applied(to: node) == (try Node(json: expected)))
    }

    @Test func `of equal trees no stretch differs, of one change its stretch alone`() {
        var node = Node.empty
        for number in 0..<2_000 {
            node = node.settingChild(ChildKey(unchecked: "k\(number)"), to: Node("value"))
        }
        let hash = CompoundHash(of: node)
        #expect(hash.posts.count > 20)
        #expect(RangeMerge.merges(from: hash, to: node).isEmpty)
        let changed = node.settingChild("k1234", to: Node("other"))
        let merges = RangeMerge.merges(from: hash, to: changed)
        #expect(merges.count == 1)
        #expect(merges[0].update.childCount < 150 && merges[0].update.has("k1234"))
        #expect(merges[0].applied(to: node) == changed)
    }

    @Test(arguments: 0..<40)
    func `merges lead a client to the server's tree, whatever it had`(seed: UInt64) throws {
        var chance = NodeChance(seed: seed)
        for _ in 0..<60 {
            let old = chance.node(depth: 4)
            let new = chance.change(of: old)
            let hash = CompoundHash(of: old, unitCountMax: chance.number(below: 80))
            let merges = RangeMerge.merges(from: hash, to: new)
            // Over the wire as JSON, which cannot tell a priority of nothing.
            let merged = try merges.reduce(old) {
                let update = try Node(json: $1.update.json(.export), from: .server)
                return RangeMerge(range: $1.range, update: update).applied(to: $0)
            }
            #expect(merged == new, "\(old) to \(new) by \(merges)")
        }
    }

    @Test func `a peer's hashes must fit its posts`() {
        #expect(CompoundHash(posts: ["/a"], hashes: [""]) == nil)
        #expect(CompoundHash(posts: ["/b", "/a"], hashes: ["", "", ""]) == nil)
        #expect(CompoundHash(posts: ["/a", "/b"], hashes: ["", "", ""]) != nil)
        #expect(NodeRange.edge("a/.priority")?.description == "/a/.priority")
        #expect(NodeRange.edge("a.b") == nil)
    }
}
