import HashTreeCollections
import HearthEngine
import HearthModel

/// What one target costs, and the sessions that share the cost.
struct LedgerAccount: Sendable {
    /// One session's part in the target.
    struct Stake: Sendable {
        /// How many of the session's listeners and reads need the target.
        var listenerCount = 1
        /// When the first came.
        let since: Timestamp
        /// Whether the first answer is still to come, which alone would cost as a new query.
        var owesFirst = true
        /// What the session's part came to.
        var sums = LedgerSums()
    }

    /// The shape of the target.
    let shape: QueryShape
    /// Whether the target looks up a document in limbo, which nobody alone would have to.
    let isLookup: Bool
    /// Whether the backend is asked to watch the target.
    var isWatched = false
    /// Whether the backend may still send something for a lookup that is over.
    var isEnding = false
    /// The bill of the present listen.
    var bill: ListenBill?
    /// The sessions, in the order of their numbers when something is shared.
    var stakes: TreeDictionary<UInt64, Stake> = [:]
    /// What was sent since the sessions were last charged.
    var unsettled: UInt64 = 0

    init(_ shape: QueryShape, isLookup: Bool = false) {
        self.shape = shape
        self.isLookup = isLookup
    }

    /// Whether nobody needs the account any more.
    var isOver: Bool { !isWatched && !isEnding && (stakes.isEmpty || isLookup) }

    /// Charges the sessions for what was sent since they were last charged.
    ///
    /// - Parameter turn: Chooses the session that bears the remainder of an equal share.
    /// - Returns: What each session is charged.
    mutating func settle(_ turn: inout UInt64) -> [(session: UInt64, sums: LedgerSums)] {
        let count = unsettled
        unsettled = 0
        guard count > 0 else { return [] }
        return charge(reads: count, &turn) { [isLookup] stake in
            isLookup || stake.owesFirst ? 0 : count
        }
    }

    /// The backend has said all: who waited for the first answer would have paid for all of it.
    mutating func becameCurrent(
        resultCount: Int, _ turn: inout UInt64
    ) -> [(session: UInt64, sums: LedgerSums)] {
        let missing = bill?.becameCurrent(resultCount: resultCount) ?? 0
        let whole = ReadBill.query(foundCount: resultCount)
        defer { for session in stakes.keys { stakes[session]?.owesFirst = false } }
        return charge(reads: missing, &turn) { [isLookup] stake in
            !isLookup && stake.owesFirst ? whole : 0
        }
    }

    /// Shares reads among the sessions as equally as whole numbers allow.
    private mutating func charge(
        reads: UInt64, _ turn: inout UInt64, alone: (Stake) -> UInt64
    ) -> [(session: UInt64, sums: LedgerSums)] {
        let sessions = stakes.keys.sorted()
        guard !sessions.isEmpty else { return [(0, LedgerSums(reads: reads, aloneReads: 0))] }
        let (each, rest) = reads.quotientAndRemainder(dividingBy: UInt64(sessions.count))
        let first = turn % UInt64(sessions.count)
        turn &+= rest
        var charged: [(session: UInt64, sums: LedgerSums)] = []
        for (place, session) in sessions.enumerated() {
            guard let stake = stakes[session] else { continue }
            let distance = (UInt64(place) + UInt64(sessions.count) - first) % UInt64(sessions.count)
            let sums = LedgerSums(reads: each + (distance < rest ? 1 : 0), aloneReads: alone(stake))
            guard sums != LedgerSums() else { continue }
            stakes[session]?.sums.add(sums)
            charged.append((session, sums))
        }
        return charged
    }
}
