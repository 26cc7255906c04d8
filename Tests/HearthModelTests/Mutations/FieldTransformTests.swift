import HearthModel
import HearthTestSupport
import Testing

struct FieldTransformTests {
    private typealias Operation = FieldTransform.Operation
    private let now = Timestamp(seconds: 9, nanoseconds: 0)

    private func local(_ operation: FieldTransform.Operation, _ previous: Value?) -> Value {
        operation.localResult(previous: previous, writtenAt: now)
    }

    @Test func `whole numbers add up and stop at the ends`() {
        #expect(local(.increment(.integer(2)), .integer(3)) == .integer(5))
        #expect(local(.increment(.integer(1)), .integer(.max)) == .integer(.max))
        #expect(local(.increment(.integer(.max)), .integer(.max)) == .integer(.max))
        #expect(local(.increment(.integer(-1)), .integer(.min)) == .integer(.min))
        #expect(local(.increment(.integer(.min)), .integer(.min)) == .integer(.min))
        #expect(local(.increment(.integer(.max)), .integer(.min)) == .integer(-1))
    }

    @Test func `any double makes the sum a double`() {
        #expect(local(.increment(.double(0.5)), .integer(1)) == .double(1.5))
        #expect(local(.increment(.integer(1)), .double(0.5)) == .double(1.5))
        #expect(local(.increment(.double(1)), .double(1)) == .double(2))
        #expect(local(.increment(.double(.nan)), .integer(1)) == .double(.nan))
        #expect(local(.increment(.double(.infinity)), .double(-.infinity)) == .double(.nan))
    }

    @Test(arguments: [nil, .null, .string("7"), .array([])] as [Value?])
    func `what is no number counts as nothing`(previous: Value?) {
        #expect(local(.increment(.integer(7)), previous) == .integer(7))
        #expect(local(.increment(.double(1.5)), previous) == .double(1.5))
        #expect(local(.maximum(.integer(-7)), previous) == .integer(-7))
        #expect(local(.minimum(.integer(7)), previous) == .integer(7))
        if previous?.arrayElements == nil {
            #expect(local(.arrayUnion([.integer(7)]), previous) == .array([.integer(7)]))
            #expect(local(.arrayRemove([.integer(7)]), previous) == .array([]))
        }
    }

    @Test func `the winner of maximum and minimum keeps its type, and a tie the previous value`() {
        #expect(local(.maximum(.double(3)), .integer(2)) == .double(3))
        #expect(local(.maximum(.integer(2)), .double(3)) == .double(3))
        #expect(local(.minimum(.double(3)), .integer(2)) == .integer(2))
        #expect(local(.maximum(.double(2)), .integer(2)) == .integer(2))
        #expect(local(.minimum(.integer(2)), .double(2)) == .double(2))
        #expect(local(.maximum(.double(0)), .double(-0.0)) == .double(-0.0))
        #expect(
            local(.maximum(.integer((1 << 53) + 1)), .double(0x1p53)) == .integer((1 << 53) + 1))
        for operation in [Operation.maximum(.double(.nan)), .minimum(.double(.nan))] {
            #expect(local(operation, .integer(1)) == .double(.nan))
        }
        for operation in [Operation.maximum(.integer(1)), .minimum(.integer(1))] {
            #expect(local(operation, .double(.nan)) == .double(.nan))
        }
    }

    /// Many elements are looked for by hash, few by comparing each; the outcome is the same.
    @Test(arguments: 0..<200 as Range<UInt64>)
    func `a union and a difference of many are those of few, here and in the backend`(
        seed: UInt64
    ) {
        var random = SeededGenerator(seed: seed)
        let present = (0..<30).map { _ in random.value() }
        let operand = (0..<20).map { _ in random.value() }
        for dialect in [Dialect.cache, .backend] {
            func apply(_ operation: Operation, _ previous: [Value]) -> [Value] {
                let result =
                    switch dialect {
                    case .cache: local(operation, .array(previous))
                    case .backend:
                        operation.committedResult(previous: .array(previous), commitTime: now)
                    }
                return result.arrayElements ?? []
            }
            var (joined, kept) = (present, present)
            for element in operand {
                joined = apply(.arrayUnion([element]), joined)
                kept = kept.flatMap { apply(.arrayRemove([element]), [$0]) }
            }
            #expect(apply(.arrayUnion(operand), present) == joined)
            #expect(apply(.arrayRemove(operand), present) == kept)
        }
    }

    @Test func `a union appends what is missing, in order, each once`() {
        let present = Value.array([.integer(1), .integer(2), .integer(1)])
        #expect(
            local(.arrayUnion([.integer(3), .integer(1), .integer(3), .null]), present)
                == .array([.integer(1), .integer(2), .integer(1), .integer(3), .null]))
        #expect(local(.arrayUnion([]), present) == present)
    }

    @Test func `a removal takes every equal element`() {
        let present = Value.array([.integer(1), .integer(2), .integer(1)])
        #expect(local(.arrayRemove([.integer(1), .null]), present) == .array([.integer(2)]))
        #expect(local(.arrayRemove([]), present) == present)
    }

    @Test func `the cache's elements are strict, the backend's numeric`() {
        let present = Value.array([.integer(1)])
        func committed(_ operation: FieldTransform.Operation) -> Value {
            operation.committedResult(previous: present, commitTime: now)
        }
        #expect(local(.arrayUnion([.double(1)]), present) == .array([.integer(1), .double(1)]))
        #expect(committed(.arrayUnion([.double(1)])) == present)
        #expect(local(.arrayRemove([.double(1)]), present) == present)
        #expect(committed(.arrayRemove([.double(1)])) == .array([]))
        #expect(committed(.increment(.integer(2))) == .integer(2))
        #expect(committed(.serverTimestamp) == .timestamp(now))
    }

    @Test func `a server timestamp is pending until the backend has set it`() {
        guard case .serverTimestamp(let pending) = local(.serverTimestamp, .integer(4)) else {
            Issue.record("A server timestamp is not pending")
            return
        }
        #expect(pending.localWriteTime == now)
        #expect(pending.previousValue == .integer(4))
    }

    @Test func `the backend's answer counts, but not for arrays`() {
        func acknowledged(_ operation: FieldTransform.Operation, _ previous: Value?) -> Value {
            operation.acknowledgedResult(previous: previous, answer: .integer(42))
        }
        #expect(acknowledged(.serverTimestamp, nil) == .integer(42))
        #expect(acknowledged(.increment(.integer(1)), .integer(1)) == .integer(42))
        #expect(acknowledged(.maximum(.integer(1)), .integer(1)) == .integer(42))
        #expect(acknowledged(.minimum(.integer(1)), .integer(1)) == .integer(42))
        #expect(acknowledged(.arrayUnion([.null]), .integer(1)) == .array([.null]))
        #expect(acknowledged(.arrayRemove([.null]), .array([.null])) == .array([]))
    }

    @Test func `only increments remember the value they start from`() {
        let increment = Operation.increment(.integer(1))
        #expect(increment.baseValue(previous: .double(2.5)) == .double(2.5))
        #expect(increment.baseValue(previous: .string("x")) == .integer(0))
        #expect(increment.baseValue(previous: nil) == .integer(0))
        let others: [FieldTransform.Operation] = [
            .serverTimestamp, .maximum(.integer(1)), .minimum(.integer(1)), .arrayUnion([]),
            .arrayRemove([]),
        ]
        for operation in others { #expect(operation.baseValue(previous: .integer(1)) == nil) }
    }
}
