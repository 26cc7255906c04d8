import HearthModel
import HearthTestSupport
import Testing

struct PathLimitsTests {
    private func path(_ text: String) throws -> ResourcePath { try ResourcePath(parsing: text) }

    @Test func `a path of 6 KiB may be asked for, and none that is longer`() throws {
        let id = String(repeating: "x", count: 1_500)
        let longest = [id, id, id, String(repeating: "y", count: 1_499), "z" + "abcdefghijk"]
        let text = longest.joined(separator: "/") + String(repeating: "k", count: 129)
        #expect(text.utf8.count == PathLimits.pathByteCountMax)
        try path(text).checkLimits()
        #expect(throws: PathError.tooLong(byteCount: 6_145)) { try path(text + "k").checkLimits() }
    }

    @Test func `a hundred collections may lie inside each other, and no more`() throws {
        let deepest = Array(repeating: "a", count: 200).joined(separator: "/")
        try path(deepest).checkLimits()
        #expect(throws: PathError.tooDeep(count: 201)) { try path(deepest + "/a").checkLimits() }
    }

    @Test(arguments: [
        "rooms/.", "rooms/..", "./a", "rooms/__x__", "__rooms__/a", "__id7__/a", "rooms/____",
        "rooms/__id07__", "rooms/" + String(repeating: "x", count: 1_501),
    ])
    func `an id that Firestore keeps or cannot hold is refused`(text: String) throws {
        #expect(throws: PathError.self) { try path(text).checkLimits() }
    }

    @Test(arguments: ["rooms/...", "rooms/__id7__", "rooms/___", "rooms/__x", "rooms/.\u{338}"])
    func `an id that only looks so is let through`(text: String) throws {
        try path(text).checkLimits()
    }

    @Test func `a field's path has 1,500 bytes with its dots`() throws {
        let half = String(repeating: "a", count: 749)
        try FieldPath([half, half + "b"]).checkLimits()
        #expect(throws: PathError.self) { try FieldPath([half, half + "bc"]).checkLimits() }
    }

    @Test func `an error quotes no more than the beginning of a long name`() throws {
        let name = String(repeating: "n", count: 100_000)
        let error = PathError.refusedSegment(name, reason: "it is long")
        #expect("\(error)".utf8.count < 400)
        #expect("\(error)".contains("(100000 bytes)"))
    }

    @Test func `a path of 80,000 names is refused as fast as one of a few`() throws {
        func spent(_ nameCount: Int) throws -> Duration {
            let path = try path(Array(repeating: "a", count: nameCount).joined(separator: "/"))
            return threadTime {
                for _ in 0..<10_000 {
                    #expect(throws: PathError.self) { try path.checkLimits() }
                }
            }
        }
        let (few, many) = (try spent(201), try spent(80_000))
        // Who looks at each name would need 400 times as long.
        #expect(many < few * 20, "\(few) and \(many)")
    }
}

struct PathSegmentTests {
    @Test(arguments: ["", "/", "a/b", "a/", "/\u{301}a", "a/\u{301}b"])
    func `what is no single name is refused, also where a mark hides the slash`(text: String) {
        #expect(throws: PathError.self) { try PathSegment(parsing: text) }
        #expect(throws: PathError.self) { try ResourcePath(segments: ["rooms", text]) }
    }

    @Test func `names are equal by their bytes`() throws {
        let (one, two) = (try PathSegment(parsing: "\u{e9}"), try PathSegment(parsing: "e\u{301}"))
        #expect(one != two)
        #expect(Set([one, two]).count == 2)
    }

    @Test func `a path's beginning has so many names`() throws {
        let path = try ResourcePath(parsing: "a/b/c/d")
        #expect(path.prefix(2) == ResourcePath(["a", "b"]))
        #expect(path.prefix(0) == .root)
        #expect(path.prefix(9) == path)
        #expect(path.lastSegment == "d")
        #expect(ResourcePath.root.lastSegment == nil)
    }
}

struct UTF8PartsTests {
    @Test func `a mark behind a separator hides it from nobody`() {
        #expect(
            "a/\u{301}b".utf8Parts("/").map { Array($0.utf8) } == [[0x61], Array("\u{301}b".utf8)])
        #expect("a/\u{301}b".utf8Contains("/"))
        #expect("/\u{301}".utf8HasPrefix("/"))
        #expect("__\u{301}x__".utf8HasPrefix("__"))
        #expect("a__\u{301}".utf8HasSuffix("\u{301}"))
        #expect(!"a".utf8HasSuffix("ba"))
    }

    @Test func `empty parts count, and the last part keeps what is beyond the number`() {
        #expect("a//b".utf8Parts("/") == ["a", "", "b"])
        #expect("a/b/c".utf8Parts("/", splitCountMax: 1) == ["a", "b/c"])
    }
}
