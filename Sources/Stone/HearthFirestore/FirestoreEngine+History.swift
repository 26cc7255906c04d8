import HearthEngine
import HearthModel

/// Forgets the oldest of the documents' histories, by age and by size.
///
/// A turn that notes an entry also removes old entries, so that the size holds under any load.
/// Entries that are too old, or that turns have not made room for, go in slices when nobody waits.
extension FirestoreEngine {
    /// From now on so much is kept; what is more begins to go at once.
    mutating func setHistoryTerms(_ terms: HistoryTerms, _ turn: inout Turn) throws(StoreError) {
        local.history.terms = terms
        guard try turn.store.historyFigures().count > 1 else { return }
        scheduleHistory(after: HistoryLimits.slicePause, &turn.effects)
    }

    /// Makes room for what the turn has noted.
    mutating func tendHistory(_ turn: inout Turn) throws(StoreError) {
        let count = local.history.notedCount
        guard count > 0 else { return }
        local.history.notedCount = 0
        let hasMore = try turn.store.removeHistory(
            HistoryBounds(
                byteCountMax: local.history.terms.byteCountMax,
                countMax: 2 * count + HistoryLimits.turnCount))
        if hasMore {
            scheduleHistory(after: HistoryLimits.slicePause, &turn.effects)
        } else if !isHistoryTimerSet {
            try lookAfterHistory(&turn)
        }
    }

    /// Forgets a slice of the steps that are too old or too many.
    mutating func pruneHistory(_ turn: inout Turn) throws(StoreError) {
        isHistoryTimerSet = false
        let terms = local.history.terms
        let hasMore = try turn.store.removeHistory(
            HistoryBounds(
                notedBefore: turn.now.advanced(by: .seconds(-terms.secondsMax)),
                notedAfter: turn.now.advanced(by: .seconds(terms.secondsMax)),
                byteCountMax: terms.byteCountMax, countMax: HistoryLimits.sliceCountMax))
        if hasMore {
            scheduleHistory(after: HistoryLimits.slicePause, &turn.effects)
        } else {
            try lookAfterHistory(&turn)
        }
    }

    /// Sets off the next look, when the oldest entry will be too old.
    ///
    /// There is none without entries, nor with one alone, which stays.
    mutating func lookAfterHistory(_ turn: inout Turn) throws(StoreError) {
        let figures = try turn.store.historyFigures()
        guard figures.count > 1, let oldest = figures.oldestAt else { return }
        let due = oldest.advanced(by: .seconds(local.history.terms.secondsMax)).since(turn.now)
        let period = HistoryLimits.lookPeriod
        scheduleHistory(
            after: min(max(due, period.lowerBound), period.upperBound), &turn.effects)
    }

    /// Sets off the next look.
    mutating func scheduleHistory(after delay: Duration, _ effects: inout Effects) {
        isHistoryTimerSet = true
        effects.actions.append(.schedule(.history, after: delay))
    }
}
