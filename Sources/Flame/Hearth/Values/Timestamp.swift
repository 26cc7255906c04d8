#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
import HearthModel

/// A moment in UTC with nanoseconds, from year 1 to year 9999. Firestore stores microseconds.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Seconds since 1970-01-01T00:00:00Z; negative before.
    public let seconds: Int64
    /// Nanoseconds after `seconds`, 0 to 999,999,999.
    public let nanoseconds: Int32

    /// Takes the parts, which must lie in their ranges.
    public init(seconds: Int64, nanoseconds: Int32) {
        precondition(
            HearthModel.Timestamp.secondsRange.contains(seconds),
            "\(seconds) s lie outside the years 1 to 9999")
        precondition((0..<1_000_000_000).contains(nanoseconds), "\(nanoseconds) ns in a second")
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    /// The present moment.
    public init() {
        self.init(date: Date())
    }

    /// The moment of a date, to the precision of the date.
    public init(date: Date) {
        let time = date.timeIntervalSince1970
        let seconds = time.rounded(.down)
        let nanoseconds = min(999_999_999, ((time - seconds) * 1_000_000_000).rounded(.down))
        self.init(seconds: Int64(seconds), nanoseconds: Int32(nanoseconds))
    }

    /// The moment of a date that may lie outside the range.
    ///
    /// - Throws: `FirestoreError` `invalidArgument` outside the years 1 to 9999.
    init(checking date: Date) throws(FirestoreError) {
        let seconds = Int64(exactly: date.timeIntervalSince1970.rounded(.down))
        guard let seconds, HearthModel.Timestamp.secondsRange.contains(seconds) else {
            throw FirestoreError(
                .invalidArgument,
                "The date \(date.timeIntervalSince1970) s from 1970 lies outside the years 1 to 9999."
            )
        }
        self.init(date: date)
    }

    /// The moment as a date. A date is less exact than a nanosecond.
    public func dateValue() -> Date {
        Date(timeIntervalSince1970: Double(seconds) + Double(nanoseconds) / 1_000_000_000)
    }

    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.model < rhs.model }
}

extension Timestamp {
    /// The moment of a timestamp or a date; `nil` for a value of another type.
    ///
    /// - Throws: `FirestoreError` `invalidArgument` outside the years 1 to 9999.
    init?(any: Any) throws(FirestoreError) {
        switch any {
        case let time as Timestamp: self = time
        case let date as Date: try self.init(checking: date)
        default: return nil
        }
    }

    /// The moment by the Realtime Database's count; `nil` outside the years 1 to 9999.
    init?(milliseconds: Int64) {
        let (quotient, rest) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
        let seconds = rest < 0 ? quotient - 1 : quotient
        guard HearthModel.Timestamp.secondsRange.contains(seconds) else { return nil }
        self.init(
            seconds: seconds, nanoseconds: Int32(rest < 0 ? rest + 1_000 : rest) * 1_000_000)
    }

    /// The moment by the Realtime Database's count, cut to whole milliseconds.
    var milliseconds: Int64 { seconds * 1_000 + Int64(nanoseconds) / 1_000_000 }
}

extension Date: ServerTimestampWrappable {
    /// The moment as a date. The call throws nothing.
    public static func wrap(_ timestamp: Timestamp) throws -> Date { timestamp.dateValue() }
}

extension Timestamp: CustomStringConvertible {
    /// RFC 3339, such as `2026-01-02T03:04:05.006Z`.
    public var description: String { model.description }
}

extension Timestamp {
    init(_ model: HearthModel.Timestamp) {
        seconds = model.seconds
        nanoseconds = model.nanoseconds
    }

    var model: HearthModel.Timestamp {
        HearthModel.Timestamp(seconds: seconds, nanoseconds: nanoseconds)
    }
}
