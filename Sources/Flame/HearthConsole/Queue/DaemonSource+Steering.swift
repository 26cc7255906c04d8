import Hearth
import HearthModel

/// Orders about batches, and what would follow from them.
extension DaemonSource {
    /// Gives an order, or looks ahead at it.
    func steer(_ question: ConsoleQuestion) async throws -> JSONValue {
        guard let order = SteerOrder(rawValue: try question.needed("order")) else {
            throw HearthError.argument(
                "\"order\" is one of \(SteerOrder.allCases.map(\.rawValue).joined(separator: ", "))."
            )
        }
        let database = try daemon.database(question)
        if order == .retry {
            try await database.retryBackend()
            return Self.done(0)
        }
        let subject = try SteerSubject(question.body)
        let evenIfApplied = question.body?["evenIfApplied"]?.boolean ?? false
        if question.body?["preview"]?.boolean == true {
            return order.isAboutLetters
                ? try await Self.previewLetters(order, subject, evenIfApplied, database)
                : try await Self.previewQueue(order, subject, database)
        }
        if order.isEdit {
            return try await edit(order, subject, question, evenIfApplied, database)
        }
        return try await Self.carryOut(order, subject, evenIfApplied, database)
    }

    private static func done(_ count: Int, _ newIDs: [Int64: Int64] = [:]) -> JSONValue {
        let ids = newIDs.sorted { $0.key < $1.key }
            .map { JSONValue.Member(name: "\($0.key)", value: .integer($0.value)) }
        return .members(["done": .members(["count": .count(count), "newIDs": .object(ids)])])
    }

    private func edit(
        _ order: SteerOrder, _ subject: SteerSubject, _ question: ConsoleQuestion,
        _ evenIfApplied: Bool, _ database: some ConsoleDatabase
    ) async throws -> JSONValue {
        guard case .batches(let ids) = subject, ids.count == 1, let id = ids.first else {
            throw HearthError.argument("One batch is edited at a time; name it in \"ids\".")
        }
        let writes = question.body?["writes"]
        guard order == .editDeadLetter else {
            try await database.edit(id, to: writes)
            return Self.done(1)
        }
        let new = try await database.editLetter(id, to: writes, evenIfApplied: evenIfApplied)
        return Self.done(1, [id: new])
    }

    private static func carryOut(
        _ order: SteerOrder, _ subject: SteerSubject, _ evenIfApplied: Bool,
        _ database: some ConsoleDatabase
    ) async throws -> JSONValue {
        let ids = try await ids(of: subject, order, database)
        var (done, newIDs) = (0, [Int64: Int64]())
        for start in stride(from: 0, to: ids.count, by: ConsoleLimits.steeredCountMax) {
            let part = Array(ids[start..<min(start + ConsoleLimits.steeredCountMax, ids.count)])
            do {
                newIDs.merge(try await give(order, part, evenIfApplied, database)) { $1 }
            } catch  where done > 0 {
                let error = told(error)
                throw HearthError(
                    code: error.code, message: "\(done) were done. Then: \(error.message)")
            }
            done += part.count
        }
        return Self.done(done, newIDs)
    }

    private static func give(
        _ order: SteerOrder, _ ids: [Int64], _ evenIfApplied: Bool, _ database: some ConsoleDatabase
    ) async throws -> [Int64: Int64] {
        switch order {
        case .hold: try await database.holdPendingBatches(ids)
        case .release: try await database.releasePendingBatches(ids)
        case .cancel: try await database.cancelPendingBatches(ids)
        case .drop: try await database.dropPendingBatches(ids)
        case .dropDeadLetters: try await database.dropDeadLetters(ids)
        case .retryDeadLetters:
            return try await database.retryDeadLetters(ids, evenIfApplied: evenIfApplied)
        case .edit, .editDeadLetter, .retry: break
        }
        return [:]
    }

    /// The numbers of the batches that an order is about, however many there are.
    private static func ids(
        of subject: SteerSubject, _ order: SteerOrder, _ database: some ConsoleDatabase
    ) async throws -> [Int64] {
        if let named = subject.named { return named }
        if order.isAboutLetters { return try await letterIDs(of: subject, database) }
        let status = try await database.daemonStatus()
        let isMeant = try selection(of: subject, order, status)
        var (ids, after) = ([Int64](), Int64?.none)
        while true {
            let page = try await database.pendingBatches(
                after: after, limit: ConsoleLimits.steeredCountMax)
            ids += page.batches.filter(isMeant).map(\.id)
            guard page.hasMore, let last = page.batches.last else { return ids }
            after = last.id
        }
    }

    private static func letterIDs(
        of subject: SteerSubject, _ database: some ConsoleDatabase
    ) async throws -> [Int64] {
        var (ids, after) = ([Int64](), Int64?.none)
        while true {
            let page = try await database.deadLetters(
                after: after, limit: ConsoleLimits.steeredCountMax)
            ids += page.letters.filter { isMeant($0, by: subject) }.map(\.id)
            guard page.hasMore, let last = page.letters.last else { return ids }
            after = last.id
        }
    }

    /// Whether an order is about a batch that waits. An order about a whole queue, or a cause, passes over batches
    /// that the order cannot reach: sent batches, or for a release, batches that nobody holds.
    ///
    /// - Throws: `HearthError` `invalidArgument` if no batch can wait for the cause.
    private static func selection(
        of subject: SteerSubject, _ order: SteerOrder, _ status: DaemonStatus
    ) throws(HearthError) -> (PendingBatch) -> Bool {
        let isReached: (PendingBatch) -> Bool = { batch in
            order == .release ? batch.state == .held : batch.state != .sentUnanswered
        }
        switch subject {
        case .all: return isReached
        case .cause(let name):
            let cause = try WaitingCause(named: name)
            return { isReached($0) && WaitingCause(of: QueuedBatch($0), status) == cause }
        case .batches(let ids):
            let named = Set(ids)
            return { named.contains($0.id) }
        }
    }

    private static func isMeant(_ letter: DeadLetter, by subject: SteerSubject) -> Bool {
        switch subject {
        case .all: true
        case .cause(let cause): cause == self.cause(of: letter)
        case .batches(let ids): ids.contains(letter.id)
        }
    }
}

/// Previews.
extension DaemonSource {
    private static func previewQueue(
        _ order: SteerOrder, _ subject: SteerSubject, _ database: some ConsoleDatabase
    ) async throws -> JSONValue {
        let (status, now) = (try await database.daemonStatus(), Hearth.Timestamp())
        let isMeant = try selection(of: subject, order, status)
        // An order moves no batch in front of the first batch that the order names.
        let (batches, isComplete) = try await batches(of: database, after: subject.front)
        let ids = subject.named ?? batches.filter(isMeant).map(\.id)
        let preview = SteerPreview(order, ids, queue: batches.map(QueuedBatch.init))
        let byID = Dictionary(batches.map { ($0.id, $0) }) { first, _ in first }
        return json(of: preview, isComplete: isComplete) { id in
            byID[id].map { BatchJSON.json(of: $0, status, now: now) }
        }
    }

    private static func previewLetters(
        _ order: SteerOrder, _ subject: SteerSubject, _ evenIfApplied: Bool,
        _ database: some ConsoleDatabase
    ) async throws -> JSONValue {
        let (letters, isComplete) = try await letters(of: database)
        let meant = letters.filter { isMeant($0, by: subject) }
        var missing: [Int64] = []
        if case .batches(let ids) = subject {
            let found = Set(meant.map(\.id))
            missing = ids.filter { !found.contains($0) }
        }
        let preview = SteerPreview(
            order, letters: meant.map { ($0.id, $0.error.mayHaveBeenApplied) }, missing: missing,
            evenIfApplied: evenIfApplied)
        let byID = Dictionary(meant.map { ($0.id, $0.batch) }) { first, _ in first }
        let now = Hearth.Timestamp()
        return json(of: preview, isComplete: isComplete) { id in
            byID[id].map { BatchJSON.json(of: $0, nil, now: now) }
        }
    }

    private static func json(
        of preview: SteerPreview, isComplete: Bool, _ batch: (Int64) -> JSONValue?
    ) -> JSONValue {
        let countMax = ConsoleLimits.previewCountMax
        return .members([
            "preview": .members([
                "batches": .array(preview.reached.prefix(countMax).compactMap(batch)),
                "also": .array(preview.also.prefix(countMax).compactMap(batch)),
                "refused": .array(
                    preview.refused.prefix(countMax).map {
                        .members(["id": .integer($0.id), "reason": .string($0.reason)])
                    }),
                "sentences": .texts(preview.sentences), "isComplete": .boolean(isComplete),
            ])
        ])
    }
}
