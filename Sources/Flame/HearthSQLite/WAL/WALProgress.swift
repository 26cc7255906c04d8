/// How far the WAL has been copied into the file, and the step due after a commit.
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
        /// A copy of the few pages left, by the writer, so that the WAL begins anew.
        case finish
    }

    /// Which WAL: how often it had begun anew.
    var number = 0
    /// The WAL's pages when the last copy ended.
    var pageCount = 0
    /// How many of the WAL's pages were copied.
    var copiedCount = 0
    /// Whether the file was synced behind the last copy.
    ///
    /// SQLite syncs the file if nobody committed meanwhile.
    var isSynced = true

    /// Whether the WAL should begin anew.
    var isLong: Bool { pageCount >= StoreLimits.walRestartPageCount }
    /// Whether somebody still read what a copy would have replaced.
    var isHeldBack: Bool { copiedCount < pageCount }

    /// The step that is due when the WAL `number` has `count` pages.
    ///
    /// New pages count from the last copy, complete or not. The next copy tries again the pages
    /// that a reader held back.
    ///
    /// The writer finishes only if the file is synced but for the rest, or the writer would have to
    /// wait for all that the other thread had copied.
    mutating func step(at count: Int, of number: Int) -> Step {
        if number != self.number { self = WALProgress(number: number) }
        let newCount = count - pageCount
        guard count >= StoreLimits.walRestartPageCount, !isHeldBack else {
            return newCount >= StoreLimits.checkpointPageCount ? .copy : .wait
        }
        return isSynced && newCount <= Self.restCount(at: count) ? .finish : .copy
    }

    /// The most pages that the writer copies itself to begin a WAL of `count` pages anew.
    ///
    /// An eighth: a busy writer commits about as many pages while the other thread copies, so the
    /// thread can hardly leave fewer.
    static func restCount(at count: Int) -> Int {
        min(count / 8, StoreLimits.walRestPageCountMax)
    }

    /// How long the writer lets the other thread go first, after a group of `work`.
    ///
    /// The pause is in proportion to the group. So the writer's part of the time shrinks as the WAL
    /// grows, whatever the groups are and however slow the disk is. The pause is bounded, so that
    /// no group waits long.
    static func pause(after work: Duration, at count: Int) -> Duration {
        let excess = count - StoreLimits.walRestartPageCount
        guard excess > 0 else { return .zero }
        let share = Double(excess) / Double(StoreLimits.walPausePageCount)
        let scale = max(1, Double(count) / Double(StoreLimits.walPageCountMax))
        return min(work * share, StoreLimits.walPauseMax * scale)
    }
}
