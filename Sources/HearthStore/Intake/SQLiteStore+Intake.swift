import Dispatch
import HearthFirestore
import Synchronization

/// What is durable in the intake log and not in the database yet.
struct Intake {
    /// The log; made when the first group could use it.
    var log: IntakeLog?
    /// How many of its records the open transaction has and the database has not.
    var pendingCount = 0
    /// How many rows those changed.
    var changeCount = 0
    /// When the first of those was appended.
    var pendingSince = ContinuousClock.now
    /// Whether the next group must be committed. After a commit that failed, the database may have
    /// what it was told to have, under the version that the next record would bear.
    var mustCommit = false
    /// For how many commits there shall be no log, because it failed.
    var restCount = 0
}

extension SQLiteStore {
    /// Whether accepted writes lie in the log alone. Needs the gate.
    private var hasPending: Bool { intake.pendingCount > 0 }

    // MARK: Groups

    /// Opens a transaction for a group, or goes on in the one that waits.
    func beginGroup() throws(StoreError) {
        if hasPending, !connection.isInTransaction { try applyLogForGood() }
        if !hasPending { try connection.statement("BEGIN").run() }
    }

    /// Undoes what the group did, and leaves it open.
    func beginGroupAnew() throws(StoreError) {
        try connection.statement("ROLLBACK").run()
        open.forget()
        if hasPending { try applyLog() } else { try connection.statement("BEGIN").run() }
    }

    /// Undoes what the group did, and ends it. What waited goes with it, and is applied anew before the
    /// next one: that is dear and rare, where a savepoint for each group would cost all of them.
    func undoGroup() {
        if connection.isInTransaction { try? connection.statement("ROLLBACK").run() }
        open.forget()
    }

    /// Ends a group that changed nothing.
    func endUnchangedGroup() throws(StoreError) {
        if !hasPending { try connection.statement("COMMIT").run() }
    }

    /// Makes the group durable: by the log if it tells all of it, else by the database.
    func commitGroup(changeCount: Int64) throws(StoreError) {
        let isTold =
            changeCount == open.memory.intake.changeCount && !open.memory.intake.isTooLong
        try open.noteNewUses()
        if isTold, try append(changeCount: Int(changeCount)) { return }
        try commitDatabase(version.next)
    }

    /// Appends what the group did to the log.
    ///
    /// - Returns: False if the database must be committed instead, with all that waits.
    private func append(changeCount: Int) throws(StoreError) -> Bool {
        guard !intake.mustCommit, configuration.intakeByteCount > 0 else { return false }
        guard let log = intake.log else {
            try makeLog()
            return false
        }
        open.memory.intake.globals(try open.globals())
        let record = IntakeRecord(version: version.next, bytes: open.memory.intake.bytes)
        let now = ContinuousClock.now
        guard log.isSound, log.hasRoom(for: record),
            !hasPending || now - intake.pendingSince < configuration.intakeAgeMax,
            intake.changeCount + changeCount <= StoreLimits.intakeChangeCountMax
        else { return false }
        do throws(StoreError) {
            try log.append(record)
        } catch {
            return false  // The commit tells whether the disk is at fault.
        }
        if !hasPending { intake.pendingSince = now }
        intake.pendingCount += 1
        intake.changeCount += changeCount
        hidesWrites.store(true, ordering: .releasing)
        return true
    }

    /// Makes the log. It may be used once the database, which is committed next, knows its salt.
    private func makeLog() throws(StoreError) {
        guard intake.restCount == 0 else {
            intake.restCount -= 1
            return
        }
        do throws(StoreError) {
            let log = try IntakeLog(
                makingAt: IntakeLog.path(besides: configuration.path),
                byteCount: configuration.intakeByteCount)
            try open.setIntakeSalt(log.salt)
            intake.log = log
        } catch {
            intake.restCount = StoreLimits.intakeRestCount
        }
    }

    /// Commits the open transaction, which leads to a version.
    private func commitDatabase(_ version: StoreVersion) throws(StoreError) {
        try open.storeGlobals(version: version)
        try open.storeSent()
        try connection.statement("COMMIT").run()
        intake.pendingCount = 0
        intake.changeCount = 0
        intake.mustCommit = false
        hidesWrites.store(false, ordering: .releasing)
        guard let log = intake.log else { return }
        if log.isSound {
            log.restart()
        } else {
            intake.log = nil
            intake.restCount = StoreLimits.intakeRestCount
        }
    }

    /// Drops the open transaction. What the log has is applied anew before the next group.
    func abandonTransaction() {
        if connection.isInTransaction { try? connection.statement("ROLLBACK").run() }
        intake.mustCommit = true
        if let log = intake.log {
            if !log.isSound { log.void() }
            // Its salt may be in the transaction that was dropped.
            if !hasPending { intake.log = nil }
        }
        open.forget()
    }

    // MARK: Between groups

    /// Commits what waits in the open transaction. Needs the gate.
    func settle() throws(StoreError) {
        guard hasPending else { return }
        do throws(StoreError) {
            if !connection.isInTransaction { try applyLog() }
            try commitDatabase(version)
        } catch {
            abandonTransaction()
            throw error
        }
        keepLogShort()
    }

    /// Makes accepted writes visible to readers. If the disk does not let it, or a group takes too
    /// long, they see what was committed before.
    func showWrites() {
        guard hidesWrites.load(ordering: .acquiring) else { return }
        let deadline = DispatchTime.now() + .milliseconds(StoreLimits.readerWaitMilliseconds)
        guard gate.wait(timeout: deadline) == .success else { return }
        defer { gate.signal() }
        try? settle()
    }

    /// Takes up the log of a store that was not closed, if the database lacks anything of it.
    ///
    /// - Throws: `StoreError.damaged` if a part of it cannot be read that was written once.
    func takeUpLog() throws(StoreError) {
        let place = try open.intakePlace()
        guard let salt = place.salt,
            let log = try IntakeLog(
                openingAt: IntakeLog.path(besides: configuration.path), salt: salt)
        else { return }
        let contents = try log.read(behind: version)
        guard contents.stragglers.isEmpty else { throw Self.gap }
        guard let last = contents.records.last else { return }
        intake.log = log
        intake.pendingCount = contents.records.count
        version = last.version
        hidesWrites.store(true, ordering: .releasing)
        do throws(StoreError) {
            try applyLog()
        } catch {
            intake.pendingCount = 0  // So that nobody tries again: the store is not opened.
            throw error
        }
    }

    private static var gap: StoreError { .damaged("its intake log has a gap") }

    /// Does again what the log has, and commits it if the disk lets it, so that a group which fails again
    /// and again does not have it done each time.
    private func applyLogForGood() throws(StoreError) {
        do throws(StoreError) {
            try settle()
        } catch {
            try applyLog()
        }
    }

    /// Opens a transaction and does in it again what the log has behind the database.
    private func applyLog() throws(StoreError) {
        guard let log = intake.log else { throw Self.gap }
        try connection.statement("BEGIN").run()
        open.forget()
        do throws(StoreError) {
            let contents = try log.read(behind: try open.storedVersion())
            guard contents.records.last?.version == version, contents.stragglers.isEmpty else {
                throw Self.gap
            }
            for record in contents.records { try open.apply(record) }
        } catch {
            if connection.isInTransaction { try? connection.statement("ROLLBACK").run() }
            open.forget()
            throw error
        }
    }
}
