import HearthModel
import Testing

struct RealtimePathTests {
    @Test(arguments: [
        ("", "/"), ("/", "/"), ("//", "/"), ("a", "/a"), ("/a//b/", "/a/b"),
        ("/.info/connected", "/.info/connected"), ("é/😀", "/é/😀"),
    ])
    func `slashes may stand anywhere`(text: String, path: String) {
        #expect(RealtimePath(text)?.description == path)
    }

    @Test(arguments: ["a.b", "/a/$b", "/a/.info", "a/#", "/[", "/.priority", "/a/\u{7F}"])
    func `a part that is no key makes it none`(text: String) {
        #expect(RealtimePath(text) == nil)
    }

    @Test func `a path contains itself and what is below`() {
        let path: RealtimePath = "/a/b"
        #expect(
            path.contains("/a/b") && path.contains("/a/b/c") && RealtimePath.root.contains(path))
        #expect(!path.contains("/a") && !path.contains("/a/bc"))
        #expect(path.relative("/a/b/c/d") == "/c/d")
        #expect(path.relative("/a") == nil)
        #expect(path.appending("/c/d" as RealtimePath) == "/a/b/c/d")
        #expect(path.appending("c" as ChildKey) == "/a/b/c")
        #expect(path.parent == "/a" && path.last == "b" && RealtimePath.root.parent == nil)
        #expect(path.byteCount == 3 && RealtimePath.root.byteCount == 0)
    }

    @Test func `paths sort key by key, and one before those below it`() {
        let sorted: [RealtimePath] = ["/", "/2", "/10", "/10/b", "/a", "/a/10", "/a/b", "/b"]
        #expect(sorted.reversed().sorted() == sorted)
    }

    @Test(arguments: [
        ("/a/.priority", "/a", true), (".priority", "/", true), ("/.priority", "/", true),
        ("a/b", "/a/b", false), ("", "/", false),
    ])
    func `a write names a node or its priority`(text: String, path: String, isPriority: Bool) {
        let place = WritePath(text)
        #expect(place?.path.description == path)
        #expect(place?.isPriority == isPriority)
    }

    @Test(arguments: ["/", "/a", "/a/b", "/\u{301}a/\u{301}b", "/.priority", "/\u{301}/.priority"])
    func `a path without the slash in front is the same path`(text: String) throws {
        let place = try #require(WritePath(text))
        #expect(utf8Equals("/" + place.bareText, text))
        #expect(WritePath(place.bareText) == place)
        #expect(RealtimePath(place.path.bareText) == place.path)
    }

    @Test(arguments: ["/", "/a", "/a/é", "/.priority", "/a/.priority", "/😀/b/.priority"])
    func `the bytes of a place are those of its text`(text: String) throws {
        let place = try #require(WritePath(text))
        var bytes: [UInt8] = []
        place.writeText(to: &bytes)
        #expect(bytes == Array(text.utf8) && bytes == Array(place.description.utf8))
        #expect(place.textByteCount == bytes.count)
    }

    @Test(arguments: ["/.info", "/.info/connected", "/.priority/a", "/a/.value", "a.priority"])
    func `a write cannot name what is not stored`(text: String) {
        #expect(WritePath(text) == nil)
    }
}
