import HearthFirestore
import HearthModel

/// What became of every write of a simulation, as the backend and the engines say.
///
/// Each batch also counts up a document of its own, `log/N`. Both sides know the batch by its
/// number N, and the document tells how often the batch was applied. If batches bear marks of the
/// daemons, every other batch only sets its document: some batches could then be applied twice
/// without harm to themselves.
final class WriteLedger {
    /// One write of one client.
    struct Entry {
        let client: Int
        var mutations: [Mutation]
        /// Who judges its preconditions.
        let conditions: WriteConditions
        /// When the writer wants it given up unsent.
        let terms: SendingTerms
        /// The number of the write's batch, once a client has heard it.
        var batch: BatchID?
        /// The batch under which a rejected write was queued anew.
        var newBatch: BatchID?
        /// Whether a turn that took the write stood, even if nobody has heard so.
        var isInQueue = false
        /// When the backend applied it; more than once only if an answer was lost.
        var commits: [SnapshotVersion] = []
        /// Whether a turn that sends it stood.
        var isSent = false
        /// Whether its writer took it back.
        var isTakenBack = false
        /// Whether a turn that took the backend's answer stood.
        var isAnswered = false
        /// Whether it is among the dead letters.
        var isRejected = false
        /// Whether the writer has heard of the rejection. The dead letter may then be forgotten.
        var isTold = false
        /// Whether an administrator had it forgotten.
        var isDropped = false
    }

    private(set) var entries: [Int: Entry] = [:]
    private(set) var lastNumber = 0
    /// What became of the copies of batches that bear marks; `nil` if batches bear none.
    var copies: CopyLedger?

    /// Nothing is written yet.
    ///
    /// - Parameter countsEachBatchOnce: Whether batches bear marks, so that the backend must not
    ///   take any twice.
    init(countsEachBatchOnce: Bool) {
        copies = countsEachBatchOnce ? CopyLedger() : nil
    }

    /// The writes of a client, in the order in which they were made.
    func numbers(of client: Int) -> [Int] {
        entries.filter { $0.value.client == client }.keys.sorted()
    }

    /// Notes a new write. Returns the write's number and its mutations.
    func add(
        _ mutations: [Mutation], by client: Int, _ conditions: WriteConditions = .asSDK,
        _ terms: SendingTerms = SendingTerms()
    ) -> (number: Int, mutations: [Mutation]) {
        lastNumber += 1
        let whole = marked(mutations, lastNumber)
        entries[lastNumber] = Entry(
            client: client, mutations: whole, conditions: conditions, terms: terms)
        return (lastNumber, whole)
    }

    /// Some mutations with the mark of a write behind them.
    func marked(_ mutations: [Mutation], _ number: Int) -> [Mutation] {
        mutations + [mark(number)]
    }

    /// The number of the write that some mutations are.
    static func number(of mutations: [Mutation]) -> Int? {
        mutations.last.flatMap { $0.key.collection == log ? Int($0.key.documentID) : nil }
    }

    // MARK: What happens; each returns what must not have.

    /// A client has heard that the write is durable.
    func accepted(_ number: Int, as batch: BatchID) -> String? {
        let known = entries[number]?.batch
        entries[number]?.batch = batch
        entries[number]?.isInQueue = true
        guard let known, known != batch else { return nil }
        return "write \(number) was batch \(known) and is accepted as \(batch)"
    }

    /// A turn that took the write stood, and the process died before anybody heard.
    func queued(_ number: Int) { entries[number]?.isInQueue = true }

    /// The backend applied a copy of a write.
    func committed(
        _ number: Int, _ copy: CopyLedger.Copy, at version: SnapshotVersion
    ) -> String? {
        guard let entry = entries[number] else { return "write \(number) was never made" }
        entries[number]?.commits.append(version)
        if !entry.isInQueue { return "write \(number) was sent and is in no queue" }
        if let fault = copies?.take(copy) { return fault }
        if copy.isLate { return nil }  // Sent before whatever became of the write.
        if entry.isRejected { return "write \(number) was sent again after it was refused" }
        return entry.isAnswered ? "write \(number) was sent again after its answer" : nil
    }

    /// A turn that took the backend's answer stood.
    func answered(_ number: Int) { entries[number]?.isAnswered = true }

    /// A client says that a batch is among the dead letters.
    func rejected(_ batch: BatchID, by client: Int) {
        for (number, entry) in entries
        where entry.client == client && (entry.newBatch ?? entry.batch) == batch {
            entries[number]?.isRejected = true
        }
    }

    /// A writer that waited for the outcome has heard of the rejection.
    ///
    /// The dead letter may go if the writer is of a session that has been promised a time, whatever the
    /// conditions of this write are.
    func told(_ number: Int) {
        guard let client = entries[number]?.client else { return }
        let isPromised = entries.values.contains {
            $0.client == client && $0.conditions != .asSDK
        }
        if isPromised { entries[number]?.isTold = true }
    }

    /// A turn stood that took a write out of the queue unsent, or out of the dead letters.
    func takenOut(_ number: Int, isKept: Bool) {
        entries[number]?.isRejected = true
        entries[number]?.isDropped = !isKept
    }

    /// A turn stood that gave a write other mutations.
    func edited(_ number: Int, _ mutations: [Mutation]) {
        entries[number]?.mutations = mutations
    }

    /// A turn stood that queued a rejected write anew.
    func queuedAnew(_ number: Int, as batch: BatchID) {
        entries[number]?.newBatch = batch
        entries[number]?.isRejected = false
        entries[number]?.isTold = false
    }

    // MARK: A writer's own terms

    /// A turn that sends a write stood: never for the first time after the write expired, and never
    /// after its writer took it back.
    func sent(_ number: Int, at time: Timestamp) -> String? {
        guard let entry = entries[number] else { return "write \(number) was never made" }
        entries[number]?.isSent = true
        if entry.isTakenBack { return "write \(number) was sent after it was taken back" }
        if entry.isRejected { return "write \(number) was sent after it was given up" }
        // An administrator who queues a dead letter anew wants it sent.
        let isFirst = !entry.isSent && entry.newBatch == nil
        guard isFirst, let expiresAt = entry.terms.expiresAt, expiresAt <= time else { return nil }
        return "write \(number) expired at \(expiresAt) and was sent at \(time)"
    }

    /// A turn stood that put a batch among the dead letters, for its terms or for another reason.
    func buried(
        _ batch: BatchID, by client: Int, _ error: HearthError, at time: Timestamp
    ) -> String? {
        let found = entries.first {
            $0.value.client == client && ($0.value.newBatch ?? $0.value.batch) == batch
        }
        guard let (number, entry) = found else { return nil }
        switch error.code {
        case .deadlineExceeded:
            let isOver = entry.terms.expiresAt.map { $0 <= time } ?? false
            if !isOver { return "write \(number) was given up before it expired" }
        case .unavailable:
            if !entry.terms.isOnlineOnly { return "write \(number) was given up: \(error)" }
        default: return nil
        }
        return entry.isSent ? "write \(number) was given up after it was sent" : nil
    }

    /// A turn stood in which a writer took a write back.
    func takenBack(_ number: Int) -> String? {
        guard let entry = entries[number] else { return "write \(number) was never made" }
        takenOut(number, isKept: false)
        entries[number]?.isTakenBack = true
        return entry.isSent ? "write \(number) was taken back after it was sent" : nil
    }

    /// The documents that a client may show otherwise than the backend had them at a version.
    func keysAhead(of version: SnapshotVersion, for client: Int) -> Set<DocumentKey> {
        var keys: Set<DocumentKey> = []
        for entry in entries.values where entry.client == client && entry.isInQueue {
            let isTold = (entry.isAnswered && entry.commits.allSatisfy { $0 <= version })
            if isTold || entry.isRejected { continue }
            for mutation in entry.mutations.dropLast() { keys.insert(mutation.key) }
        }
        return keys
    }

    /// Writes that were lost, or applied when they should not have been.
    ///
    /// - Parameters:
    ///   - applied: How often the backend's documents say that a write was applied.
    ///   - isDeadLetter: Whether a batch of a client is kept as refused.
    func faults(
        appliedCount applied: (DocumentKey) -> Int, isDeadLetter: (Int, BatchID) -> Bool
    ) -> [String] {
        entries.sorted { $0.key < $1.key }.compactMap { number, entry in
            let count = applied(Self.key(number))
            let commitCount = entry.commits.count
            if count != (isCounted(number) ? commitCount : min(commitCount, 1)) {
                return "write \(number) counts \(count) times, and was applied \(entry.commits)"
            }
            guard let batch = entry.newBatch ?? entry.batch, !entry.isDropped else {
                return nil
            }
            let isApplied = copies?.isApplied(batch, of: entry.client) ?? (count > 0)
            if isApplied || entry.isTold { return nil }
            return isDeadLetter(entry.client, batch) ? nil : "write \(number) is lost"
        }
    }

    // MARK: Marks

    /// The documents that tell how often the writes were applied.
    var keys: [DocumentKey] { entries.keys.sorted().map(Self.key) }

    private static let log = ResourcePath(["log"])

    private static func key(_ number: Int) -> DocumentKey {
        guard let name = try? PathSegment(parsing: "\(number)"),
            let key = DocumentKey(log.appending(name))
        else {
            preconditionFailure("Two segments name a document")
        }
        return key
    }

    /// Whether a write's document is counted up each time, not set to one.
    private func isCounted(_ number: Int) -> Bool { copies == nil || number.isMultiple(of: 2) }

    private func mark(_ number: Int) -> Mutation {
        let key = Self.key(number)
        guard isCounted(number) else {
            return Mutation(key: key, kind: .set(["count": .integer(1)]))
        }
        return Mutation(
            key: key, kind: .patch(.empty, .empty),
            transforms: [
                FieldTransform(field: FieldPath(["count"]), operation: .increment(.integer(1)))
            ])
    }
}
