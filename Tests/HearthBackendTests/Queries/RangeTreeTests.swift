import HearthModel
import Testing

@testable import HearthBackend

/// Stretches are found by what lies in them.
struct RangeTreeTests {
    private func holds(_ range: ValueRange, _ value: Value) -> Bool {
        let end = ValueRange.End.value(value)
        return range.lower.compare(to: end) <= 0 && end.compare(to: range.upper) <= 0
    }

    private func range(_ random: inout RandomQueries) -> ValueRange {
        func end() -> ValueRange.End {
            let value = random.value()
            switch random.lottery.number(below: 7) {
            case 0: return .start(of: value.typeOrder)
            case 1: return .end(of: value.typeOrder)
            case 2: return .before(value)
            case 3: return .after(value)
            default: return .value(value)
            }
        }
        return ValueRange(end(), end())
    }

    @Test(arguments: 0..<6) func `a value finds what looking at each stretch finds`(
        seed: UInt64
    ) {
        var random = RandomQueries(seed: seed)
        var tree = RangeTree<Int>()
        var index = RangeIndex<Int>()
        var ranges: [(id: Int, range: ValueRange)] = []
        for id in 0..<400 {
            if !ranges.isEmpty, random.lottery.number(below: 3) == 0 {
                let gone = ranges.remove(at: random.lottery.number(below: ranges.count))
                tree.remove(gone.range, gone.id)
                index.discount(gone.range, of: gone.id)
            } else {
                let range = range(&random)
                if range.isEmpty { continue }
                ranges.append((id, range))
                tree.insert(range, id)
                index.count(range, of: id)
            }
            #expect(tree.count == ranges.count)
            let value = random.value()
            var found: [Int] = []
            tree.visit(ValueRange(.value(value), .value(value))) { found.append($0) }
            let expected = ranges.filter { holds($0.range, value) }.map(\.id)
            #expect(found.sorted() == expected.sorted(), "seed \(seed), \(value)")
            let other = self.range(&random)
            if other.isEmpty { continue }
            let overlaps = ranges.filter { !$0.range.clamped(to: other).isEmpty }
            #expect(index.overlapCount(other) == overlaps.count, "seed \(seed), \(other)")
        }
    }

    @Test func `the ends of all types are in one order`() {
        let ends: [ValueRange.End] = [
            .start(of: .null), .value(.null), .end(of: .null), .start(of: .number),
            .value(.double(.nan)), .before(.integer(1)), .value(.double(1)), .after(.integer(1)),
            .before(.double(1.5)), .value(.double(1.5)), .end(of: .number),
            .start(of: .string), .value(.string("")), .end(of: .string), .start(of: .map),
            .value(.map(["a": .null])), .end(of: .map),
        ]
        for (left, first) in ends.enumerated() {
            for (right, second) in ends.enumerated() {
                #expect(first.compare(to: second).signum() == (left - right).signum())
            }
        }
    }

    @Test func `of ten thousand stretches few are looked at`() {
        var tree = RangeTree<Int>()
        for id in 0..<10_000 {
            let lower = Value.integer(Int64(id * 10))
            tree.insert(ValueRange(.value(lower), .value(.integer(Int64(id * 10 + 9)))), id)
        }
        for id in stride(from: 0, to: 10_000, by: 97) {
            var found: [Int] = []
            let value = ValueRange.End.value(.integer(Int64(id * 10 + 5)))
            let count = tree.visit(ValueRange(value, value)) { found.append($0) }
            #expect(found == [id])
            #expect(count < 30)
        }
    }
}
