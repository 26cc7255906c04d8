import Testing

@testable import HearthModel

/// How much memory values are said to take.
struct ValueMemoryTests {
    @Test func `an array counts a place for each element, though the element be nothing`() {
        let count = 1_000
        let array = Value.array(Array(repeating: .null, count: count))
        #expect(array.memoryByteCount >= count * MemoryLayout<Value>.stride)
        // On the wire an element takes far less than in memory.
        #expect(array.memoryByteCount > 2 * array.byteCountBound)
    }

    @Test func `a long text and a name count their bytes besides their places`() {
        let text = String(repeating: "a", count: 5_000)
        let short = MapValue([("n", .string("a"))]).memoryByteCount
        #expect(MapValue([("n", .string(text))]).memoryByteCount >= short + 4_999)
        #expect(MapValue([(text, .string("a"))]).memoryByteCount >= short + 4_999)
        #expect(Value.bytes([UInt8](repeating: 0, count: 5_000)).memoryByteCount > 5_000)
    }

    @Test func `packed fields take little more than their bytes`() throws {
        let fields: MapValue = ["a": .integer(1), "b": .boolean(true), "c": .string("hall")]
        let packed = fields.packed
        #expect(packed.packedFields != nil)
        #expect(packed.memoryByteCount < fields.memoryByteCount / 2)
        #expect(packed.memoryByteCount > packed.storedByteCount)
    }

    @Test func `a map inside another counts all of its parts`() {
        let inner: MapValue = ["a": .array([.integer(1), .null]), "b": .double(2)]
        let outer = MapValue([("inner", .map(inner))])
        #expect(outer.memoryByteCount > inner.memoryByteCount)
        #expect(MapValue([("x", .map(outer))]).memoryByteCount > outer.memoryByteCount)
    }
}
