package import HearthEngine
package import HearthFirestore
import HearthModel

/// What became of a write to documents: beside the outcome, when each of the documents changed.
extension WriteOutcome: StoredOutcome {
    package var columns: WriteOutcomeColumns {
        switch self {
        case .pending: .pending
        case .committed(let version, let updateTimes):
            WriteOutcomeColumns(
                committedAt: TimeBytes.bytes(of: version) + TimeBytes.runs(of: updateTimes))
        case .rejected(let error, let mayHaveBeenApplied):
            WriteOutcomeColumns(rejected: error, mayHaveBeenApplied: mayHaveBeenApplied)
        }
    }

    /// Reads what a row says of the write.
    ///
    /// - Throws: `StoreError.damaged` for a row that no store has written.
    package init(_ columns: WriteOutcomeColumns) throws(StoreError) {
        switch try columns.meaning() {
        case .pending: self = .pending
        case .committed(let times):
            self = try times.lend { bytes throws(StoreError) in
                .committed(
                    at: SnapshotVersion(
                        try TimeBytes.time(from: .init(rebasing: bytes.prefix(TimeBytes.count)))),
                    updatedAt: try TimeBytes.versions(
                        fromRuns: .init(rebasing: bytes.dropFirst(TimeBytes.count))))
            }
        case .rejected(let error, let mayHaveBeenApplied):
            self = .rejected(error, mayHaveBeenApplied: mayHaveBeenApplied)
        }
    }
}
