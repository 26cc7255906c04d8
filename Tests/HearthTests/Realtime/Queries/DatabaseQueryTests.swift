import HearthModel
import Testing

@testable import Hearth

struct DatabaseQueryTests {
    private let ref = Database(settings: DatabaseSettings(socketPath: "/nowhere"))
        .reference(withPath: "rooms")

    private func parameters(_ query: DatabaseQuery) throws -> QueryParameters {
        try query.validated().query
    }

    private func fault(_ query: DatabaseQuery) -> String? {
        do throws(DatabaseError) {
            _ = try query.validated()
            return nil
        } catch {
            #expect(error.code == .invalidArgument)
            return error.message
        }
    }

    @Test func `orders, bounds and limits are put together`() throws {
        #expect(try parameters(ref) == .all)
        #expect(
            try parameters(ref.queryOrdered(byChild: "a/b").queryLimited(toFirst: 3))
                == QueryParameters(
                    index: .child("a/b"), limit: QueryParameters.Limit(3, from: .first)))
        #expect(
            try parameters(
                ref.queryOrderedByValue().queryStarting(atValue: 1, childKey: "k")
                    .queryEnding(beforeValue: "x").queryLimited(toLast: 2))
                == QueryParameters(
                    index: .value, start: .init(1, key: .key("k")),
                    end: .init("x", isInclusive: false),
                    limit: QueryParameters.Limit(2, from: .last)))
        #expect(
            try parameters(ref.queryOrderedByKey().queryEqual(toValue: "k"))
                == QueryParameters.equalTo("k", index: .key))
        #expect(
            try parameters(
                ref.queryOrderedByPriority().queryStarting(afterValue: nil)
                    .queryEnding(atValue: 9, childKey: "z"))
                == QueryParameters(
                    start: .init(nil, isInclusive: false), end: .init(9, key: .key("z"))))
        #expect(
            try parameters(
                ref.queryOrdered(byChild: "a").queryStarting(afterValue: 1, childKey: "k")
                    .queryEnding(beforeValue: 2, childKey: "l"))
                == QueryParameters(
                    index: .child("a"), start: .init(1, key: .key("k"), isInclusive: false),
                    end: .init(2, key: .key("l"), isInclusive: false)))
        #expect(
            try parameters(ref.queryEqual(toValue: true, childKey: "k").queryOrderedByValue())
                == QueryParameters.equalTo(.bool(true), key: "k", index: .value))
    }

    @Test func `one order, one start, one end and one limit are all that a query has`() {
        #expect(
            fault(ref.queryOrderedByKey().queryOrderedByValue())?.contains("an order already")
                == true)
        #expect(
            fault(ref.queryStarting(atValue: 1).queryStarting(afterValue: 2))?
                .contains("a start already") == true)
        #expect(
            fault(ref.queryEnding(atValue: 1).queryEnding(beforeValue: 2))?
                .contains("an end already") == true)
        #expect(
            fault(ref.queryStarting(atValue: 1).queryEqual(toValue: 2))?
                .contains("equality is both") == true)
        #expect(fault(ref.queryEqual(toValue: 2).queryEnding(atValue: 1)) != nil)
        #expect(
            fault(ref.queryLimited(toFirst: 1).queryLimited(toLast: 1))?
                .contains("a limit already") == true)
    }

    @Test func `a limit lies in its range`() {
        #expect(fault(ref.queryLimited(toFirst: 0))?.contains("a limit of 0") == true)
        #expect(fault(ref.queryLimited(toLast: 1 << 31))?.contains("2147483647") == true)
        #expect(fault(ref.queryLimited(toLast: .max)) != nil)
        #expect(fault(ref.queryLimited(toLast: 1 << 31 - 1)) == nil)
    }

    @Test func `a child to sort by is a path, and no other order's name`() {
        #expect(
            fault(ref.queryOrdered(byChild: "$key"))?.contains("queryOrderedByKey()") == true)
        #expect(fault(ref.queryOrdered(byChild: "$value")) != nil)
        #expect(fault(ref.queryOrdered(byChild: "$priority")) != nil)
        #expect(fault(ref.queryOrdered(byChild: ""))?.contains("no path to a child") == true)
        #expect(fault(ref.queryOrdered(byChild: "a.b")) != nil)
    }

    @Test func `a bound goes with its order, whichever comes first`() {
        let byKey = ref.queryOrderedByKey()
        #expect(fault(byKey.queryStarting(atValue: 1))?.contains("a bound is a string") == true)
        #expect(fault(byKey.queryStarting(atValue: "a", childKey: "b")) != nil)
        #expect(fault(byKey.queryStarting(atValue: nil)) != nil)
        #expect(fault(ref.queryStarting(atValue: 1).queryOrderedByKey()) != nil)
        #expect(fault(ref.queryStarting(atValue: "a", childKey: "b").queryOrderedByKey()) != nil)
        #expect(fault(ref.queryOrderedByPriority().queryEqual(toValue: true)) != nil)
        #expect(fault(ref.queryEqual(toValue: true))?.contains("has no order") == true)
        #expect(fault(ref.queryEnding(beforeValue: false)) != nil)
        #expect(fault(ref.queryStarting(atValue: [1]))?.contains("no string, flag") == true)
        #expect(fault(ref.queryStarting(atValue: 1, childKey: "a/b"))?.contains("no key") == true)
    }

    @Test func `a bound in the order of keys is any string, such as a beginning`() throws {
        let byKey = ref.queryOrderedByKey()
        for text in ["", "a.b", "a/b", "ann\u{F8FF}"] {
            let query = byKey.queryStarting(atValue: text).queryEnding(atValue: text + "\u{F8FF}")
            #expect(
                try parameters(query)
                    == QueryParameters(
                        index: .key, start: .init(.string(text)),
                        end: .init(.string(text + "\u{F8FF}"))))
        }
    }

    @Test func `the first mistake stays, and queries are values`() {
        let wrong = ref.queryLimited(toFirst: 0)
        #expect(fault(wrong.queryOrdered(byChild: "$key")) == fault(wrong))
        #expect(ref.queryLimited(toFirst: 1) == ref.queryLimited(toFirst: 1))
        #expect(ref.queryLimited(toFirst: 1) != ref.queryLimited(toLast: 1))
        #expect(ref.queryLimited(toFirst: 1).ref == ref)
        let query: DatabaseQuery = ref
        #expect(query.ref == ref)
    }
}
