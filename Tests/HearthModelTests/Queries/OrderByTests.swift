import HearthModel
import Testing

struct OrderByTests {
    private func sorted(_ documents: [Document], _ orderBys: [OrderBy]) -> [String] {
        let order = DocumentOrder(orderBys)
        let sorted = order.sorted(documents)
        #expect(sorted == documents.sorted { order.compare($0, $1) < 0 })
        return sorted.map(\.key.documentID)
    }

    @Test func `documents are ordered by each key in turn, the last being the name`() {
        let documents = [
            found("c/x", ["a": .integer(1), "b": .integer(1)]),
            found("c/w", ["a": .integer(1), "b": .integer(2)]),
            found("c/v", ["a": .double(1), "b": .integer(2)]),
            found("c/u", ["a": .null, "b": .integer(0)]),
        ]
        let name = OrderBy(.documentID)
        #expect(sorted(documents, [name]) == ["u", "v", "w", "x"])
        #expect(sorted(documents, [OrderBy(field("a")), name]) == ["u", "v", "w", "x"])
        #expect(
            sorted(documents, [OrderBy(field("a")), OrderBy(field("b"), .descending), name])
                == ["u", "v", "w", "x"])
        #expect(
            sorted(
                documents, [OrderBy(field("b"), .descending), OrderBy(.documentID, .descending)])
                == ["w", "v", "x", "u"])
    }

    @Test func `a document without the field comes first`() {
        let documents = [found("c/a", ["a": .null]), found("c/b", [:])]
        #expect(sorted(documents, [OrderBy(field("a")), OrderBy(.documentID)]) == ["b", "a"])
        #expect(
            sorted(documents, [OrderBy(field("a"), .descending), OrderBy(.documentID)])
                == ["a", "b"])
    }

    @Test func `directions flip`() {
        #expect(OrderBy.Direction.ascending.flipped == .descending)
        #expect(OrderBy.Direction.descending.flipped == .ascending)
    }

    @Test func `a bound cuts before or behind its position`() {
        let orderBys = [OrderBy(field("a")), OrderBy(.documentID)]
        func admits(_ bound: Bound, _ value: Int64) -> (start: Bool, end: Bool) {
            let document = found("c/m", ["a": .integer(value)])
            return (
                bound.admitsAsStart(document, orderBys: orderBys),
                bound.admitsAsEnd(document, orderBys: orderBys)
            )
        }
        let at = Bound([.integer(5)], isInclusive: true)
        let beside = Bound([.integer(5)], isInclusive: false)
        #expect(admits(at, 4) == (false, true))
        #expect(admits(at, 5) == (true, true))
        #expect(admits(at, 6) == (true, false))
        #expect(admits(beside, 5) == (false, false))
        #expect(admits(beside, 6) == (true, false))
        #expect(
            admits(Bound([.integer(5), reference("c/z")], isInclusive: true), 5) == (false, true))
        #expect(
            admits(Bound([.integer(5), reference("c/a")], isInclusive: true), 5) == (true, false))
        #expect(admits(Bound([], isInclusive: true), 5) == (true, true))
        #expect(admits(Bound([], isInclusive: false), 5) == (false, false))
    }

    @Test func `a descending key turns the bound round`() {
        let orderBys = [OrderBy(field("a"), .descending), OrderBy(.documentID, .descending)]
        let bound = Bound([.integer(5)], isInclusive: true)
        #expect(bound.admitsAsStart(found("c/m", ["a": .integer(4)]), orderBys: orderBys))
        #expect(!bound.admitsAsStart(found("c/m", ["a": .integer(6)]), orderBys: orderBys))
        #expect(bound.admitsAsEnd(found("c/m", ["a": .integer(6)]), orderBys: orderBys))
        let tie = Bound([.integer(5), reference("c/m")], isInclusive: false)
        #expect(tie.admitsAsStart(found("c/a", ["a": .integer(5)]), orderBys: orderBys))
        #expect(!tie.admitsAsStart(found("c/m", ["a": .integer(5)]), orderBys: orderBys))
    }

    @Test func `a bound crosses types by their order`() {
        let orderBys = [OrderBy(field("a")), OrderBy(.documentID)]
        let bound = Bound([.string("")], isInclusive: true)
        #expect(!bound.admitsAsStart(found("c/m", ["a": .integer(6)]), orderBys: orderBys))
        #expect(bound.admitsAsStart(found("c/m", ["a": .bytes([])]), orderBys: orderBys))
    }
}
