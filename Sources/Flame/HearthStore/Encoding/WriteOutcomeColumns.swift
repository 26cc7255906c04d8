import HearthEngine
import HearthFirestore
import HearthModel

/// What became of a write, as the columns of `write_records` and the intake log have it.
struct WriteOutcomeColumns: Hashable {
    /// 0 pending, 1 committed, 2 rejected, 3 rejected after a sending that was never answered.
    let outcome: Int64
    /// When it was committed, then when each of its documents changed (`TimeBytes.runs`).
    let committedAt: [UInt8]?
    /// Why it was refused.
    let code: Int64?
    /// The same in words.
    let message: String?

    init(outcome: Int64, committedAt: [UInt8]?, code: Int64?, message: String?) {
        self.outcome = outcome
        self.committedAt = committedAt
        self.code = code
        self.message = message
    }

    init(_ outcome: WriteOutcome) {
        switch outcome {
        case .pending: self.init(outcome: 0, committedAt: nil, code: nil, message: nil)
        case .committed(let version, let updateTimes):
            self.init(
                outcome: 1,
                committedAt: TimeBytes.bytes(of: version) + TimeBytes.runs(of: updateTimes),
                code: nil, message: nil)
        case .rejected(let error, let mayHaveBeenApplied):
            self.init(
                outcome: mayHaveBeenApplied ? 3 : 2, committedAt: nil,
                code: Int64(error.code.rawValue), message: error.message)
        }
    }

    /// The outcome.
    ///
    /// - Throws: `StoreError.damaged` for columns that none leaves.
    func value() throws(StoreError) -> WriteOutcome {
        switch outcome {
        case 0: return .pending
        case 1:
            return try (committedAt ?? []).lend { bytes throws(StoreError) in
                .committed(
                    at: SnapshotVersion(
                        try TimeBytes.time(from: .init(rebasing: bytes.prefix(TimeBytes.count)))),
                    updatedAt: try TimeBytes.versions(
                        fromRuns: .init(rebasing: bytes.dropFirst(TimeBytes.count))))
            }
        case 2, 3:
            guard let code = StatusCode(rawValue: Int32(truncatingIfNeeded: code ?? 0)) else {
                throw .damaged("the code of a refused batch")
            }
            return .rejected(
                HearthError(code: code, message: message ?? ""), mayHaveBeenApplied: outcome == 3)
        default: throw .damaged("the outcome of a write")
        }
    }
}
