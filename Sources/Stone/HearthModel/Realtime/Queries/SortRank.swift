/// A part of a sort value as a number, for sorts of many children.
///
/// A comparison of two numbers reads no value, and settles nearly all pairs. A lower rank sorts
/// first. Values of one rank are equal, unless the rank hides something. The ranks of the next
/// round then tell more.
///
///     kind 3 bits | absent, false, true, children: 0
///                 | number: its double, rounded down to 60 bits | hides 1
///                 |         in later rounds the last 4 bits     | hides 1
///                 | string: 7 bytes | how many follow, to 8: 4  | hides 1
struct SortRank: Comparable {
    /// The bytes of a string that one rank holds.
    private static let byteCountMax = 7

    private let bits: UInt64

    /// Ranks a sort value.
    ///
    /// - Parameter round: How many ranks there were before. The values whose ranks are compared
    ///   must have had equal ranks in each earlier round.
    init(_ value: SortValue, round: Int = 0) {
        switch value {
        case .absent: bits = Self.bits(0)
        case .leaf(.bool(let flag)): bits = Self.bits(flag ? 2 : 1)
        case .leaf(.integer(let number)): bits = Self.bits(3, Self.content(of: number, round))
        case .leaf(.double(let number)): bits = Self.bits(3, Self.content(of: number, round))
        case .leaf(.string(let text)): bits = Self.bits(4, Self.content(of: text, round))
        case .children: bits = Self.bits(5)
        }
    }

    /// How many rounds may pay before values of one rank are compared whole.
    ///
    /// Two rounds tell all of a double, and eight tell 56 bytes of a string.
    static func roundCount(of value: SortValue) -> Int {
        if case .leaf(.string) = value { 8 } else { 2 }
    }

    /// Whether values of this rank may differ nevertheless.
    var hidesMore: Bool { bits & 1 == 1 }

    static func < (lhs: Self, rhs: Self) -> Bool { lhs.bits < rhs.bits }

    private static func bits(_ kind: UInt64, _ content: UInt64 = 0) -> UInt64 {
        kind << 61 | content
    }

    // MARK: Numbers

    /// The place of a double among all doubles. Both zeros have one place.
    private static func place(of number: Double) -> UInt64 {
        let middle = UInt64(1) << 63
        let size = number.magnitude.bitPattern
        return number.sign == .minus ? middle - size : middle + size
    }

    private static func content(of number: Double, _ round: Int) -> UInt64 {
        content(place(of: number), round, isMore: false)
    }

    private static func content(of number: Int64, _ round: Int) -> UInt64 {
        let double = Double(number)
        let order = LeafValue.compare(.integer(number), .double(double))
        // Rounded down: a number below its double lies behind the double before.
        return content(place(of: double) - (order < 0 ? 1 : 0), round, isMore: order != 0)
    }

    /// - Parameter isMore: Whether the number lies behind the double at the place.
    private static func content(_ place: UInt64, _ round: Int, isMore: Bool) -> UInt64 {
        let end = place & 0xF
        if round > 0 { return end << 1 | (isMore ? 1 : 0) }
        return (place >> 4) << 1 | (isMore || end != 0 ? 1 : 0)
    }

    // MARK: Strings

    private static func content(of text: String, _ round: Int) -> UInt64 {
        text.utf8.withContiguousStorageIfAvailable { content(of: $0, round) }
            ?? Array(text.utf8).withUnsafeBufferPointer { content(of: $0, round) }
    }

    private static func content(of bytes: UnsafeBufferPointer<UInt8>, _ round: Int) -> UInt64 {
        let start = min(round * byteCountMax, bytes.count)
        let rest = bytes.count - start
        var content: UInt64 = 0
        for offset in 0..<byteCountMax {
            content <<= 8
            if offset < rest { content |= UInt64(inOrder(bytes[start + offset])) }
        }
        // What ends reads as zeros; among equal bytes, fewer come first.
        let count = UInt64(min(rest, byteCountMax + 1))
        return content << 5 | count << 1 | (rest > byteCountMax ? 1 : 0)
    }

    /// A byte of UTF-8 as a byte that sorts by units of UTF-16, as in `UTF16Order`.
    private static func inOrder(_ byte: UInt8) -> UInt8 {
        if byte >= 0xF0 { return byte - 2 }
        return byte >= 0xEE ? byte + 0x10 : byte
    }
}

/// Places of children, sorted by their ranks.
///
/// The places must be in the order of their keys: then only values need be compared, and equal
/// values keep their turn.
struct RankedPositions {
    private struct Place {
        let rank: SortRank
        /// The turn in the order of keys.
        let turn: Int
    }

    private let positions: [IndexPosition]
    private var places: [Place] = []

    /// Sorts places that are in the order of their keys.
    ///
    /// - Complexity: O(n log n) comparisons of numbers, and of whole values only where strings
    ///   begin with the same 56 bytes or whole numbers have no double of their own.
    init(_ positions: [IndexPosition]) {
        self.positions = positions
        places.reserveCapacity(positions.count)
        for (turn, position) in positions.enumerated() {
            places.append(Place(rank: SortRank(position.value), turn: turn))
        }
        sort(positions.indices, round: 0)
    }

    /// The places in the order of `IndexPosition`.
    var sorted: [IndexPosition] { places.map { positions[$0.turn] } }

    private mutating func sort(_ range: Range<Int>, round: Int) {
        places.withUnsafeMutableBufferPointer { places in
            places[range].sort { lhs, rhs in
                lhs.rank == rhs.rank ? lhs.turn < rhs.turn : lhs.rank < rhs.rank
            }
        }
        var start = range.lowerBound
        while start < range.upperBound {
            let rank = places[start].rank
            var end = start + 1
            while end < range.upperBound, places[end].rank == rank { end += 1 }
            if rank.hidesMore, end - start > 1 { settle(start..<end, round: round + 1) }
            start = end
        }
    }

    /// Sorts places whose ranks are equal and hide something.
    private mutating func settle(_ range: Range<Int>, round: Int) {
        let first = positions[places[range.lowerBound].turn].value
        guard round < SortRank.roundCount(of: first) else {
            let positions = positions
            return places[range].sort { positions[$0.turn] < positions[$1.turn] }
        }
        for index in range {
            let turn = places[index].turn
            places[index] = Place(
                rank: SortRank(positions[turn].value, round: round), turn: turn)
        }
        sort(range, round: round)
    }
}
