package import HearthFirestore
package import HearthModel

/// What could be read of a damaged store that must not be lost: what the backend does not have.
package struct Salvage: Sendable {
    /// Queued batches, in the order of their numbers. Their overlays are gone with the file.
    package private(set) var batches: [QueuedBatch] = []
    /// Rejected batches on which nobody has decided yet.
    package private(set) var deadLetters: [DeadLetter] = []
    /// What became of writes, and those that are still queued, by which a resend is recognised.
    package private(set) var records: [WriteIdentity: WriteRecord] = [:]
    /// Why not all could be read, a line for each table.
    package private(set) var problems: [String] = []

    /// Reads as far as it goes. Never fails: what cannot be read is among the problems.
    package init(_ configuration: StoreConfiguration) {
        do throws(StoreError) {
            let lock = try FileLock(path: configuration.path + "-lock")
            let connection = try Connection(path: configuration.path, isReadOnly: false)
            let transaction = SQLiteTransaction(connection, database: configuration.database)
            if try connection.number("PRAGMA user_version") ?? 0 < Schema.queueRowVersion {
                readOldBatches(transaction)
            } else {
                readBatches(transaction)
            }
            readDeadLetters(transaction)
            readRecords(transaction)
            readLog(transaction, besides: configuration.path)
            _ = lock
        } catch {
            problems.append(error.description)
        }
    }

    private mutating func readBatches(_ transaction: SQLiteTransaction) {
        var last = BatchID.none
        do throws(StoreError) {
            while let entry = try transaction.queueEntries(after: last, count: 1).first {
                last = entry.id
                do throws(StoreError) {
                    let batch = try transaction.batch(entry.id, of: entry.user)
                    if let batch { batches.append(batch) }
                } catch {
                    problems.append("Batch \(entry.id): \(error)")
                }
            }
        } catch {
            problems.append("Batches behind \(last): \(error)")
        }
    }

    /// The same from a file of an earlier program, which was damaged before it could be migrated.
    private mutating func readOldBatches(_ transaction: SQLiteTransaction) {
        var last = BatchID.none
        do throws(StoreError) {
            let statement = try transaction.connection.statement(
                """
                SELECT m.batch, m.state, m.written_at, m.uid, m.gid, m.pid, m.unit, m.program,
                    m.base_writes, m.writes, q.user
                FROM mutations m JOIN mutation_queues q ON q.id = m.queue
                WHERE m.batch > ? ORDER BY m.batch LIMIT 1
                """)
            var isAtEnd = false
            while !isAtEnd {
                isAtEnd = true
                try statement.bind(last.rawValue).forEach { row throws(StoreError) in
                    isAtEnd = false
                    last = BatchID(row.int(0))
                    do throws(StoreError) {
                        let user = UserID(row.text(10) ?? "")
                        batches.append(try transaction.wholeBatch(from: row, of: user))
                    } catch {
                        problems.append("Batch \(last): \(error)")
                    }
                }
            }
        } catch {
            problems.append("Batches behind \(last): \(error)")
        }
    }

    /// Adds what the database had not got yet, as far as the log can be read.
    private mutating func readLog(_ transaction: SQLiteTransaction, besides path: String) {
        do throws(StoreError) {
            let place = try transaction.intakePlace()
            guard let salt = place.salt,
                let log = try IntakeLog(openingAt: IntakeLog.path(besides: path), salt: salt)
            else { return }
            let contents = try log.read(behind: place.version)
            if let first = contents.stragglers.first {
                let last = contents.records.last?.version ?? place.version
                problems.append("Accepted writes between versions \(last) and \(first.version)")
            }
            let stragglers = contents.stragglers.sorted { $0.version < $1.version }
            for record in contents.records + stragglers {
                for entry in try IntakeEntry.entries(from: record.bytes, transaction.codec) {
                    take(entry)
                }
            }
        } catch {
            problems.append("Writes that were accepted last: \(error)")
        }
    }

    private mutating func take(_ entry: IntakeEntry) {
        switch entry {
        case .batch(let batch, isEffect: _):
            let isKnown = batches.contains { $0.batch.id == batch.batch.id }
            if !isKnown { batches.append(batch) }
        case .batchRemoved(let id, _, _): batches.removeAll { $0.batch.id == id }
        case .record(let write, let record, notedAt: _): records[write] = record
        case .recordRemoved(let write): records[write] = nil
        case .deadLetter(let letter): deadLetters.append(letter)
        case .deadLetterRemoved(let id): deadLetters.removeAll { $0.batch.batch.id == id }
        case .state(let state, let id, _):
            guard let index = batches.lastIndex(where: { $0.batch.id == id }) else { return }
            batches[index].state = state
        case .sent(let last, let user):
            for index in batches.indices
            where batches[index].user == user && batches[index].batch.id <= last
                && batches[index].state == .queued
            {
                batches[index].state = .sentUnanswered
            }
        case .overlay, .overlaysRemoved, .document, .documentRemoved, .used, .keysAdded,
            .keysRemoved, .target, .targetDropped, .keysReleased, .backfilled, .answered, .globals:
            break  // Can be had again.
        }
    }

    private mutating func readRecords(_ transaction: SQLiteTransaction) {
        do throws(StoreError) {
            try transaction.eachRecord { identity, record in records[identity] = record }
        } catch {
            problems.append("Answers to writes that may be sent again: \(error)")
        }
    }

    private mutating func readDeadLetters(_ transaction: SQLiteTransaction) {
        do throws(StoreError) {
            var last = BatchID.none
            while let letter = try transaction.deadLetters(after: last, count: 1).first {
                last = letter.batch.batch.id
                deadLetters.append(letter)
            }
        } catch {
            problems.append("Dead letters: \(error)")
        }
    }
}

extension SQLiteStore {
    /// Where a damaged store is moved to. The time is in whole seconds since 1970.
    package static func setAsidePath(_ configuration: StoreConfiguration, at time: Timestamp)
        -> String
    {
        "\(configuration.path).damaged-\(time.seconds)"
    }

    /// Moves a damaged store out of the way, where a person can look at it.
    ///
    /// - Returns: Where the file is now; the others lie beside it.
    package static func setAside(_ configuration: StoreConfiguration, at time: Timestamp)
        throws(StoreError) -> String
    {
        let lock = try FileLock(path: configuration.path + "-lock")
        let path = setAsidePath(configuration, at: time)
        // The file goes last: as long as it is there, the next start finds it damaged again.
        for suffix in fileSuffixes {
            try SystemErrors.renameFile(from: configuration.path + suffix, to: path + suffix)
        }
        _ = lock
        return path
    }
}
