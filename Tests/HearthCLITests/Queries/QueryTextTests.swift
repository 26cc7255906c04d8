import Hearth
import Testing

@testable import HearthCLI

struct QueryTextTests {
    @Test func `a query is read with all its parts`() throws {
        let text =
            "lit=lamps group where lights >= 3 where note == \"a where b\" order lights:desc limit 5"
        let query = try QueryText(parsing: text)
        #expect(query.name == "lit")
        #expect(query.collection.description == "lamps")
        #expect(query.isGroup)
        #expect(
            query.conditions == [
                try Condition(parsing: "lights >= 3"),
                try Condition(parsing: "note == \"a where b\""),
            ])
        #expect(query.orderings == [try Ordering(parsing: "lights:desc")])
        #expect(query.limit == .first(5))
    }

    @Test func `a mark hides neither the sign in front of it nor the quote`() throws {
        let query = try QueryText(parsing: "q=rooms where note == \"\u{301}a where b\" limit 2")
        #expect(query.conditions == [try Condition(parsing: "note == \"\u{301}a where b\"")])
        #expect(query.limit == .first(2))
        #expect(try QueryText(parsing: "q=\u{301}rooms").collection.segments == ["\u{301}rooms"])
    }

    @Test func `a collection alone is a query`() throws {
        let query = try QueryText(parsing: "all=rooms/hall/lamps")
        #expect(query.collection.description == "rooms/hall/lamps")
        #expect(query.conditions.isEmpty && query.orderings.isEmpty && query.limit == nil)
    }

    @Test(arguments: [
        "rooms", "=rooms", "q=", "q=rooms/hall", "q=rooms sorted", "q=rooms limit 0",
        "q=rooms limit", "q=rooms limit-to-last 3", "q=rooms/hall/lamps group", "q=rooms where",
        "q=rooms order",
    ])
    func `what is no query is refused`(text: String) {
        #expect(throws: (any Error).self) { try QueryText(parsing: text) }
    }
}
