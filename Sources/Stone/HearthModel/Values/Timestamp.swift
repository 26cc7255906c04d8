/// A moment in UTC with nanoseconds, from year 1 to year 9999.
package struct Timestamp: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Seconds since 1970-01-01T00:00:00Z; negative before.
    package let seconds: Int64
    /// Nanoseconds after `seconds`, 0 to 999,999,999.
    package let nanoseconds: Int32

    /// The smallest and largest seconds that Firestore holds.
    package static let secondsRange: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

    /// Takes the parts as they are; nanoseconds must lie within a second.
    package init(seconds: Int64, nanoseconds: Int32) {
        precondition((0..<1_000_000_000).contains(nanoseconds), "\(nanoseconds) ns in a second")
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    /// A moment by microseconds since 1970.
    package init(microseconds: Int64) {
        let (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        let floor = rest < 0
        self.init(
            seconds: floor ? seconds - 1 : seconds,
            nanoseconds: Int32((floor ? rest + 1_000_000 : rest) * 1_000))
    }

    /// Microseconds since 1970, rounded down. Saturates.
    package var microseconds: Int64 {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        if overflow { return seconds < 0 ? .min : .max }
        let (sum, tooLarge) = product.addingReportingOverflow(Int64(nanoseconds / 1_000))
        return tooLarge ? .max : sum
    }

    /// The moment rounded down to a microsecond, as the backend stores what users write.
    package var flooredToMicroseconds: Timestamp {
        Timestamp(seconds: seconds, nanoseconds: nanoseconds / 1_000 * 1_000)
    }

    /// The time from `earlier` to this moment; negative if this comes first.
    package func since(_ earlier: Timestamp) -> Duration {
        // A duration has room for the difference of any two numbers of seconds.
        .seconds(seconds) - .seconds(earlier.seconds)
            + .nanoseconds(Int64(nanoseconds) - Int64(earlier.nanoseconds))
    }

    /// The seconds from the second of `earlier` to the second of this moment. Saturates: what is read from a
    /// restored file may be any moment.
    package func secondsSince(_ earlier: Timestamp) -> Int64 {
        let (difference, isBeyond) = seconds.subtractingReportingOverflow(earlier.seconds)
        return isBeyond ? (seconds < earlier.seconds ? .min : .max) : difference
    }

    /// The moment after `duration`. Saturates: what is read from a damaged file may be any moment.
    package func advanced(by duration: Duration) -> Timestamp {
        let parts = duration.components
        let total = Int64(nanoseconds) + parts.attoseconds / 1_000_000_000
        let carry: Int64 = total < 0 ? -1 : (total >= 1_000_000_000 ? 1 : 0)
        let (whole, isTooLarge) = seconds.addingReportingOverflow(parts.seconds)
        let (sum, isLarger) = whole.addingReportingOverflow(carry)
        guard !isTooLarge, !isLarger else {
            return Timestamp(seconds: duration < .zero ? .min : .max, nanoseconds: 0)
        }
        return Timestamp(seconds: sum, nanoseconds: Int32(total - carry * 1_000_000_000))
    }

    package static func < (lhs: Self, rhs: Self) -> Bool {
        lhs.seconds != rhs.seconds
            ? lhs.seconds < rhs.seconds : lhs.nanoseconds < rhs.nanoseconds
    }

    /// RFC 3339 with 0, 3, 6 or 9 digits after the second.
    package var description: String {
        let (quotient, rest) = seconds.quotientAndRemainder(dividingBy: 86_400)
        let days = rest < 0 ? quotient - 1 : quotient
        let second = Int(rest < 0 ? rest + 86_400 : rest)
        let civil = CivilDate(days: days)
        let date =
            "\(pad(Int(civil.year), 4))-\(pad(Int(civil.month), 2))-\(pad(Int(civil.day), 2))"
        let time = "\(pad(second / 3600, 2)):\(pad(second / 60 % 60, 2)):\(pad(second % 60, 2))"
        let fraction: String
        switch nanoseconds {
        case 0: fraction = ""
        case let n where n % 1_000_000 == 0: fraction = ".\(pad(Int(n) / 1_000_000, 3))"
        case let n where n % 1_000 == 0: fraction = ".\(pad(Int(n) / 1_000, 6))"
        case let n: fraction = ".\(pad(Int(n), 9))"
        }
        return "\(date)T\(time)\(fraction)Z"
    }

    /// Reads RFC 3339 with `Z` or an offset; `nil` for anything else, and for moments outside the
    /// years 1 to 9999. Digits after the ninth are dropped.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        func number(_ range: Range<Int>) -> Int? {
            guard range.upperBound <= bytes.count else { return nil }
            var value = 0
            for byte in bytes[range] {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
                value = value * 10 + Int(byte - UInt8(ascii: "0"))
            }
            return value
        }
        guard bytes.count >= 20, let year = number(0..<4), let month = number(5..<7),
            let day = number(8..<10), let hour = number(11..<13), let minute = number(14..<16),
            let second = number(17..<19), bytes[4] == UInt8(ascii: "-"),
            bytes[7] == UInt8(ascii: "-"), bytes[10] | 0x20 == UInt8(ascii: "t"),
            bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
            let date = CivilDate(year: Int64(year), month: Int64(month), day: Int64(day)),
            hour < 24, minute < 60, second < 60
        else { return nil }
        var index = 19
        var nanoseconds: Int32 = 0
        if bytes[index] == UInt8(ascii: ".") {
            index += 1
            var digits = 0
            while index < bytes.count, let digit = number(index..<index + 1) {
                if digits < 9 { nanoseconds = nanoseconds * 10 + Int32(digit) }
                digits += 1
                index += 1
            }
            guard digits > 0 else { return nil }
            for _ in digits..<max(9, digits) { nanoseconds *= 10 }
        }
        guard index < bytes.count else { return nil }
        var offset = 0
        switch bytes[index] {
        case UInt8(ascii: "Z"), UInt8(ascii: "z"):
            guard index + 1 == bytes.count else { return nil }
        case UInt8(ascii: "+"), UInt8(ascii: "-"):
            guard index + 6 == bytes.count, bytes[index + 3] == UInt8(ascii: ":"),
                let hours = number(index + 1..<index + 3),
                let minutes = number(index + 4..<index + 6), hours < 24, minutes < 60
            else { return nil }
            offset = (hours * 60 + minutes) * (bytes[index] == UInt8(ascii: "-") ? -60 : 60)
        default:
            return nil
        }
        let seconds = date.days * 86_400 + Int64(hour * 3600 + minute * 60 + second - offset)
        guard Self.secondsRange.contains(seconds) else { return nil }
        self.init(seconds: seconds, nanoseconds: nanoseconds)
    }
}

private func pad(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
}
