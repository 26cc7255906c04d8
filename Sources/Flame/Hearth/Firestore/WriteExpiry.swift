#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
import HearthModel

/// When a write that was not sent to the backend is given up.
public struct WriteExpiry: Hashable, Sendable {
    private enum Moment: Hashable {
        case after(Duration)
        case at(HearthModel.Timestamp)
    }

    private let moment: Moment

    /// So long after the call.
    public static func after(_ duration: Duration) -> WriteExpiry {
        WriteExpiry(moment: .after(duration))
    }

    /// At a date.
    public static func at(_ date: Date) -> WriteExpiry {
        WriteExpiry(moment: .at(Timestamp(date: date).model))
    }

    /// The time, if the call is made now.
    var time: HearthModel.Timestamp {
        switch moment {
        case .at(let time): time
        case .after(let duration): Timestamp().model.advanced(by: duration)
        }
    }
}

/// What a program says of a write beside its content.
struct WriteConditions: Hashable, Sendable {
    var terms = SendingTerms()
    /// Whether the daemon judges the preconditions at once, as far as the cache knows.
    var isJudgedAtOnce = false

    init() {}

    init(_ precondition: Precondition?, _ expires: WriteExpiry?, whenOnlineOnly: Bool) {
        terms = SendingTerms(expiresAt: expires?.time, isOnlineOnly: whenOnlineOnly)
        isJudgedAtOnce = precondition != nil
    }
}
