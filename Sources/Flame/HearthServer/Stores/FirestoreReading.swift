import HearthEngine
import HearthFirestore
import HearthModel
import HearthSQLite
import HearthStore
import HearthWire

/// Reads the open store of a Firestore database for operators.
final class FirestoreReading: StoreReading {
    /// The readers of the store.
    let readers = OpenReaders<FirestoreContent>()

    func figures() throws(StoreError) -> StoreFigures {
        guard let pool = readers.current else { return StoreFigures() }
        let counts = try pool.read { reader throws(StoreError) in try reader.counts() }.value
        var figures = StoreFigures()
        figures.queueBatchCount = counts.batchCount
        figures.heldBatchCount = counts.heldBatchCount
        figures.oldestWrittenAt = counts.oldestWrittenAt
        figures.deadLetterCount = counts.deadLetterCount
        figures.targetCount = counts.targetCount
        figures.documentCount = counts.documentCount
        figures.byteCount = counts.cacheByteCount
        figures.history = counts.history
        return figures
    }

    func report(on inquiry: Inquiry) throws(StoreError) -> Report? {
        switch inquiry {
        case .queue(let page): .queue(try queue(page))
        case .deadLetters(let page): .deadLetters(try deadLetters(page))
        case .collections(let page): .collections(try list(page))
        case .document(let document): .document(try description(of: document))
        case .history(let question): .history(try history(question))
        case .children, .status, .inspection, .ledger: nil
        }
    }

    private func queue(_ page: Inquiry.BatchPage) throws(StoreError) -> QueuePage {
        try readers.read { reader throws(StoreError) in
            let countMax = page.countBound
            let entries = try reader.queuedBatches(after: page.after, count: countMax + 1)
            let part = PageBudget.part(of: entries, countMax: countMax, byteCount: \.byteCount)
            return QueuePage(
                batches: try reader.list(part, withWrites: page.withWrites),
                hasMore: part.count < entries.count)
        }
    }

    private func deadLetters(_ page: Inquiry.BatchPage) throws(StoreError) -> DeadLetterPage {
        try readers.read { reader throws(StoreError) in
            var letters = try DeadLetterPage(page) { last throws(StoreError) in
                guard let letter = try reader.deadLetters(after: last, count: 1).first else {
                    return nil
                }
                let byteCount = try reader.deadLetterByteCount(letter.batch.batch.id)
                return DeadLetterPage.Letter(
                    batch: QueuePage.Batch(
                        letter.batch, byteCount: byteCount, withWrites: page.withWrites),
                    error: letter.error, rejectedAt: letter.rejectedAt,
                    mayHaveBeenApplied: letter.mayHaveBeenApplied)
            }
            let first = letters.letters.first?.batch.id
            if let wanted = page.fateWanted(besides: first) {
                letters.fate = try reader.fate(of: wanted)
            }
            return letters
        }
    }

    private func list(
        _ page: Inquiry.CollectionPage
    ) throws(StoreError) -> Report.CollectionList {
        try readers.read { reader throws(StoreError) in
            let countMax = page.countBound
            let found = try reader.collections(
                below: page.below, after: page.after, count: countMax + 1)
            return Report.CollectionList(
                paths: Array(found.prefix(countMax)), hasMore: found.count > countMax)
        }
    }

    private func description(of document: DocumentKey) throws(StoreError) -> DocumentDescription {
        try readers.read { reader throws(StoreError) in
            let countMax = WireLimits.pageBatchCountMax
            let entries = try reader.queuedBatches(writingTo: document, count: countMax + 1)
            let part = PageBudget.part(of: entries, countMax: countMax, byteCount: \.byteCount)
            var description = DocumentDescription(
                try reader.remoteDocument(document),
                isInTarget: try reader.isInAnyTarget(document),
                batches: try reader.list(part, withWrites: false))
            description.hasMoreBatches = part.count < entries.count
            return description
        }
    }

    private func history(_ question: HistoryQuestion) throws(StoreError) -> HistoryPage {
        var page = try readers.read { reader throws(StoreError) in try reader.history(question) }
        page.entries = page.entries.map(\.told)
        return page
    }

    /// Answers the question of a survey, on a thread of its own.
    ///
    /// - Parameter room: Where the survey has room for what it holds.
    /// - Throws: `StoreError` if what was accepted before cannot be seen, or the store cannot be read.
    func answer(
        _ order: SurveyOrder, in room: any SurveyRoom,
        while isWanted: @escaping @Sendable () -> Bool
    ) throws(StoreError) -> SurveyOutcome {
        guard let pool = readers.current, pool.showsAllWrites(attemptCountMax: 3)
        else {
            throw .io("accepted writes wait that cannot be committed to the database now")
        }
        return try pool.read { reader throws(StoreError) in
            // Only here: before, the thread may hold what the engine waits for.
            OwnThread.stepBack()
            return try reader.answer(order, in: room, while: isWanted)
        }.value
    }

    func copy(to path: String) throws(StoreError) -> StoreCopy { try readers.copy(to: path) }
}

extension StoreReader {
    /// Queued batches with their writes and the held batches in front.
    fileprivate func list(
        _ entries: ArraySlice<QueueEntry>, withWrites: Bool
    ) throws(StoreError) -> [QueuePage.Batch] {
        let held = try firstHeldBatches()
        var batches: [QueuePage.Batch] = []
        for entry in entries {
            guard let queued = try queuedBatch(entry.id) else { continue }
            var batch = QueuePage.Batch(
                queued, byteCount: entry.byteCount, withWrites: withWrites)
            batch.terms = try terms(of: entry.id) ?? SendingTerms()
            batch.heldBy = held[entry.user].flatMap { $0 < entry.id ? $0 : nil }
            batches.append(batch)
        }
        return batches
    }
}

extension QueuePage.Batch {
    /// A batch as operators are shown it.
    fileprivate init(_ queued: QueuedBatch, byteCount: Int, withWrites: Bool) {
        let keys = PageBudget.part(of: queued.batch.keys) { $0.path.string.utf8.count }
        self.init(
            id: queued.batch.id, state: queued.state, writtenAt: queued.batch.writtenAt,
            byteCount: byteCount, writer: queued.writer,
            content: .documents(Array(keys), withWrites ? queued.batch.mutations : []))
        user = queued.user
        demands = Array(
            queued.batch.mutations.lazy
                .filter { $0.precondition != .none }
                .map { Demand($0.key, $0.precondition) }.prefix(Self.demandCountMax))
    }
}
