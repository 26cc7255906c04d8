import HashTreeCollections
import HearthEngine
import HearthModel

/// The targets whose documents did not fit the backend's count, and when each is asked for anew.
///
/// A target is asked for anew at once, as the SDKs do. An honest backend's count then fits. If the count
/// does not fit again and again, each question waits longer than the last, because the backend bills
/// the whole result each time. In the end the engine gives the target up.
struct MismatchedTargets: Sendable {
    /// What becomes of a target.
    enum Verdict: Hashable, Sendable {
        /// It is asked for anew.
        case ask
        /// It waits; `due(at:)` names it after the pause.
        case wait
        /// It is asked for no more.
        case giveUp
    }

    /// A wait, which a clock that is set back does not make longer.
    private struct Wait: Sendable {
        let since: Timestamp
        let until: Timestamp
        /// Why the target is asked for.
        let purpose: TargetPurpose

        /// How long it lasts yet.
        func rest(at now: Timestamp) -> Duration {
            now < since ? .zero : max(.zero, until.since(now))
        }
    }

    private struct Row: Sendable {
        var backoff = Backoff()
        /// How often it was asked for in vain since its last whole answer.
        var vainCount = 0
        /// How often it was asked for at once.
        var promptCount = 0
        /// What it waits for; `nil` if it does not wait.
        var wait: Wait?
    }

    /// So often a target is asked for at once.
    static let promptCountMax = 3
    /// So often a target is asked for without a whole answer between.
    static let vainCountMax = 10

    private var rows: TreeDictionary<TargetID, Row> = [:]

    /// No target.
    init() {}

    /// Takes note that a target's count did not fit.
    mutating func mismatched<Random: RandomNumberGenerator>(
        _ id: TargetID, _ purpose: TargetPurpose, at now: Timestamp, using random: inout Random
    ) -> Verdict {
        var row = rows[id] ?? Row()
        row.vainCount += 1
        if row.vainCount > Self.vainCountMax {
            rows[id] = nil
            return .giveUp
        }
        defer { rows[id] = row }
        if row.promptCount < Self.promptCountMax {
            row.promptCount += 1
            row.backoff.attempted(at: now)
            return .ask
        }
        let pause = row.backoff.next(at: now, using: &random)
        guard pause > .zero else {
            row.backoff.attempted(at: now)
            return .ask
        }
        row.wait = Wait(since: now, until: now.advanced(by: pause), purpose: purpose)
        return .wait
    }

    /// Takes note that the backend has answered targets whole.
    mutating func answered(_ ids: some Sequence<TargetID>) {
        if rows.isEmpty { return }
        for id in ids { rows[id]?.vainCount = 0 }
    }

    /// Takes out the targets whose wait is over, in the order of their numbers.
    ///
    /// - Returns: The targets with the purposes of the questions.
    mutating func due(at now: Timestamp) -> [(id: TargetID, purpose: TargetPurpose)] {
        var targets: [(id: TargetID, purpose: TargetPurpose)] = []
        for (id, row) in rows {
            guard let wait = row.wait, wait.rest(at: now) == .zero else { continue }
            rows[id]?.wait = nil
            rows[id]?.backoff.attempted(at: now)
            targets.append((id, wait.purpose))
        }
        return targets.sorted { $0.id < $1.id }
    }

    /// How long the next target waits; `nil` if none does.
    func nextPause(at now: Timestamp) -> Duration? {
        rows.values.lazy.compactMap { $0.wait?.rest(at: now) }.min()
    }

    /// Takes note that nothing waits any more: a new stream asks for all targets.
    mutating func streamEnded() {
        for (id, row) in rows where row.wait != nil { rows[id]?.wait = nil }
    }

    /// Forgets a target that nobody wants any more.
    mutating func forget(_ id: TargetID) { rows[id] = nil }
}
