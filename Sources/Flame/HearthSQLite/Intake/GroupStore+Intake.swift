import Dispatch
import HearthEngine
import Synchronization

/// Groups that the intake log makes durable before the database has them.
extension GroupStore {
    // MARK: Groups

    /// Opens a transaction for a group, or goes on in the waiting transaction.
    func beginGroup() throws(StoreError) {
        if intake.hasPending, !connection.isInTransaction { try applyIntakeForGood() }
        if !connection.isInTransaction { try connection.statement("BEGIN").run() }
    }

    /// Undoes what the group did, and leaves the group open.
    func beginGroupAnew() throws(StoreError) {
        undoGroup()
        if intake.hasPending { try applyIntake() } else { try connection.statement("BEGIN").run() }
    }

    /// Undoes what the group did, and ends the group.
    ///
    /// The rollback also drops the groups that waited, and the store applies them anew before the
    /// next group. Applying anew is dear and rare, where a savepoint for each group would cost
    /// every group.
    func undoGroup() {
        if connection.isInTransaction { try? connection.statement("ROLLBACK").run() }
        open.forget()
    }

    /// Ends a group that changed nothing.
    func endUnchangedGroup() throws(StoreError) {
        if !intake.hasPending { try connection.statement("COMMIT").run() }
    }

    /// Makes the group durable, or keeps the group for the next record of the log.
    ///
    /// The log makes a group durable if the entries tell all of the group; else the database does.
    /// A group waits for the next record if losing the group does no harm.
    func commitGroup(changeCount: Int64) throws(StoreError) {
        try file.expectName()
        let isTold =
            changeCount == open.memory.group.intake.changeCount
            && !open.memory.group.intake.isTooLong
        let mustTell = open.memory.group.intake.isUrgent
        try open.finishGroup()
        let isUrgent = open.memory.group.hasChanges || mustTell
        guard isTold, !intake.mustCommit, let log = try usableIntakeLog(),
            isUrgent ? try append(to: log) : intake.keep(open.memory.group.intake.bytes)
        else {
            try commitDatabase(version.next)
            version = version.next
            return
        }
        if isUrgent { version = version.next }
        intake.add(
            changeCount: Int(changeCount),
            byteCount: open.memory.group.intake.bytes.count + open.memory.group.bulkByteCount)
        hidesWrites.store(true, ordering: .releasing)
        guard isCommitDue else { return }
        do throws(StoreError) {
            try commitDatabase(version, needsSync: false)
        } catch {
            abandonTransaction()  // The group is durable; the next one meets the same disk.
            refusal(after: error)
        }
    }

    private var isCommitDue: Bool {
        intake.weight >= StoreLimits.intakeWeightMax
            || ContinuousClock.now - intake.openSince >= configuration.intakeAgeMax
            || checkpointer.awaitsCommit.load(ordering: .relaxed)
    }

    /// The log, if it takes records. If there is none, one is made, for the groups behind the next commit.
    private func usableIntakeLog() throws(StoreError) -> IntakeLog? {
        guard configuration.intakeByteCount > 0 else { return nil }
        guard let log = intake.log else {
            try makeIntakeLog()
            return nil
        }
        return log.isSound ? log : nil
    }

    /// Appends the group's entries to the log, behind the entries that waited for a record.
    ///
    /// - Returns: False if the database must be committed instead, with all that waits.
    private func append(to log: IntakeLog) throws(StoreError) -> Bool {
        try open.tellCounters()
        let record = IntakeRecord(
            version: version.next, bytes: intake.untold + open.memory.group.intake.bytes)
        guard hasRoom(for: record, in: log) else {
            intake.wasTooSmall =
                !intake.isFull && intake.growthRestCount == 0
                && configuration.intakeByteCount > StoreLimits.smallIntakeByteCount
            return false
        }
        do throws(StoreError) {
            try log.append(record)
        } catch {
            return false  // The commit tells whether the disk is at fault.
        }
        intake.pendingCount += 1
        intake.untold = []
        return true
    }

    private func hasRoom(for record: IntakeRecord, in log: IntakeLog) -> Bool {
        if log.hasRoom(for: record) { return true }
        log.synced(checkpointer.syncedVersion)
        return log.hasRoom(for: record)
    }

    /// Makes the log.
    ///
    /// The store may use the log once the next commit has put the log's salt into the database.
    private func makeIntakeLog() throws(StoreError) {
        guard intake.restCount == 0 else {
            intake.restCount -= 1
            return
        }
        do throws(StoreError) {
            try connection.syncWAL()  // What was in the file is needed no more.
            let byteCount = configuration.intakeByteCount
            let log = try IntakeLog(
                makingAt: IntakeLog.path(besides: configuration.path),
                intake.isFull ? IntakeSize(full: byteCount) : IntakeSize(smallBeside: byteCount))
            // An empty record: without one, an emptied log could not be told from a new log.
            try log.append(IntakeRecord(version: version, bytes: []))
            try open.setIntakeSalt(log.salt)
            intake.log = log
        } catch {
            // The disk may have room for a small log: the present file is a small log, and the next
            // group begins the log anew. A disk that refuses a small log too is left alone.
            if intake.isFull {
                intake.isFull = false
                intake.growthRestCount = StoreLimits.intakeRestCount
            } else {
                intake.restCount = StoreLimits.intakeRestCount
            }
        }
    }

    /// Commits the open transaction, which leads to a version.
    ///
    /// - Parameter needsSync: Whether the database alone makes the transaction durable. If not,
    ///   another thread syncs the database, and the log keeps its records until then.
    private func commitDatabase(_ version: StoreVersion, needsSync: Bool = true)
        throws(StoreError)
    {
        // The transaction may have pages in the WAL already, which the failed sync may have lost too.
        guard !connection.hasFailedSync else {
            throw mendError ?? .io("the log could not be synced")
        }
        // A failed commit may be in the file until a later commit has surely taken its place.
        let needsSync = needsSync || intake.mustCommit || intake.log?.isSound == false
        try open.store(version: version)
        connection.leavesSync = !needsSync
        defer { connection.leavesSync = false }
        try commitTransaction()
        intake.clear()
        intake.mustCommit = false
        intake.growthRestCount = max(0, intake.growthRestCount - 1)
        hidesWrites.store(false, ordering: .releasing)
        guard needsSync else { return }
        checkpointer.synced(version)
        guard let log = intake.log else { return }
        if log.isSound {
            log.restart()
            growIntake()
        } else {
            intake.log = nil
            intake.restCount = StoreLimits.intakeRestCount
        }
    }

    /// Lets go of a log that was too small, when the synced database has all that is in it: the next group
    /// makes a full log.
    private func growIntake() {
        guard intake.wasTooSmall else { return }
        intake.wasTooSmall = false
        intake.isFull = true
        intake.log = nil
    }

    /// Drops the open transaction. What the log has is applied anew before the next group.
    func abandonTransaction() {
        intake.mustCommit = true
        if let log = intake.log {
            if !log.isSound { intake.failedLog = log }
            // Its salt may be in the transaction that was dropped.
            if !intake.hasPending { intake.log = nil }
        }
        undoGroup()
    }

    // MARK: Between groups

    /// Commits what waits in the open transaction. Needs the gate.
    func settle() throws(StoreError) {
        try voidFailures()
        try mendFailedSync()
        guard intake.hasPending else { return }
        do throws(StoreError) {
            if !connection.isInTransaction { try applyIntake() }
            try commitDatabase(version, needsSync: false)
        } catch {
            abandonTransaction()
            throw refusal(after: error)
        }
        keepWALShort()
    }

    /// Runs `body` in a separate transaction whose loss does no harm. Needs the gate.
    func commitLoosely<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError)
        -> Result
    {
        try connection.statement("BEGIN").run()
        do throws(StoreError) {
            let result = try body()
            connection.leavesSync = !intake.mustCommit
            defer { connection.leavesSync = false }
            try commitTransaction()
            keepWALShort()
            return result
        } catch {
            if connection.isInTransaction { try? connection.statement("ROLLBACK").run() }
            throw refusal(after: error)
        }
    }

    /// Makes accepted writes visible to readers.
    ///
    /// If the disk fails, or a group takes too long, readers see the commits before.
    ///
    /// - Returns: Whether readers see all that was accepted before the call.
    @discardableResult
    func showWrites() -> Bool {
        guard hidesWrites.load(ordering: .acquiring) else { return true }
        let deadline = DispatchTime.now() + .milliseconds(StoreLimits.readerWaitMilliseconds)
        guard gate.wait(timeout: deadline) == .success else { return false }
        defer { gate.signal() }
        try? settle()
        return !hidesWrites.load(ordering: .acquiring)
    }

    /// Takes up the log of a store that was not closed, then takes the remaining schema steps.
    ///
    /// An earlier program may have written the log, so the store applies the log before the tables
    /// come to this program's schema.
    ///
    /// - Throws: `StoreError.foreign` if this program cannot apply the log to the earlier tables;
    ///   `damaged` if a part of the log that was once written cannot be read.
    func takeUpIntake(before migrations: Migrations<Content>) throws(StoreError) {
        guard try migrations.isUnfinished(on: connection) else { return try takeUpIntake() }
        do throws(StoreError) {
            try takeUpIntake()
        } catch {
            switch error {
            case .misfit(let detail), .io(let detail): throw Self.earlierIntake(detail)
            case .full, .damaged, .foreign, .locked, .unsettled: throw error
            }
        }
        try settle()
        open.forget()
        try migrations.run(on: connection)
        open.forget()
    }

    /// Takes up the log of a store that was not closed, if the database lacks any record.
    private func takeUpIntake() throws(StoreError) {
        guard let salt = try open.intakeSalt(),
            let log = try IntakeLog(
                openingAt: IntakeLog.path(besides: configuration.path), salt: salt)
        else { return }
        let contents = try log.read(behind: version)
        guard contents.stragglers.isEmpty else { throw Self.gap }
        guard let last = contents.records.last else { return }
        intake.log = log
        intake.pendingCount = contents.records.count
        intake.add(changeCount: contents.records.count, byteCount: 0)
        version = last.version
        hidesWrites.store(true, ordering: .releasing)
        do throws(StoreError) {
            try applyIntake()
        } catch {
            intake.clear()  // So that nobody tries again: the store is not opened.
            throw error
        }
    }

    private static func earlierIntake(_ detail: String) -> StoreError {
        .foreign(
            "its intake log is an earlier program's, and this one cannot apply it (\(detail)). Open "
                + "the database once with the program that wrote it, which takes the log up")
    }

    private static var gap: StoreError { .damaged("its intake log has a gap") }

    /// Applies the log's records again, and commits them if the disk takes the commit.
    ///
    /// Without the commit, a group that fails again and again would have the records applied each
    /// time.
    private func applyIntakeForGood() throws(StoreError) {
        guard mendError == nil else { return try applyIntake() }
        do throws(StoreError) {
            try settle()
        } catch {
            // Behind a commit that cannot be taken back, or on damage, nothing begins.
            guard !mustVoid, intake.failedLog == nil, error.damage == nil else { throw error }
            try applyIntake()
        }
    }

    /// Opens a transaction and applies the records that the database lacks, and the untold entries.
    private func applyIntake() throws(StoreError) {
        guard let log = intake.log else { throw Self.gap }
        try connection.statement("BEGIN").run()
        open.forget()
        do throws(StoreError) {
            let stored = try open.soundVersion()
            let contents = try log.read(behind: stored)
            guard (contents.records.last?.version ?? stored) == version,
                contents.stragglers.isEmpty
            else { throw Self.gap }
            for record in contents.records { try open.apply(record.bytes) }
            try open.apply(intake.untold)
        } catch {
            if connection.isInTransaction { try? connection.statement("ROLLBACK").run() }
            open.forget()
            throw error
        }
    }
}
