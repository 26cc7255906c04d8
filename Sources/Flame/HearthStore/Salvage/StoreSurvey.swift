import HearthModel
package import HearthSQLite

/// The damage of a store's files that an opening would pass over.
///
/// SQLite takes a missing file for a new file, and where the WAL is damaged, an older state for the
/// present state. SQLite also knows nothing of the intake log.
///
/// The survey comes before the opening, because an opening changes the files.
package struct StoreSurvey: Sendable {
    /// What is wrong with an intake log.
    package enum IntakeProblem: Hashable, Sendable {
        /// There is no log, though the database had one.
        case missing
        /// The log has fewer bytes than at its making.
        case short(byteCount: Int)
        /// The log's records are from another database, or from an older state of this database.
        case foreign
        /// The log has no record at all, though every log begins with a record.
        case emptied
    }

    /// Why the store must be rescued, if so.
    package private(set) var damage: String?
    /// Why writes that were accepted last may be missing, if so.
    package private(set) var intakeProblem: IntakeProblem?

    /// Whether nothing shows that the store ever held anything: the database is missing, empty or blank,
    /// and its logs have no group.
    package private(set) var isBlank = false

    /// Looks at the files of a store that nobody has open.
    package init(_ configuration: GroupStoreConfiguration<some SalvagedContent>) {
        let pages = StoredPages(configuration.path)
        let path = IntakeLog.path(besides: configuration.path)
        guard pages.fileByteCount > 0 else {
            if RawFile.isGone(configuration.path) { takeMissing(pages, path) }
            return
        }
        guard let schema = StoredSchema(pages.prefixPage) else { return }
        let found = schema.counters(pages.prefixPage, configuration.content)
        if found == nil || schema.version == 0,
            let foreignness = schema.foreignness(to: configuration.content)
        {
            damage = foreignness
            return
        }
        guard let counters = found else {
            if schema.isEmpty { takeMissing(pages, path) }
            return
        }
        let log = SalvagedIntake(path, salt: counters.salt)
        if let salt = counters.salt {
            if configuration.intakeByteCount > 0 {
                let size = IntakeSize(ofSalt: salt, full: configuration.intakeByteCount)
                intakeProblem = Self.problem(of: log, path, size, at: counters.version)
            }
        } else if counters.lastBatch == .none, let log, log.hasContent {
            damage = "it is new, but its intake log has \(log.records.count) groups of an older one"
            return
        }
        damage =
            Self.damage(of: pages, schema, log, configuration)
            ?? Self.damageOfQueue(in: pages, schema, counters)
    }

    private mutating func takeMissing(_ pages: StoredPages, _ logPath: String) {
        damage = Self.damage(ofMissing: pages, logPath)
        isBlank = damage == nil
    }

    private static func damage(ofMissing pages: StoredPages, _ logPath: String) -> String? {
        let state = pages.isMissing ? "missing" : pages.fileByteCount == 0 ? "emptied" : "blank"
        if let log = SalvagedIntake(logPath, salt: nil), log.hasContent {
            return "it is \(state), but its intake log has \(log.records.count) groups"
        }
        return pages.fileByteCount == 0 && pages.wal != nil
            ? "it is \(state), but SQLite's log of it is there" : nil
    }

    private static func problem(
        of log: SalvagedIntake?, _ path: String, _ size: IntakeSize, at version: StoreVersion
    ) -> IntakeProblem? {
        guard let file = RawFile(path) else { return RawFile.isGone(path) ? .missing : nil }
        if file.byteCount < size.byteCount { return .short(byteCount: file.byteCount) }
        if log != nil { return nil }
        guard let other = SalvagedIntake(path, salt: nil) else { return .emptied }
        // A crash came between a new log's first record and the commit of its salt. The new log has
        // no group, and the database has all groups of the log before, or none would have been made.
        if !other.hasContent, other.lastVersion == version { return nil }
        return .foreign
    }

    /// Why the tree of batches is damaged; `nil` if the tree is whole.
    ///
    /// SQLite would find fewer batches in a damaged tree and not notice.
    private static func damageOfQueue(
        in pages: StoredPages, _ schema: StoredSchema, _ counters: SalvagedCounters
    ) -> String? {
        guard let root = schema.roots["mutations"], let counted = counters.batchCount else {
            return nil
        }
        guard let count = TreeWalk(pages.prefixPage).rowCount(from: root) else {
            return "the tree of its queues contradicts itself"
        }
        return count < counted ? "its queues have \(count) batches of \(counted)" : nil
    }

    /// Why durable commits behind a damage in the WAL are lost; `nil` if none are.
    ///
    /// A commit is not lost if the intake log has the commit's records.
    ///
    /// A power cut may leave holes too, in commits that were never synced. The intake log has
    /// everything in such a commit, or nobody was told that the commit is durable. Only the last
    /// commit can be such a commit, since a commit begins only after the commit before is durable
    /// in the WAL or in the intake log.
    private static func damage(
        of pages: StoredPages, _ schema: StoredSchema, _ log: SalvagedIntake?,
        _ configuration: GroupStoreConfiguration<some SalvagedContent>
    ) -> String? {
        guard let frames = pages.wal, frames.hasHole,
            let seen = schema.counters(pages.prefixPage, configuration.content)
        else { return nil }
        let content = configuration.content
        if let ahead = schema.counters(pages.filePage, content), ahead.version > seen.version {
            return "SQLite's log is damaged in front of what the file has of it"
        }
        var covered = seen.version
        for record in log?.records ?? [] where record.version == covered.next {
            covered = record.version
        }
        let ends = frames.frames.filter { $0.pageCount > 0 }.map(\.index)
        let last = ends.dropLast().last ?? -1
        for frame in frames.frames.dropFirst(frames.prefixCount)
        where frame.index <= last && frame.page == schema.countersPage {
            let found = schema.counters({ _ in frames.content(frame) }, content)
            if let found, found.version > covered {
                return "SQLite's log is damaged in front of version \(found.version)"
            }
        }
        return nil
    }
}

extension StoreSurvey.IntakeProblem: CustomStringConvertible {
    /// What a sentence says of the log, behind the log's name.
    package var description: String {
        switch self {
        case .missing: "is missing"
        case .short(let byteCount): "has only \(byteCount) bytes"
        case .foreign: "is another database's, or an older one of this database"
        case .emptied: "was emptied"
        }
    }
}
