import HearthEngine
import HearthModel
import Testing

@testable import HearthFirestore

struct PackedKeySetTests {
    @Test func `a name is in the set from when it is added until it is taken away`() {
        var set = PackedKeySet([key("rooms/a"), key("rooms/b"), key("rooms/a")])
        #expect(set.count == 2)
        #expect(set.contains(key("rooms/a")) && !set.contains(key("rooms/c")))
        let wasNew = set.insert(key("rooms/a"))
        #expect(!wasNew)
        let wasThere = set.remove(key("rooms/a"))
        #expect(wasThere && !set.contains(key("rooms/a")))
        let wasStillThere = set.remove(key("rooms/a"))
        #expect(!wasStillThere && set.keys == [key("rooms/b")])
    }

    @Test func `names that differ in their collection alone are different`() {
        let keys = ["rooms/a", "halls/a", "rooms/a/rooms/a", "rooms/halls/a/a"].map(key)
        var set = PackedKeySet(keys)
        #expect(set.count == 4 && Set(set.keys) == Set(keys))
        for (place, key) in keys.enumerated() {
            set.remove(key)
            #expect(Set(set.keys) == Set(keys[(place + 1)...]))
        }
        // An empty set takes the next name's collection for its own.
        set.insert(key("halls/b"))
        #expect(set.keys == [key("halls/b")])
    }

    @Test func `two spellings of a letter are two names`() {
        let set = PackedKeySet([key("rooms/\u{e9}")])
        #expect(!set.contains(key("rooms/e\u{301}")))
    }

    @Test(arguments: 0..<8)
    func `it says what a set says, and so do copies, whatever is done`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        // Short names, names longer than a byte's length says, and some that fill a leaf alone.
        let keys = (0..<2_000).map { number -> DocumentKey in
            let size = [3, 20, 70, 700, 3_000][number % 40 < 36 ? number % 3 : number % 5]
            let path = number.isMultiple(of: 11) ? "halls/\(number)/rooms" : "rooms"
            return key("\(path)/\(String(repeating: "x", count: size))\(number)")
        }
        var set = PackedKeySet()
        var model: Set<DocumentKey> = []
        var copies: [(set: PackedKeySet, model: Set<DocumentKey>)] = []
        // Fuller at first, emptier in the end.
        for step in 0..<12_000 {
            let key = keys[Int.random(in: keys.indices, using: &random)]
            if Int.random(in: 0..<12_000, using: &random) > step {
                #expect(set.insert(key) == model.insert(key).inserted)
            } else {
                #expect(set.remove(key) == (model.remove(key) != nil))
            }
            #expect(set.count == model.count)
            if step.isMultiple(of: 3_000) { copies.append((set, model)) }
        }
        copies.append((set, model))
        for copy in copies {
            #expect(copy.set.keys.count == copy.model.count)
            #expect(Set(copy.set.keys) == copy.model)
            #expect(keys.allSatisfy { copy.set.contains($0) == copy.model.contains($0) })
        }
        for key in model { set.remove(key) }
        #expect(set.isEmpty && set.byteCount == 0)
    }

    @Test(arguments: [1_000, 30_000])
    func `a name of twenty characters takes 32 bytes at most`(count: Int) {
        var set = PackedKeySet((0..<count).map { key("rooms/\(1 << 60 + $0)x") })
        #expect(set.byteCount / count <= 32)
        for number in 0..<(count * 9 / 10) { set.remove(key("rooms/\(1 << 60 + number)x")) }
        #expect(set.byteCount / set.count <= 48)
    }
}
