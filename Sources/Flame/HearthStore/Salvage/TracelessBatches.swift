import HearthModel

/// The batches that a damaged store no longer mentions, because the store's row of counters is gone
/// or old. Nobody can tell whether the backend had answered such a batch or the batch is lost.
///
/// Numbers are given out in order, so what lies between the numbers that left a trace was given out too,
/// unless an earlier rescue has passed over the number.
struct TracelessBatches {
    /// The runs of numbers without a trace, in order.
    let runs: [ClosedRange<Int64>]
    /// The highest number that is known to be given out; 0 if none is.
    let highest: Int64
    /// The first number that was looked for.
    private let first: Int64

    /// How many runs a sentence names.
    private static let toldRunCountMax = 5

    /// Looks for the gaps among the numbers that left a trace. O(numbers * log numbers).
    ///
    /// - Parameters:
    ///   - counted: The last number that the row of counters knows of.
    ///   - highest: The highest number that is known to be given out.
    init(_ traced: [BatchID], behind counted: BatchID = .none, through highest: BatchID) {
        let last = min(max(0, highest.rawValue), BatchRow.numberMax)
        first = min(max(0, counted.rawValue), BatchRow.numberMax) + 1
        var runs: [ClosedRange<Int64>] = []
        var next = first
        for number in traced.lazy.map(\.rawValue).sorted() where number >= next && number <= last {
            if number > next { runs.append(next...(number - 1)) }
            next = number + 1
        }
        if next <= last { runs.append(next...last) }
        self.runs = runs
        self.highest = last
    }

    /// How many numbers left no trace.
    var count: Int64 { runs.reduce(0) { $0 + $1.upperBound - $1.lowerBound + 1 } }
}

extension TracelessBatches: CustomStringConvertible {
    var description: String {
        let counters =
            "the row of counters, which tells how many batches waited, so queued batches and dead "
            + "letters may be missing"
        guard highest > 0 else { return "\(counters), nobody can tell how many" }
        guard !runs.isEmpty else {
            return "\(counters), though only ones with numbers above \(highest)"
        }
        return counters + ": " + (account ?? "")
    }

    /// Which numbers left no trace, as a part of a sentence; `nil` if all left one.
    var account: String? {
        guard !runs.isEmpty else { return nil }
        let named = runs.prefix(Self.toldRunCountMax).map { run in
            run.count == 1 ? "\(run.lowerBound)" : "\(run.lowerBound) to \(run.upperBound)"
        }
        let rest = runs.count > named.count ? " and others" : ""
        return "of the batches \(first) to \(highest), \(count) left no trace "
            + "(\(named.joined(separator: ", "))\(rest)), each answered before, never given out, or lost"
    }
}
