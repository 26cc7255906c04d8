import Hearth

/// A moment as it is typed: `2026-11-28T05:00:00Z`, or how long ago, such as `2h`.
enum MomentText: Hashable {
    /// The moment itself.
    case time(Timestamp)
    /// So long ago.
    case ago(Duration)

    /// Reads a moment; `nil` for anything else.
    init?(_ text: String) {
        if let time = Timestamp(text) {
            self = .time(time)
        } else if let span = DurationText(text) {
            self = .ago(span.duration)
        } else {
            return nil
        }
    }

    /// The moment, if it is now `now`; the epoch for a longer span.
    func moment(now: Timestamp) -> Timestamp {
        switch self {
        case .time(let time): time
        case .ago(let span):
            Timestamp(
                seconds: max(0, now.seconds - span.components.seconds), nanoseconds: now.nanoseconds
            )
        }
    }
}
