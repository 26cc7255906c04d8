import HearthEngine
import HearthModel
import Testing

@testable import HearthStore

struct PlaceBytesTests {
    private func read(_ bytes: [UInt8]) throws -> RealtimePath {
        try bytes.lend { bytes throws(StoreError) in try PlaceBytes.path(from: bytes) }
    }

    /// Keys that are neighbours in some order: of numbers, of UTF-8 or of UTF-16.
    private static let keys: [ChildKey] =
        RealtimeChance.keys + [
            "0007", "07", "7", "-7", "-07", "000", "-00", "9999999999", "-2147483649", "-", "--1",
            "1a", "a1", "aé", "a\u{FFFF}", "a\u{10000}", "a\u{10FFFF}", "\u{F8FF}", "\u{F000}",
            "\u{EFFF}", "\u{80}", "ÿ", "~",
        ]

    @Test func `bytes sort as keys do, and give them back`() throws {
        for left in Self.keys {
            #expect(try read(PlaceBytes.bytes(of: left)) == RealtimePath([left]))
            for right in Self.keys {
                let order = compareBytes(PlaceBytes.bytes(of: left), PlaceBytes.bytes(of: right))
                #expect(order.signum() == ChildKey.compare(left, right).signum())
            }
        }
    }

    @Test(arguments: UInt64(1)...4)
    func `bytes sort as places do, and a place begins the places below alone`(seed: UInt64) throws {
        var chance = RealtimeChance(seed: seed)
        for _ in 0..<2_000 {
            let (left, right) = (chance.path(3), chance.path(3))
            let (first, second) = (PlaceBytes.bytes(of: left), PlaceBytes.bytes(of: right))
            #expect(
                compareBytes(first, second).signum() == RealtimePath.compare(left, right).signum())
            #expect(second.starts(with: first) == left.contains(right))
            let isWithin =
                compareBytes(first, second) <= 0
                && compareBytes(second, PlaceBytes.end(of: first)) < 0
            #expect(isWithin == left.contains(right))
            #expect(try read(first) == left)
        }
    }

    @Test func `a key of the greatest length, and one of zeros alone, are given back`() throws {
        let long = try #require(ChildKey(String(repeating: "k", count: ChildKey.byteCountMax)))
        let zeros = try #require(ChildKey(String(repeating: "0", count: ChildKey.byteCountMax)))
        for key in [long, zeros] {
            #expect(try read(PlaceBytes.bytes(of: key)) == RealtimePath([key]))
        }
    }

    @Test func `bytes that no place has are damage`() {
        let wrong: [[UInt8]] = [
            [0], [3], [9, 1], [1], [1, 0, 0, 0, 0, 0], [1, 0x80, 0, 0, 5, 0, 0],
            [1, 0x80, 0, 0, 0, 0, 2, 0x41], [1, 0x80, 0, 0, 0, 0xFF, 0xFF, 0x30], [2], [2, 0x41],
            [2, 0], [2, 0xC3, 0], [2, 0xEE, 0x80, 0x80, 0], [2, 0x31, 0], [2, 0x2F, 0],
            [2, 0xF5, 0x20, 0], [2, 0x41, 0, 2],
        ]
        for bytes in wrong {
            #expect(throws: StoreError.damaged("the place of a node")) { try read(bytes) }
        }
        var chance = RealtimeChance(seed: 5)
        for _ in 0..<5_000 {
            let bytes = (0..<chance.chance(12)).map { _ in UInt8(chance.chance(256)) }
            if let path = try? read(bytes) { #expect(PlaceBytes.bytes(of: path) == bytes) }
        }
    }
}
