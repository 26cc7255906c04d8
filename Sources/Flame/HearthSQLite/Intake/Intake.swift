/// What the open transaction has and the database has not.
struct Intake {
    /// The log; made when the first group could use it.
    var log: IntakeLog?
    /// How many records of the log the open transaction has and the database has not.
    var pendingCount = 0
    /// The entries of the open transaction that the next record will tell.
    ///
    /// Losing these entries with the process does no harm, but undoing a group must not lose them.
    var untold: [UInt8] = []
    /// How much the groups in the open transaction come to, in changed rows.
    var weight = 0
    /// When the first of these groups came.
    var openSince = ContinuousClock.now
    /// Whether the next group must be committed to the database.
    ///
    /// A failed commit may have reached the database after all, under the version that the next
    /// record would bear.
    var mustCommit = false
    /// The log whose last record failed and may be on the disk all the same.
    var failedLog: IntakeLog?
    /// For how many commits there shall be no log, because it failed.
    var restCount = 0
    /// For how many commits a small log shall stay small, because the disk refused a full log.
    var growthRestCount = 0
    /// Whether the log has the full size, or shall have it when the next log is made.
    var isFull = false
    /// Whether the small log had no room, so that a full log shall take its place.
    var wasTooSmall = false

    /// Whether the open transaction has what the database has not.
    var hasPending: Bool { pendingCount > 0 || !untold.isEmpty }

    /// Adds a group's changed rows, and its bytes, to the weight of the open transaction.
    mutating func add(changeCount: Int, byteCount: Int) {
        if weight == 0 { openSince = ContinuousClock.now }
        weight += max(1, changeCount + byteCount / StoreLimits.intakeByteCountOfRow)
    }

    /// Keeps what a group did for the next record.
    ///
    /// - Returns: False if there would be too much of it.
    mutating func keep(_ bytes: [UInt8]) -> Bool {
        guard untold.count + bytes.count <= StoreLimits.intakeRecordByteCountMax else {
            return false
        }
        untold += bytes
        return true
    }

    /// Nothing of the open transaction is left.
    mutating func clear() {
        pendingCount = 0
        untold = []
        weight = 0
    }
}
