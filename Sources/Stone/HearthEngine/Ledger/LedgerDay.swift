package import HearthModel

/// A day of the ledger, from midnight to midnight in UTC.
///
/// The backend's free quota counts days of the Pacific coast, with a summer time. UTC needs no table of
/// summer times, is the same in every log, and moves reads between two days only, never between bills.
package struct LedgerDay: Hashable, Comparable, Sendable {
    /// Seconds of a day.
    private static let secondCount: Int64 = 86_400

    /// The days since the first of January 1970.
    package let number: Int64

    /// Names a day by its number.
    package init(_ number: Int64) { self.number = number }

    /// The day of a time.
    package init(of time: Timestamp) {
        let (days, rest) = time.seconds.quotientAndRemainder(dividingBy: Self.secondCount)
        number = rest < 0 ? days - 1 : days
    }

    /// The midnight at which the day begins.
    package var start: Timestamp {
        let (seconds, isTooFar) = number.multipliedReportingOverflow(by: Self.secondCount)
        let range = Timestamp.secondsRange
        let clamped = isTooFar ? (number < 0 ? range.lowerBound : range.upperBound) : seconds
        return Timestamp(
            seconds: min(max(clamped, range.lowerBound), range.upperBound), nanoseconds: 0)
    }

    /// The day so many days before.
    package func before(_ count: Int) -> LedgerDay { LedgerDay(number - Int64(clamping: count)) }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.number < rhs.number }
}

extension LedgerDay: CustomStringConvertible {
    /// The day as `2026-11-23`.
    package var description: String { String(start.description.prefix(10)) }
}
