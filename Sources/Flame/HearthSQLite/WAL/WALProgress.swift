/// How far the WAL has been copied into the file, and what that asks of whoever commits.
///
///     pages    0 ............... 6,144 ..........................................
///     thread   copies by 3,000   copies all that comes
///     writer                     lets the thread go first, the longer the WAL is
///     writer                     copies a short rest when all else is copied
struct WALProgress: Hashable {
    /// What is due after a commit.
    enum Step: Hashable {
        /// Nothing.
        case wait
        /// A copy beside the writer.
        case copy
        /// A copy of the little that is left, by the writer, so that the WAL begins anew.
        case finish
    }

    /// Which WAL: how often it had begun anew.
    var number = 0
    /// The WAL's pages when the last copy ended.
    var pageCount = 0
    /// Of these, the ones that were copied.
    var copiedCount = 0
    /// Whether the file was synced behind the last copy: SQLite does it if nobody committed meanwhile.
    var isSynced = true

    /// Whether the WAL should begin anew.
    var isLong: Bool { pageCount >= StoreLimits.walRestartPageCount }
    /// Whether somebody still read what a copy would have replaced.
    var isHeldBack: Bool { copiedCount < pageCount }

    /// What is due when that WAL, or a later one, has so many pages. Counts from the last copy, complete
    /// or not: what a reader held back then is tried again with the next.
    ///
    /// The writer finishes only if the file is synced but for the rest, or it would have to wait for
    /// whatever the other thread had copied.
    mutating func step(at count: Int, of number: Int) -> Step {
        if number != self.number { self = WALProgress(number: number) }
        let newCount = count - pageCount
        guard count >= StoreLimits.walRestartPageCount, !isHeldBack else {
            return newCount >= StoreLimits.checkpointPageCount ? .copy : .wait
        }
        return isSynced && newCount <= Self.restCount(at: count) ? .finish : .copy
    }

    /// How many pages the writer copies itself for a WAL of so many to begin anew. An eighth: what a
    /// busy writer commits while the other thread copies, it can hardly make less.
    static func restCount(at count: Int) -> Int {
        min(count / 8, StoreLimits.walRestPageCountMax)
    }

    /// How long the writer lets the other thread go first, after a group that took so long.
    ///
    /// In proportion to the group, so that the writer has a smaller part of the time the longer the WAL
    /// is, whatever its groups are and however slow the disk; and bounded, so that no group waits long.
    static func pause(after work: Duration, at count: Int) -> Duration {
        let excess = count - StoreLimits.walRestartPageCount
        guard excess > 0 else { return .zero }
        let share = Double(excess) / Double(StoreLimits.walPausePageCount)
        let scale = max(1, Double(count) / Double(StoreLimits.walPageCountMax))
        return min(work * share, StoreLimits.walPauseMax * scale)
    }
}
