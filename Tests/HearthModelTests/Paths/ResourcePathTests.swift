import HearthModel
import HearthTestSupport
import Testing

struct ResourcePathTests {
    @Test func `slashes at the edges are dropped`() throws {
        #expect(try ResourcePath(parsing: "/rooms/hall/").string == "rooms/hall")
        #expect(try ResourcePath(parsing: "/") == .root)
        #expect(try ResourcePath(parsing: "") == .root)
        #expect(ResourcePath.root.isEmpty)
        #expect(ResourcePath.root.segments.isEmpty)
    }

    @Test(arguments: ["a//b", "//", "//a", "a//", "a/b//c", "///"])
    func `two slashes in a row are refused`(text: String) {
        #expect(throws: PathError.emptySegment(path: text)) {
            try ResourcePath(parsing: text)
        }
    }

    @Test func `a path knows its segments, its parent and its last`() {
        let hall = path("rooms/hall/messages/1")
        #expect(hall.segments == ["rooms", "hall", "messages", "1"])
        #expect(hall.count == 4)
        #expect(hall.last == "1")
        #expect(hall.beforeLast == "messages")
        #expect(path("rooms/hall").beforeLast == "rooms")
        #expect(hall.parent == path("rooms/hall/messages"))
        #expect(path("rooms").parent == .root)
        #expect(path("rooms").last == "rooms")
        #expect("\(hall)" == "rooms/hall/messages/1")
    }

    @Test func `a path grows by a segment or a path`() {
        #expect(ResourcePath.root.appending("rooms") == path("rooms"))
        #expect(path("rooms").appending("hall") == path("rooms/hall"))
        #expect(path("rooms").appending(path("hall/messages")) == path("rooms/hall/messages"))
        #expect(path("rooms").appending(.root) == path("rooms"))
        #expect(ResourcePath.root.appending(path("rooms")) == path("rooms"))
        #expect(ResourcePath(["a", "b"]) == path("a/b"))
    }

    @Test func `a prefix ends where a segment ends`() {
        #expect(ResourcePath.root.isPrefix(of: path("a")))
        #expect(path("a").isPrefix(of: path("a")))
        #expect(path("a").isPrefix(of: path("a/b")))
        #expect(!path("a").isPrefix(of: path("ab")))
        #expect(!path("a/b").isPrefix(of: path("a")))
        #expect(!path("a").isPrefix(of: path("b/a")))
        #expect(path("a").isImmediateParent(of: path("a/b")))
        #expect(!path("a").isImmediateParent(of: path("a/b/c")))
        #expect(!path("a").isImmediateParent(of: path("a")))
        #expect(ResourcePath.root.isImmediateParent(of: path("a")))
    }

    @Test func `paths are ordered segment by segment`() {
        let ordered = [
            "", "a", "a/b", "a/b/c", "a/c", "a!", "a!/b", "a-/b", "a.", "a0", "aa", "b", "e\u{301}",
            "f", "\u{E9}", "\u{FFFD}", "\u{10000}",
        ].map { path($0) }
        expectAscending(ordered)
    }

    @Test func `numeric ids come first, by their signed number`() {
        let ordered = [
            "c/__id-9223372036854775808__", "c/__id-3__", "c/__id-3__/d/e", "c/__id0__",
            "c/__id7__", "c/__id7__/__id2__", "c/__id7__/__id10__", "c/__id7__/a", "c/__id10__",
            "c/__id9223372036854775807__", "c/ ", "c/!", "c/10", "c/9", "c/_", "c/__id7_", "c/a",
        ].map { path($0) }
        expectAscending(ordered)
    }

    @Test(
        arguments: [
            "__id__", "__id7_", "_id7__", "__id+7__", "__id07__", "__id-0__", "__idx__", "__ID7__",
            "__id9223372036854775808__", "__id 7__", "7", "x__id7__",
        ])
    func `only the one spelling of an int64 is a numeric id`(segment: String) {
        #expect(ResourcePath.numericID(of: segment) == nil)
        // So no two different names stand at one place.
        #expect(path("c/\(segment)").compare(to: path("c/__id7__")) > 0)
    }

    @Test func `the numbers of numeric ids are read`() {
        #expect(ResourcePath.numericID(of: "__id7__") == 7)
        #expect(ResourcePath.numericID(of: "__id-9223372036854775808__") == .min)
        #expect(ResourcePath.numericID(of: "__id0__") == 0)
    }

    @Test func `canonical equivalents are two paths`() {
        let composed = path("c/\u{E9}")
        let decomposed = path("c/e\u{301}")
        #expect(composed != decomposed)
        #expect(decomposed < composed)
        #expect(Set([composed, decomposed, path("c/\u{E9}")]).count == 2)
        #expect(!composed.isPrefix(of: path("c/e\u{301}/d")))
    }

    @Test func `a slash that joins a combining mark still ends a segment`() {
        // Swift's characters would join the slash with the accent that follows it.
        let odd = path("a/\u{301}b/c")
        #expect(
            odd.segments.map { Array($0.utf8) } == ["a", "\u{301}b", "c"].map { Array($0.utf8) })
        #expect(odd.parent.parent == path("a"))
        #expect(utf8Equals(odd.beforeLast, "\u{301}b"))
        #expect(utf8Equals(odd.parent.last, "\u{301}b"))
    }

    @Test func `the fast order is the order of the segments`() {
        var random = SeededGenerator(seed: 11)
        let segments: [PathSegment] = [
            "a", "a!", "a-", "aa", "b", "\u{1}", "__id7__", "__id10__", "__idx", "~",
        ]
        func randomPath() -> ResourcePath {
            ResourcePath(
                (0..<Int.random(in: 0...4, using: &random)).map { _ in random.pick(segments) })
        }
        for _ in 0..<2_000 {
            let (left, right) = (randomPath(), randomPath())
            var expected = 0
            for (first, second) in zip(left.segments, right.segments) where expected == 0 {
                expected = sign(ResourcePath.compareSegments(first, second))
            }
            if expected == 0 { expected = sign(left.count - right.count) }
            #expect(sign(left.compare(to: right)) == expected, "\(left) \(right)")
            #expect((left == right) == (expected == 0))
            #expect((left < right) == (expected < 0))
        }
    }

    @Test func `errors tell a person what is wrong`() {
        #expect("\(PathError.emptySegment(path: "a//b"))".contains("a//b"))
        #expect("\(PathError.wrongSegmentCount(path: "a", count: 1))".contains("even"))
        #expect("\(PathError.refusedSegment("..", reason: "it is reserved"))".contains("reserved"))
        #expect("\(PathError.badFieldPath("a..b", reason: "so"))".contains("a..b"))
    }
}

/// Expects that each comes before all that follow, in both directions.
func expectAscending(_ paths: [ResourcePath]) {
    for (index, left) in paths.enumerated() {
        #expect(left.compare(to: left) == 0)
        for right in paths[(index + 1)...] {
            #expect(left.compare(to: right) < 0, "\(left) < \(right)")
            #expect(right.compare(to: left) > 0, "\(right) > \(left)")
        }
    }
}
