import HearthModel
import Testing

struct DialectTests {
    @Test func `the cache is strict, the backend sees the order only`() {
        let pairs: [(Value, Value)] = [
            (.integer(1), .double(1)), (.double(0), .double(-0.0)),
            (.array([.integer(1)]), .array([.double(1)])),
            (map(["a": .integer(1)]), map(["a": .double(1)])),
        ]
        for (left, right) in pairs {
            #expect(!Dialect.cache.areEqual(left, right))
            #expect(Dialect.backend.areEqual(left, right))
        }
        for dialect in [Dialect.cache, .backend] {
            #expect(dialect.areEqual(.double(.nan), .double(.nan)))
            #expect(!dialect.areEqual(.string("\u{E9}"), .string("e\u{301}")))
            #expect(!dialect.areEqual(.integer(1), .string("1")))
        }
    }
}
