import HearthModel
import HearthTestSupport
import Testing

struct MapValueTests {
    @Test func `fields are sorted by bytes, and of two with one name the later counts`() {
        let map = MapValue([
            ("b", .integer(1)), ("\u{E9}", .integer(2)), ("a", .integer(3)),
            ("e\u{301}", .integer(4)), ("a", .integer(5)), ("b", .integer(6)), ("a", .integer(7)),
        ])
        #expect(
            map.entries.map { Array($0.key.utf8) }
                == ["a", "b", "e\u{301}", "\u{E9}"].map { Array($0.utf8) })
        #expect(map.entries.map(\.value) == [7, 6, 4, 2].map { .integer($0) })
        #expect(map.count == 4)
        #expect(!map.isEmpty)
    }

    @Test func `two spellings of a letter are two fields`() {
        var map = MapValue.empty
        map["\u{E9}"] = .integer(1)
        map["e\u{301}"] = .integer(2)
        #expect(map.count == 2)
        #expect(map["\u{E9}"] == .integer(1))
        map["\u{E9}"] = nil
        #expect(map.count == 1)
        #expect(map["e\u{301}"] == .integer(2))
        #expect(MapValue([("\u{E9}", .null)]) != MapValue([("e\u{301}", .null)]))
    }

    @Test func `a field is set, replaced and removed`() {
        var map: MapValue = ["b": .integer(1)]
        map["a"] = .integer(0)
        map["c"] = .integer(2)
        map["b"] = .string("one")
        map["x"] = nil
        #expect(map == ["a": .integer(0), "b": .string("one"), "c": .integer(2)])
        map["a"] = nil
        map["c"] = nil
        map["b"] = nil
        #expect(map == .empty)
    }

    @Test func `a path leads through maps only`() {
        let map: MapValue = ["a": .map(["b": .map(["c": .integer(1)])]), "x": .integer(5)]
        #expect(map[field("a.b.c")] == .integer(1))
        #expect(map[field("a.b")] == .map(["c": .integer(1)]))
        #expect(map[field("a.b.c.d")] == nil)
        #expect(map[field("x.y")] == nil)
        #expect(map[field("y")] == nil)
        #expect(map[FieldPath(["a.b"])] == nil)
        #expect(map[.empty] == .map(map))
    }

    @Test func `setting a path makes maps of what stands in the way`() {
        var map: MapValue = ["a": .integer(5), "b": .map(["x": .integer(1)])]
        map.set(field("a.b.c"), to: .integer(1))
        map.set(field("b.y"), to: .integer(2))
        map.set(field("c.d"), to: .integer(3))
        map.set(field("e"), to: .null)
        #expect(
            map == [
                "a": .map(["b": .map(["c": .integer(1)])]),
                "b": .map(["x": .integer(1), "y": .integer(2)]),
                "c": .map(["d": .integer(3)]), "e": .null,
            ])
    }

    @Test func `nothing lies inside a vector, and setting something there replaces it`() {
        var map: MapValue = ["v": .vector([1])]
        #expect(map[field("v.value")] == nil)
        map.remove(field("v.value"))
        #expect(map == ["v": .vector([1])])
        map.set(field("v.x"), to: .integer(1))
        #expect(map == ["v": .map(["x": .integer(1)])])
    }

    @Test func `removing a path leaves what does not lead there, and empty maps`() {
        var map: MapValue = ["a": .map(["b": .integer(1)]), "x": .integer(5)]
        map.remove(field("x.y"))
        map.remove(field("a.c"))
        map.remove(field("z.z"))
        #expect(map == ["a": .map(["b": .integer(1)]), "x": .integer(5)])
        map.remove(field("a.b"))
        map.remove(field("x"))
        #expect(map == ["a": .map([:])])
        map.remove(field("a"))
        #expect(map.isEmpty)
    }

    @Test func `leaves are values, empty maps and vectors`() {
        let map: MapValue = [
            "a": .map(["b": .integer(1), "c": .map(["d": .null])]), "e": .map([:]),
            "v": .vector([1]), "w": .array([.map(["x": .null])]),
        ]
        #expect(map.leafPaths == ["a.b", "a.c.d", "e", "v", "w"].map(field))
        #expect(MapValue.empty.leafPaths.isEmpty)
    }

    @Test func `random changes agree with a dictionary`() {
        var random = SeededGenerator(seed: 5)
        var map = MapValue.empty
        var model: [[UInt8]: Int64] = [:]
        let keys = ["", "a", "aa", "b", "e\u{301}", "\u{E9}", "12345678", "123456789", "z"]
        for step in 0..<2_000 {
            let key = random.pick(keys)
            if Bool.random(using: &random) {
                map[key] = .integer(Int64(step))
                model[Array(key.utf8)] = Int64(step)
            } else {
                map[key] = nil
                model[Array(key.utf8)] = nil
            }
            #expect(map.count == model.count)
            #expect(map[key] == model[Array(key.utf8)].map { .integer($0) })
        }
        let sorted = model.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        #expect(map.entries.map { Array($0.key.utf8) } == sorted.map(\.key))
    }
}
