import Dispatch
package import HearthEngine

/// What keeps a store small and quick. Call between groups, when nobody waits.
extension GroupStore {
    /// Copies the WAL into the file as far as no reader needs it, after a copy that is going on. Blocks on
    /// the disk.
    ///
    /// - Throws: `StoreError` if waiting groups cannot be committed, or the WAL cannot be copied.
    package func checkpoint() throws(StoreError) {
        try betweenCopies { () throws(StoreError) in _ = try connection.copyWAL() }
    }

    /// Gives free pages back to the file system, in slices that end after some milliseconds.
    ///
    /// SQLite searches its list of free pages for each page, so a longer list means fewer pages a
    /// slice.
    ///
    /// - Returns: Whether free pages are left.
    /// - Throws: `StoreError` if the disk does not take the slice; the slice is undone then.
    @discardableResult
    package func shrink(pageCountMax: Int) throws(StoreError) -> Bool {
        let freeCount = try setting("PRAGMA freelist_count").flatMap(Int.init) ?? 0
        guard freeCount > 0 else { return false }
        let count = try maintain(
            "PRAGMA incremental_vacuum(\(pageCountMax))",
            until: ContinuousClock.now + MaintenanceLimits.sliceDuration)
        return freeCount > count
    }

    /// What SQLite finds wrong with the file; empty if nothing. O(size of the file).
    ///
    /// - Throws: `StoreError` if SQLite cannot check the file.
    package func problems() throws(StoreError) -> [String] {
        try connection.statement("PRAGMA quick_check").map { $0.text(0) ?? "" }
            .filter { $0 != "ok" }
    }

    /// Does a slice of work in a separate transaction, committed and not synced.
    ///
    /// Losing the slice does no harm.
    ///
    /// - Throws: `StoreError` from the disk or from `body`; the slice is undone then.
    package func maintain<Result>(
        _ body: (Content.Transaction) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        precondition(!isGroupOpen, "Maintenance inside a group")
        gate.wait()
        defer { gate.signal() }
        try settle()
        return try commitLoosely { () throws(StoreError) in try body(open) }
    }

    /// Runs a pragma that looks after the file, when no copy of the WAL goes on.
    func maintain(_ pragma: String) throws(StoreError) {
        try betweenCopies { () throws(StoreError) in try connection.execute(pragma) }
    }

    /// Runs `body` while nothing waits for a commit and no copy of the WAL goes on.
    private func betweenCopies(_ body: () throws(StoreError) -> Void) throws(StoreError) {
        precondition(!isGroupOpen, "Maintenance inside a group")
        gate.wait()
        defer { gate.signal() }
        try settle()
        checkpointer.waitForCopy()
        try body()
    }

    /// Runs a statement that gives a row after each of many small steps, until a time.
    ///
    /// The steps done by then are committed, and losing them does no harm.
    ///
    /// - Returns: How many rows the statement gave.
    func maintain(_ steps: String, until deadline: ContinuousClock.Instant) throws(StoreError)
        -> Int
    {
        try maintain { _ throws(StoreError) in
            try connection.count(steps) { ContinuousClock.now < deadline }
        }
    }

    /// What a pragma of the writing connection says.
    func setting(_ pragma: String) throws(StoreError) -> String? {
        try connection.text(pragma)
    }
}

/// How long maintenance takes.
package enum MaintenanceLimits {
    /// How long a slice goes on, without the time of its commit.
    package static let sliceDuration = Duration.milliseconds(4)
}
