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
        Duration(
            secondsComponent: seconds - earlier.seconds,
            attosecondsComponent: Int64(nanoseconds - earlier.nanoseconds) * 1_000_000_000)
    }

    /// The moment after `duration`.
    package func advanced(by duration: Duration) -> Timestamp {
        let parts = duration.components
        let total = Int64(nanoseconds) + parts.attoseconds / 1_000_000_000
        let carry = total < 0 ? -1 : (total >= 1_000_000_000 ? 1 : 0)
        return Timestamp(
            seconds: seconds + parts.seconds + Int64(carry),
            nanoseconds: Int32(total - Int64(carry) * 1_000_000_000))
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
        let (year, month, day) = Self.civil(fromDays: days)
        let date = "\(pad(year, 4))-\(pad(month, 2))-\(pad(day, 2))"
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
            (1...12).contains(month), (1...Self.dayCount(year: year, month: month)).contains(day),
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
        let days = Self.days(year: year, month: month, day: day)
        let seconds = days * 86_400 + Int64(hour * 3600 + minute * 60 + second - offset)
        guard Self.secondsRange.contains(seconds) else { return nil }
        self.init(seconds: seconds, nanoseconds: nanoseconds)
    }

    private static func dayCount(year: Int, month: Int) -> Int {
        switch month {
        case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The proleptic Gregorian date of a day counted from 1970-01-01.
    private static func civil(fromDays days: Int64) -> (year: Int, month: Int, day: Int) {
        let shifted = Int(days) + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month,
            dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        )
    }

    /// The day, counted from 1970-01-01, of a proleptic Gregorian date.
    private static func days(year: Int, month: Int, day: Int) -> Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return Int64(era * 146_097 + dayOfEra - 719_468)
    }
}

private func pad(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
}
