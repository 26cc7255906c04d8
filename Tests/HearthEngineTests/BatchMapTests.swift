import HearthModel
import Testing

@testable import HearthEngine

struct BatchMapTests {
    @Test func `what is put for a batch is found until it is taken away`() {
        var map = BatchMap<Int>()
        for number in 1...100 {
            #expect(map.updateValue(number, for: BatchID(Int64(number))) == nil)
        }
        #expect(map.updateValue(-7, for: BatchID(7)) == 7)
        #expect(map[BatchID(7)] == -7)
        #expect(map[BatchID(101)] == nil)
        #expect(map.removeValue(for: BatchID(7)) == -7)
        #expect(map.removeValue(for: BatchID(7)) == nil)
        #expect(map[BatchID(8)] == 8)
        for number in 1...100 { _ = map.removeValue(for: BatchID(Int64(number))) }
        #expect(map.isEmpty)
    }

    @Test func `a copy keeps what it has`() {
        var map = BatchMap<Int>()
        _ = map.updateValue(1, for: BatchID(1))
        let copy = map
        _ = map.updateValue(2, for: BatchID(1))
        #expect(copy[BatchID(1)] == 1)
        #expect(map[BatchID(1)] == 2)
    }

    @Test func `a set holds each batch once, on either side of a word's edge`() {
        let numbers: [Int64] = [1, 63, 64, 65, 127, 128, 1_000_000]
        var set = BatchSet()
        for number in numbers + numbers { set.insert(BatchID(number)) }
        var found: [Int64] = []
        set.visit { found.append($0.rawValue) }
        #expect(found.sorted() == numbers)
        set.remove(BatchID(64))
        set.remove(BatchID(66))
        #expect(!set.contains(BatchID(64)))
        #expect(set.contains(BatchID(65)) && set.contains(BatchID(63)))
        for number in numbers { set.remove(BatchID(number)) }
        #expect(set.isEmpty)
    }
}
