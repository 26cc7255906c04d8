import HearthEngine

/// How often one line of the journal is told: a few times for each source in a period, and then counted.
///
/// A period begins with a line. The shell writes and waits; nothing is decided there.
///
///     quiet --line--> period --elapsed--> quiet
struct LineBudget: Sendable {
    /// How long lines are counted together.
    static let period = Duration.seconds(60)
    /// Lines of one source that are told in a period: enough to see which processes are concerned.
    static let sourceLineCountMax = 10
    /// Lines of all sources that are told in a period. No more sources are remembered.
    static let lineCountMax = 100

    /// Who causes lines.
    enum Source: Hashable, Sendable {
        /// The programs of a Unix user, or whoever pays for the user.
        case user(UInt32)
        /// The programs of a database, where nobody knows whose work it was.
        case engine(EngineKey)
    }

    /// Lines of a period that were not told.
    struct Omission: Hashable, Sendable {
        /// Who caused the lines; `nil` for sources that are not remembered.
        let source: Source?
        /// How many.
        let lineCount: Int
    }

    private struct Count {
        var told = 0
        var leftOut = 0
    }

    /// When the period ends, by a clock that only runs forward; `nil` outside a period.
    private(set) var end: Duration?
    private var toldCount = 0
    private var counts: [Source: Count] = [:]
    private var othersLeftOut = 0

    /// Counts a line. `elapsed` must have been called for this moment.
    ///
    /// - Returns: Whether the line is to be told.
    mutating func counted(_ source: Source, at now: Duration) -> Bool {
        if end == nil { end = now + Self.period }
        var count = counts[source] ?? Count()
        let isTold = count.told < Self.sourceLineCountMax && toldCount < Self.lineCountMax
        if isTold {
            count.told += 1
            toldCount += 1
        } else if count.told == 0 {
            othersLeftOut += 1
            return false
        } else {
            count.leftOut += 1
        }
        counts[source] = count
        return isTold
    }

    /// Ends the period if it is over.
    ///
    /// - Returns: What was left out in the period, the most first.
    mutating func elapsed(at now: Duration) -> [Omission] {
        guard let end, end <= now else { return [] }
        var omissions = counts.filter { $0.value.leftOut > 0 }
            .map { Omission(source: $0.key, lineCount: $0.value.leftOut) }
            .sorted { $0.lineCount > $1.lineCount }
        if othersLeftOut > 0 { omissions.append(Omission(source: nil, lineCount: othersLeftOut)) }
        self = LineBudget()
        return omissions
    }
}
