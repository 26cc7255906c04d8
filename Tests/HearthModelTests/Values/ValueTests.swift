import HearthModel
import Testing

struct ValueTests {
    @Test func `equality is stricter than the order`() {
        #expect(Value.integer(1) != .double(1))
        #expect(Value.double(0) != .double(-0.0))
        #expect(Value.double(.nan) == .double(.nan))
        #expect(Value.double(.nan) == .double(-.nan))
        #expect(Value.array([.integer(1)]) != .array([.double(1)]))
        #expect(map(["a": .integer(1)]) != map(["a": .double(1)]))
        #expect(Value.string("\u{E9}") != .string("e\u{301}"))
        #expect(Value.null == .null)
        #expect(Value.null != .boolean(false))
        #expect(Value.bytes([0]) != .string("\0"))
    }

    @Test func `equal values hash alike`() {
        #expect(hash(Value.double(.nan)) == hash(Value.double(-.nan)))
        #expect(hash(Value.double(0)) != hash(Value.double(-0.0)))
        #expect(hash(Value.integer(1)) != hash(Value.double(1)))
        #expect(
            hash(map(["a": .null, "b": .integer(1)])) == hash(map(["b": .integer(1), "a": .null])))
        #expect(hash(Value.array([.array([]), .null])) != hash(Value.array([.array([.null])])))
    }

    @Test func `a pending timestamp is its write time`() {
        let time = Timestamp(seconds: 5, nanoseconds: 0)
        let one = PendingServerTimestamp(localWriteTime: time, previousValue: .integer(1))
        let two = PendingServerTimestamp(localWriteTime: time, previousValue: .integer(2))
        #expect(one != two)
        #expect(Value.serverTimestamp(one) == .serverTimestamp(two))
        #expect(hash(Value.serverTimestamp(one)) == hash(Value.serverTimestamp(two)))
        #expect(Value.serverTimestamp(one) != .timestamp(time))
    }

    @Test func `a chain of pending timestamps keeps the oldest real value`() {
        func pending(_ seconds: Int64, _ previous: Value?) -> PendingServerTimestamp {
            PendingServerTimestamp(
                localWriteTime: Timestamp(seconds: seconds, nanoseconds: 0), previousValue: previous
            )
        }
        let first = pending(1, .string("old"))
        let second = pending(2, .serverTimestamp(first))
        let third = pending(3, .serverTimestamp(second))
        #expect(third.previousValue == .string("old"))
        #expect(third.localWriteTime.seconds == 3)
        #expect(pending(2, .serverTimestamp(pending(1, nil))).previousValue == nil)
    }

    @Test func `values know what they are`() {
        #expect(Value.integer(1).isNumber && Value.double(1).isNumber)
        #expect(!Value.string("1").isNumber && !Value.null.isNumber)
        #expect(Value.double(.nan).isNaN && !Value.integer(1).isNaN)
        #expect(Value.null.isNull && !Value.boolean(false).isNull)
        #expect(Value.array([.null]).arrayElements == [.null])
        #expect(Value.null.arrayElements == nil)
        #expect(Value.vector([1, 2]).vectorElements == [.double(1), .double(2)])
        #expect(Value.array([.double(1)]).vectorElements == nil)
    }
}
