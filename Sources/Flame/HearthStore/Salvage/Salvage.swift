package import HearthEngine
package import HearthFirestore
package import HearthModel
import HearthSQLite

/// What could be read of a damaged store that must not be lost: what the backend does not have.
///
/// Nothing here trusts the file. The salvage reads the pages one by one (`StoredPages`), and finds
/// the pages in use by two ways (`PageRoles`). The salvage knows rows by their shapes
/// (`SalvagedTable`), and decodes each row strictly. So damage to a page costs only the rows of the
/// page. The intake log may still have rows that the file has lost, because a record stays in the
/// log until written over (`Salvage+Intake`).
package struct Salvage<Content: SalvagedContent>: Sendable {
    /// Queued batches with their numbers and states, in the order of the numbers. Their effects are gone.
    package private(set) var batches: [Content.Batch] = []
    /// Rejected batches that wait for a decision, and batches that may or may not have been sent.
    package internal(set) var deadLetters: [Content.Letter] = []
    /// The records of answered and of queued writes, which let the store recognise a resend.
    package internal(set) var records: [WriteIdentity: SalvagedRecord<Content.Outcome>] = [:]
    /// The clients whose answered writes were forgotten.
    package private(set) var forgotten: [ForgottenWrites] = []
    /// Behind all numbers of batches that were ever given out.
    package private(set) var lastBatchID = BatchID.none
    /// Whether indexes are made by themselves, if that is known.
    package private(set) var createsIndexes = false
    /// The store's name among all daemons', which markers bear.
    ///
    /// `nil` if there was none, or the name is lost.
    package private(set) var daemon: String?
    /// How many documents the cache had, if that is known.
    package private(set) var documentCount: Int?
    /// The last time that a batch has promised, if that is known.
    package private(set) var lastPromisedAt: Timestamp?
    /// Where the markers of each user's batches lie.
    package private(set) var markerEras: [UserID: [MarkerEra]] = [:]
    /// What writers said of the sending of their batches.
    package internal(set) var terms: [BatchID: SendingTerms] = [:]
    /// What was lost, a line for each.
    package private(set) var problems: [String] = []

    /// How far each user's queue was sent, as far as known.
    var sent: [UserID: BatchID] = [:]
    /// Batches by their numbers.
    var queued: [BatchID: Content.Batch] = [:]
    /// Dead letters by their numbers.
    var letters: [BatchID: Content.Letter] = [:]
    /// Batches that the database's own records say are queued.
    var pendingIDs: Set<BatchID> = []
    /// The batches that only the intake log has.
    var logged: Set<BatchID> = []
    /// The batches of `logged` that the file had before the damage.
    var restored: Set<BatchID> = []
    /// Whether the intake log lacks groups that came behind the database's state.
    var hasGap = false
    /// Batches that left their queues for good.
    var left: Set<BatchID> = []

    /// How many numbers are left out where the last one is not known.
    private static var numberGap: Int64 { 1 << 20 }

    /// Reads as far as it goes. Never fails, and changes nothing: what cannot be read is among the problems.
    ///
    /// - Parameter path: The database, beside which its logs lie.
    package init(_ path: String, of content: Content) {
        let pages = StoredPages(path)
        let tables = SalvagedTables(pages, content)
        problems = tables.problems
        if pages.count == 0 { problems.append("all of the database, which is empty or gone") }
        if let wal = pages.wal, wal.hasHole || !wal.damagedPages.isEmpty {
            let pages = wal.damagedPages.sorted().prefix(10).map(String.init)
            problems.append(
                "parts of SQLite's log"
                    + (pages.isEmpty ? "" : ", of pages " + pages.joined(separator: ", "))
            )
        }
        let log = SalvagedIntake(IntakeLog.path(besides: path), salt: tables.counters?.salt)
        forgotten = tables.forgotten
        createsIndexes = tables.counters?.createsIndexes ?? false
        daemon = tables.counters?.daemon
        documentCount = tables.counters?.documentCount
        lastPromisedAt = tables.counters?.lastPromisedAt
        records = tables.records
        terms = tables.terms
        letters = tables.letters
        pendingIDs = Set(
            records.values.lazy.map(\.record).filter { $0.outcome == .pending }.map(\.batch))
        let users = users(of: tables)
        takeBatches(of: tables, users)
        for (queue, eras) in tables.markerEras {
            if let user = users[queue]?.user { markerEras[user] = eras }
        }
        if let log { take(log, besides: tables, content) }
        if log == nil, tables.counters?.salt != nil {
            lose("what the intake log had, which is gone")
        }
        if pages.wal?.hasHole == true { leaveAnswered() }
        settle(tables)
    }

    /// Notes what was lost.
    mutating func lose(_ problem: String) { problems.append(problem) }

    // MARK: Batches

    private mutating func takeBatches(
        of tables: SalvagedTables<Content>, _ users: [Int64: SalvagedTables<Content>.Queue]
    ) {
        var homeless: [BatchID] = []
        for (id, batch) in tables.batches {
            guard let queue = users[batch.queue] else {
                homeless.append(id)
                continue
            }
            let isSent = batch.isSent || queue.sent.map { id <= $0 } ?? true
            queued[id] = batch.batch.moved(
                to: queue.user, batch.isHeld ? .held : isSent ? .sentUnanswered : .queued)
        }
        if !homeless.isEmpty {
            lose("batches \(Self.list(homeless)), since it is not known whose queue they were in")
        }
    }

    /// The user of each queue.
    ///
    /// Where the sources disagree, one is damaged, and the likelier user counts.
    private mutating func users(of tables: SalvagedTables<Content>) -> [Int64: SalvagedTables<
        Content
    >.Queue] {
        let counted = tables.counters?.lastBatch ?? BatchID(BatchRow.numberMax)
        let last = max(counted, tables.batches.keys.max() ?? .none)
        var users: [Int64: SalvagedTables<Content>.Queue] = [:]
        for (id, told) in tables.queues {
            let counts = Dictionary(grouping: told, by: { UTF8Text($0.user.rawValue) })
                .mapValues(\.count)
            let likely = told.max {
                (counts[UTF8Text($0.user.rawValue)] ?? 0)
                    < (counts[UTF8Text($1.user.rawValue)] ?? 0)
            }
            guard let user = likely?.user else { continue }
            // Taking too much as sent is only more careful, but a number outside the possible range
            // was not sent.
            let sent = told.compactMap(\.sent).filter { $0 >= .none && $0 <= last }.max()
            users[id] = SalvagedTables<Content>.Queue(user: user, sent: sent)
            if sent == nil { lose("how much of the queue of user \"\(user.rawValue)\" was sent") }
            self.sent[user] = sent
        }
        return users
    }

    /// Drops batches that have an answer.
    ///
    /// A WAL with a hole gives older pages, where such batches may still be.
    private mutating func leaveAnswered() {
        let answered = records.values.lazy.filter { $0.record.outcome != .pending }
        for record in answered { queued[record.record.batch] = nil }
    }

    // MARK: The whole

    private mutating func settle(_ tables: SalvagedTables<Content>) {
        for id in left { queued[id] = nil }
        for id in letters.keys { queued[id] = nil }
        for (id, batch) in queued where batch.head.state == .queued {
            let user = batch.head.user
            if let sent = sent[user], id <= sent {
                queued[id] = batch.moved(to: user, .sentUnanswered)
            }
        }
        batches = queued.values.sorted { $0.head.id < $1.head.id }
        deadLetters = letters.values.sorted {
            $0.salvagedBatch.head.id < $1.salvagedBatch.head.id
        }
        let lost = records.filter {
            $0.value.record.outcome == .pending && queued[$0.value.record.batch] == nil
        }
        for (write, record) in lost.sorted(by: { $0.value.record.batch < $1.value.record.batch }) {
            settle(write, record)
        }
        let traced =
            batches.map(\.head.id) + deadLetters.map(\.salvagedBatch.head.id)
            + records.values.map(\.record.batch) + lost.values.map(\.record.batch) + left
        let highest = (traced + sent.values).max() ?? .none
        if let counters = tables.counters {
            count(tables, lostCount: lost.count)
            let untold = TracelessBatches(traced, behind: counters.lastBatch, through: highest)
            if hasGap, let account = untold.account { lose(account) }
        } else {
            problems.insert(TracelessBatches(traced, through: highest).description, at: 0)
        }
        lastBatchID = max(highest, tables.counters?.lastBatch ?? .none)
        if tables.counters == nil, lastBatchID > .none || !problems.isEmpty {
            lastBatchID = BatchID(
                min(lastBatchID.rawValue + Self.numberGap, BatchRow.numberMax - Self.numberGap))
        }
    }

    /// Settles the record of a write whose batch is not queued any more.
    private mutating func settle(_ write: WriteIdentity, _ record: SalvagedRecord<Content.Outcome>)
    {
        let id = record.record.batch
        if let letter = letters[id] {
            let outcome = Content.Outcome.rejected(
                letter.error, mayHaveBeenApplied: letter.mayHaveBeenApplied)
            records[write] = SalvagedRecord(
                record: WriteRecord(batch: id, outcome: outcome), notedAt: record.notedAt)
        } else {
            records[write] = nil  // It has no answer: whoever sends it again writes it.
            lose("batch \(id) of Unix user \(write.uid)")
        }
    }

    /// Reports the missing batches and dead letters that no other problem names.
    private mutating func count(_ tables: SalvagedTables<Content>, lostCount: Int) {
        guard let counters = tables.counters else { return }
        let restoredCount = restored.filter { queued[$0] != nil }.count
        let missing = (counters.batchCount ?? 0) - tables.batches.count - restoredCount - lostCount
        if missing > 0 {
            lose("\(missing) batches more, of programs that do not number their writes")
        }
        if let counted = counters.letterCount, counted > tables.letters.count {
            lose("\(counted - tables.letters.count) of \(counted) dead letters that the file had")
        }
    }

    /// Numbers for people to read: the first numbers, and how many more there are.
    private static func list(_ ids: [BatchID]) -> String {
        let shown = ids.sorted().prefix(20).map(\.description).joined(separator: ", ")
        return ids.count > 20 ? "\(shown) and \(ids.count - 20) more" : shown
    }
}

extension Salvage {
    /// What was lost, in a sentence; `nil` if nothing was.
    package var loss: String? {
        guard !problems.isEmpty else { return nil }
        let shown = problems.prefix(Self.problemCountMax).joined(separator: "; ")
        let rest = problems.count - Self.problemCountMax
        return rest > 0 ? "\(shown); and \(rest) more" : shown
    }

    /// How many problems a sentence bears.
    private static var problemCountMax: Int { 20 }
}
