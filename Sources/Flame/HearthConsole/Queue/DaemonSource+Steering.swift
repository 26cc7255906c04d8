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

    /// The numbers of the batches that an order is about. An order about a whole queue passes over batches that the
    /// order cannot reach: sent batches, or for a release, batches that nobody holds.
    private static func ids(
        of subject: SteerSubject, _ order: SteerOrder, _ database: some ConsoleDatabase
    ) async throws -> [Int64] {
        if case .batches(let ids) = subject { return ids }
        if order.isAboutLetters {
            return try await letters(of: database).letters.filter { isMeant($0, by: subject) }.map(
                \.id)
        }
        guard case .all = subject else {
            throw HearthError.argument(
                "A cause names dead letters; name batches by \"ids\" or \"all\".")
        }
        return try await batches(of: database).batches
            .filter { order == .release ? $0.state == .held : $0.state != .sentUnanswered }.map(
                \.id)
    }

    private static func isMeant(_ letter: DeadLetter, by subject: SteerSubject) -> Bool {
        switch subject {
        case .all: true
        case .cause(let cause): cause == self.cause(of: letter)
        case .batches(let ids): ids.contains(letter.id)
        }
    }

    /// All batches of a queue, up to `ConsoleLimits.letterCountMax`.
    private static func batches(
        of database: some ConsoleDatabase
    ) async throws -> (batches: [PendingBatch], isComplete: Bool) {
        var batches: [PendingBatch] = []
        while true {
            let page = try await database.pendingBatches(
                after: batches.last?.id, limit: ConsoleLimits.steeredCountMax)
            batches += page.batches
            if !page.hasMore || page.batches.isEmpty { return (batches, true) }
            if batches.count >= ConsoleLimits.letterCountMax { return (batches, false) }
        }
    }
}

/// Previews.
extension DaemonSource {
    private static func previewQueue(
        _ order: SteerOrder, _ subject: SteerSubject, _ database: some ConsoleDatabase
    ) async throws -> JSONValue {
        let (batches, isComplete) = try await batches(of: database)
        let ids = try await ids(of: subject, order, database)
        let preview = SteerPreview(order, ids, queue: batches.map(QueuedBatch.init))
        let byID = Dictionary(batches.map { ($0.id, $0) }) { first, _ in first }
        let (status, now) = (try await database.daemonStatus(), Hearth.Timestamp())
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
