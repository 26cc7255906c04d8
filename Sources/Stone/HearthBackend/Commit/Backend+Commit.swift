import HashTreeCollections
package import HearthModel

/// Commits, which are atomic and sequential: each commit has its own moment.
extension Backend {
    /// Makes writes, all or none.
    ///
    /// - Parameters:
    ///   - writes: In order; a later write sees the documents as the earlier writes left them.
    ///   - transaction: Ends with this commit, made or refused.
    ///   - caller: Who asks; rules apply to all but the admin.
    ///   - now: The shell's clock; the commit's time is later than every moment named before.
    /// - Returns: The outcome, or that the commit waits for a lock: the answer is then an action.
    /// - Throws: `HearthError` with the codes and texts of production.
    package mutating func commit(
        _ writes: [Mutation], in database: DatabaseID, transaction: TransactionID? = nil,
        by caller: Caller = .admin, at now: Timestamp
    ) throws(HearthError) -> CommitReply {
        expire(at: now)
        if let transaction {
            try checkOpen(transaction, in: database, at: now)
            if transactions[transaction]?.isReadOnly == true, !writes.isEmpty {
                throw .argument("Cannot modify entities in a read-only transaction.")
            }
        }
        do throws(HearthError) {
            for write in writes { try WriteRules.check(write, in: database) }
            try WriteRules.checkOrder(of: writes, in: database)
            if let transaction { try checkUnchanged(transaction, in: database) }
        } catch {
            if let transaction { end(transaction, at: now) }
            throw error
        }
        defer {
            // A transaction whose commit waits ends with the commit's answer.
            if let transaction, transactions.waiter(of: transaction) == nil {
                end(transaction, at: now)
            }
        }
        if let waiter = try waitForLocks(
            of: writes, in: database, transaction, by: caller, at: now)
        {
            return .waits(waiter)
        }
        return .done(try make(writes, in: database, by: caller, at: now))
    }

    /// Makes writes that are checked and hold their locks.
    mutating func make(
        _ writes: [Mutation], in id: DatabaseID, by caller: Caller, at now: Timestamp
    ) throws(HearthError) -> CommitOutcome {
        let version = commitMoment(now)
        try checkWrites(writes, in: id, by: caller, at: version)
        let (results, changes) = try apply(writes, in: id, at: version)
        if changes.isEmpty { return CommitOutcome(version: version, results: results) }
        transactions.changed(changes, in: id)
        // The trees of the database are then ours alone and change in place.
        var database = databases.removeValue(forKey: id) ?? Database()
        database.documents.append(changes)
        for change in changes { act(.save(id, .version(change.new))) }
        database.log.append(
            version, changes.map(\.key),
            byteCount: changes.reduce(0) { $0 + ValueRules.byteCount(of: $1.old) })
        if !database.watch.isEmpty {
            let view = database.view(at: version)
            let news = database.watch.changed(changes, at: version, token(at: version)) {
                view.first($1, of: $0)
            }
            for (stream, messages) in news {
                let allowed = allowed(messages, on: stream, in: id, &database, at: version, now)
                act(.deliver(stream, allowed))
            }
        }
        let horizon = now.advanced(by: .zero - settings.historyAgeMax).flooredToMicroseconds
        let saves = database.forgetHistory(before: SnapshotVersion(horizon), settings)
        for save in saves { act(.save(id, save)) }
        databases[id] = consume database
        return CommitOutcome(version: version, results: results)
    }

    /// What writes come to, on documents as they are.
    ///
    /// The copy of the documents ends with the call.
    private func apply(
        _ writes: [Mutation], in id: DatabaseID, at version: SnapshotVersion
    ) throws(HearthError) -> (results: [Mutation.Result], changes: [DocumentChange]) {
        var application = WriteApplication(
            database: id, version: version, documents: documents(of: id), count: writes.count)
        var results: [Mutation.Result] = []
        results.reserveCapacity(writes.count)
        for write in writes { results.append(try application.apply(write)) }
        return (results, application.changes)
    }

    /// Refuses a batch of independent writes if one of the writes is malformed.
    ///
    /// - Throws: `HearthError` for the whole request.
    package func checkBatch(_ writes: [Mutation], in database: DatabaseID) throws(HearthError) {
        var keys: Set<DocumentKey> = []
        for write in writes {
            guard keys.insert(write.key).inserted else {
                throw .argument(
                    "the same document cannot be written more than once in a single request")
            }
            try WriteRules.check(write, in: database)
        }
    }

    /// Brings back a database from disk, before any commit to it.
    ///
    /// - Parameters:
    ///   - versions: All versions of all documents; the versions of one document in their order.
    ///   - historyStart: Since when the versions are complete.
    package mutating func restore(
        _ versions: some Sequence<Document>, in id: DatabaseID, historyStart: SnapshotVersion
    ) {
        var database = databases[id] ?? Database()
        databases[id] = nil
        database.log = ChangeLog(start: historyStart)
        var commits: [SnapshotVersion: (keys: [DocumentKey], byteCount: Int)] = [:]
        for document in versions {
            let old = database.documents.document(document.key)
            database.documents.append([DocumentChange(old: old, new: document)])
            commits[document.version, default: ([], 0)].keys.append(document.key)
            commits[document.version]?.byteCount += ValueRules.byteCount(of: old)
            clock = max(clock, document.version)
        }
        for (version, commit) in commits.sorted(by: { $0.key < $1.key })
        where version > historyStart {
            database.log.append(version, commit.keys, byteCount: commit.byteCount)
        }
        databases[id] = database
    }

    /// Forgets the whole past, so that every issued token is too old.
    ///
    /// Resets and existence filters can then be seen without waiting an hour.
    package mutating func forgetHistory() {
        for id in databases.keys {
            guard var database = databases.removeValue(forKey: id) else { continue }
            let saves = database.forgetHistory(before: clock, settings)
            for save in saves { act(.save(id, save)) }
            databases[id] = consume database
        }
    }
}

extension Database {
    /// Forgets what is older or more than the settings allow. O(1) for each commit, in the mean.
    ///
    /// - Returns: What the disk must forget.
    fileprivate mutating func forgetHistory(
        before horizon: SnapshotVersion, _ settings: BackendSettings
    ) -> [BackendAction.Save] {
        var saves: [BackendAction.Save] = []
        while let oldest = log.first,
            oldest.version <= horizon || log.count > settings.historyCommitCountMax
                || log.byteCount > settings.historyByteCountMax
        {
            log.removeFirst()
            for key in oldest.keys {
                documents.forget(key, before: oldest.version)
                saves.append(.forget(key, before: oldest.version))
            }
        }
        if !saves.isEmpty { saves.append(.historyStart(log.start)) }
        return saves
    }
}

/// How a commit went.
package enum CommitReply: Equatable, Sendable {
    /// It was made.
    case done(CommitOutcome)
    /// It waits for the locks of transactions; `BackendAction.answer` tells how it ended.
    case waits(WaiterID)
}
