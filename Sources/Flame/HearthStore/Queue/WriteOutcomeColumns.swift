package import HearthEngine
package import HearthModel

/// What became of a write, as the columns of `write_records` and the intake log have it.
package struct WriteOutcomeColumns: Hashable, Sendable {
    /// 0 pending, 1 committed, 2 rejected, 3 rejected after a sending that was never answered.
    let outcome: Int64
    /// When it was committed, then when each of its documents changed (`TimeBytes.runs`).
    let committedAt: [UInt8]?
    /// Why it was refused.
    let code: Int64?
    /// The same in words.
    let message: String?

    /// Whether the write has no answer.
    var isPending: Bool { outcome == 0 }

    /// The columns of a write without an answer.
    static let pending = WriteOutcomeColumns(
        outcome: 0, committedAt: nil, code: nil, message: nil)

    init(outcome: Int64, committedAt: [UInt8]?, code: Int64?, message: String?) {
        self.outcome = outcome
        self.committedAt = committedAt
        self.code = code
        self.message = message
    }

    /// The columns of a write that was committed.
    init(committedAt: [UInt8]?) {
        self.init(outcome: 1, committedAt: committedAt, code: nil, message: nil)
    }

    /// The columns of a write that was refused.
    init(rejected error: HearthError, mayHaveBeenApplied: Bool) {
        self.init(
            outcome: mayHaveBeenApplied ? 3 : 2, committedAt: nil,
            code: Int64(error.code.rawValue), message: error.message)
    }

    /// What the columns say.
    enum Meaning {
        case pending
        case committed([UInt8])
        case rejected(HearthError, mayHaveBeenApplied: Bool)
    }

    /// Reads the columns.
    ///
    /// - Throws: `StoreError.damaged` for columns that no outcome leaves.
    func meaning() throws(StoreError) -> Meaning {
        switch outcome {
        case 0: return .pending
        case 1: return .committed(committedAt ?? [])
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

/// What became of a write, as an engine knows it.
package protocol StoredOutcome: Hashable, Sendable {
    /// The write has no answer.
    static var pending: Self { get }
    /// The backend, or an administrator, refused the write.
    static func rejected(_ error: HearthError, mayHaveBeenApplied: Bool) -> Self
    /// What a row says of the write.
    var columns: WriteOutcomeColumns { get }
    /// Reads what a row says.
    ///
    /// - Throws: `StoreError.damaged` for columns that no outcome leaves.
    init(_ columns: WriteOutcomeColumns) throws(StoreError)
}

extension StoredOutcome {
    /// Whether the write has no answer.
    var isPending: Bool { self == Self.pending }
}
