import Testing

@testable import HearthRPC

struct HTTPTargetTests {
    @Test func `a target is read with its percents`() throws {
        let target = try #require(HTTPTarget("/a%20b/c+d?x=1%2B+2&y&x=%C3%A9"))
        #expect(target.segments == ["a b", "c+d"])
        #expect(
            target.parameters == [
                .init(name: "x", value: "1+ 2"), .init(name: "y", value: ""),
                .init(name: "x", value: "é"),
            ])
        for text in ["", "a", "/%", "/%2", "/%zz", "/%ff"] { #expect(HTTPTarget(text) == nil) }
    }
}
