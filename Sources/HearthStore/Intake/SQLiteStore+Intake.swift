import Dispatch
import HearthFirestore
import Synchronization

/// What is durable in the intake log and not in the database yet.
struct Intake {
    /// The log; made when the first group could use it.
    var log: IntakeLog?
    /// How many of its records the open transaction has and the database has not.
    var pendingCount = 0
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

    /// Opens a transaction for a group, or a savepoint in the one that waits.
    func beginGroup() throws(StoreError) {
        guard hasPending else { return try connection.statement("BEGIN").run() }
        if !connection.isInTransaction { try applyLog() }
        try connection.statement("SAVEPOINT taken").run()
    }

    /// Undoes what the group did, and leaves it open.
    func beginGroupAnew() throws(StoreError) {
        if hasPending {
            try connection.statement("ROLLBACK TO taken").run()
            open.forget()
        } else {
            try connection.statement("ROLLBACK").run()
            open.forget()
            try connection.statement("BEGIN").run()
        }
    }

    /// Undoes what the group did, and ends it.
    func undoGroup() {
        defer { open.forget() }
        guard connection.isInTransaction else { return }
        do throws(StoreError) {
            if hasPending {
                try connection.statement("ROLLBACK TO taken").run()
                try connection.statement("RELEASE taken").run()
            } else {
                try connection.statement("ROLLBACK").run()
            }
        } catch {
            abandonTransaction()
        }
    }

    /// Ends a group that changed nothing.
    func endUnchangedGroup() throws(StoreError) {
        try connection.statement(hasPending ? "RELEASE taken" : "COMMIT").run()
    }

    /// Makes the group durable: by the log if it tells all of it, else by the database.
    func commitGroup(changeCount: Int64) throws(StoreError) {
        let isLoggable =
            changeCount == open.memory.intake.changeCount && open.memory.newUses.isEmpty
        try open.storeGlobals(version: version.next)
        if hasPending { try connection.statement("RELEASE taken").run() }
        if isLoggable, try append() { return }
        try commitDatabase()
    }

    /// Appends what the group did to the log.
    ///
    /// - Returns: False if the database must be committed instead, with all that waits.
    private func append() throws(StoreError) -> Bool {
        guard !intake.mustCommit, configuration.intakeByteCount > 0 else { return false }
        guard let log = intake.log else {
            try makeLog()
            return false
        }
        open.memory.intake.globals(try open.globals())
        let record = IntakeRecord(version: version.next, bytes: open.memory.intake.bytes)
        let now = ContinuousClock.now
        guard log.isSound, record.bytes.count <= StoreLimits.intakeRecordByteCountMax,
            log.hasRoom(for: record.bytes.count),
            !hasPending || now - intake.pendingSince < StoreLimits.intakeAgeMax
        else { return false }
        do throws(StoreError) {
            try log.append(record)
        } catch {
            return false  // The commit tells whether the disk is at fault.
        }
        if !hasPending { intake.pendingSince = now }
        intake.pendingCount += 1
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

    private func commitDatabase() throws(StoreError) {
        try connection.statement("COMMIT").run()
        intake.pendingCount = 0
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
            try commitDatabase()
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
            for record in contents.records {
                for entry in try IntakeEntry.entries(from: record.bytes, open.codec) {
                    try open.apply(entry)
                }
                try open.storeGlobals(version: record.version)
            }
        } catch {
            if connection.isInTransaction { try? connection.statement("ROLLBACK").run() }
            open.forget()
            throw error
        }
    }
}

extension SQLiteTransaction {
    /// Which version the database has, and the salt of the log that goes on from it; `nil` if it
    /// never had one.
    func intakePlace() throws(StoreError) -> (version: StoreVersion, salt: UInt64?) {
        let statement = try connection.statement("SELECT version, intake_salt FROM store")
        let place = try statement.first { row in
            (version: StoreVersion(row.int(0)), salt: UInt64(bitPattern: row.int(1)))
        }
        guard let place else { throw .damaged("its row of counters is gone") }
        return (place.version, place.salt == 0 ? nil : place.salt)
    }

    /// Notes the salt of a new log.
    func setIntakeSalt(_ salt: UInt64) throws(StoreError) {
        try connection.statement("UPDATE store SET intake_salt = ?")
            .bind(Int64(bitPattern: salt)).run()
    }
}
