import Hearth
import HearthModel
import Synchronization

/// Batches that wait, and rejected ones.
extension DaemonSource {
    /// The queue of a database, a page, oldest first; if the question names a cause, the batches that wait
    /// for this cause alone.
    func queue(_ question: ConsoleQuestion) async throws -> JSONValue {
        let database = try daemon.database(question)
        let status = try await database.daemonStatus()
        let cause = try question.text("cause").map { try WaitingCause(named: $0) }
        let page = try await SiftedPage<PendingBatch>.find(
            after: try question.number("after"), size: try question.pageSize(), number: \.id,
            isMeant: cause.map { cause in { WaitingCause(of: QueuedBatch($0), status) == cause } }
        ) { after, limit in
            let part = try await database.pendingBatches(after: after, limit: limit)
            return (part.batches, part.hasMore)
        }
        let now = Hearth.Timestamp()
        return Self.json(
            of: page, named: "batches", page.items.map { BatchJSON.json(of: $0, status, now: now) })
    }

    /// A page for people, with the number behind which the next page begins.
    private static func json<Item>(
        of page: SiftedPage<Item>, named name: String, _ items: [JSONValue]
    ) -> JSONValue {
        .members([
            name: .array(items), "hasMore": .boolean(page.next != nil),
            "next": page.next.map { JSONValue.integer($0) } ?? .null,
        ])
    }

    /// The waiting batches by what they wait for, the most frequent cause first.
    func waitingCauses(_ question: ConsoleQuestion) async throws -> JSONValue {
        let database = try daemon.database(question)
        let status = try await database.daemonStatus()
        let (batches, isComplete) = try await Self.batches(of: database)
        let counts = Dictionary(grouping: batches) { WaitingCause(of: QueuedBatch($0), status) }
            .mapValues(\.count)
        let causes = WaitingCause.allCases.filter { counts[$0] != nil }
            .sorted { counts[$0, default: 0] > counts[$1, default: 0] }
        return .members([
            "causes": .array(
                causes.map {
                    .members([
                        "cause": .string($0.rawValue), "count": .count(counts[$0, default: 0]),
                    ])
                }),
            "isComplete": .boolean(isComplete),
        ])
    }

    /// The batches of a queue behind a number, up to `ConsoleLimits.letterCountMax`.
    static func batches(
        of database: some ConsoleDatabase, after start: Int64? = nil
    ) async throws -> (batches: [PendingBatch], isComplete: Bool) {
        var batches: [PendingBatch] = []
        while true {
            let page = try await database.pendingBatches(
                after: batches.last?.id ?? start, limit: ConsoleLimits.steeredCountMax)
            batches += page.batches
            if !page.hasMore || page.batches.isEmpty { return (batches, true) }
            if batches.count >= ConsoleLimits.letterCountMax { return (batches, false) }
        }
    }

    /// A batch with its writes.
    func batch(_ question: ConsoleQuestion) async throws -> JSONValue {
        let database = try daemon.database(question)
        let (batch, writes) = try await database.shownBatch(try Self.id(question))
        let status = try await database.daemonStatus()
        return .members([
            "batch": BatchJSON.json(of: batch, status, now: Hearth.Timestamp()), "writes": writes,
        ])
    }

    /// The dead letters, a page, oldest first; if the question names a cause, the letters of this
    /// cause alone.
    func deadLetters(_ question: ConsoleQuestion) async throws -> JSONValue {
        let database = try daemon.database(question)
        let page = try await SiftedPage<DeadLetter>.find(
            after: try question.number("after"), size: try question.pageSize(), number: \.id,
            isMeant: question.text("cause").map { cause in { Self.cause(of: $0) == cause } }
        ) { after, limit in
            let part = try await database.deadLetters(after: after, limit: limit)
            return (part.letters, part.hasMore)
        }
        let now = Hearth.Timestamp()
        return Self.json(
            of: page, named: "letters", page.items.map { BatchJSON.json(of: $0, now: now) })
    }

    /// A dead letter with its writes.
    func letter(_ question: ConsoleQuestion) async throws -> JSONValue {
        let database = try daemon.database(question)
        let (letter, writes) = try await database.shownLetter(try Self.id(question))
        return .members([
            "letter": BatchJSON.json(of: letter, now: Hearth.Timestamp()), "writes": writes,
        ])
    }

    /// The dead letters by their cause, counted anew when the number of letters has changed, or after
    /// `ConsoleLimits.causesTimeMax`.
    func causes(_ question: ConsoleQuestion) async throws -> JSONValue {
        let database = try daemon.database(question)
        let status = try await database.daemonStatus()
        let (name, total) = (Overview.name(of: status), status.deadLetterCount)
        let now = ContinuousClock.now
        if !status.hasUnknownCounts,
            let known = knownCauses.withLock({ $0.json(of: name, total: total, at: now) })
        {
            return known
        }
        let (letters, isComplete) = try await Self.letters(of: database)
        let causes = Dictionary(grouping: letters, by: Self.cause(of:))
        let json = JSONValue.members([
            "causes": .array(
                causes.sorted { $0.value.count > $1.value.count }.map(Self.json(of:))),
            "isComplete": .boolean(isComplete),
        ])
        knownCauses.withLock { $0.note(json, of: name, total: total, at: now) }
        return json
    }

    private static func json(of cause: (key: String, value: [DeadLetter])) -> JSONValue {
        let times = cause.value.map(\.rejectedAt)
        let newest = cause.value.max { $0.rejectedAt < $1.rejectedAt }
        return .members([
            "cause": .string(cause.key), "count": .count(cause.value.count),
            "message": .text(newest?.error.message),
            "oldestRejectedAt": .text(times.min()?.description),
            "newestRejectedAt": .text(times.max()?.description),
            "mayHaveBeenApplied": .count(cause.value.count { $0.error.mayHaveBeenApplied }),
        ])
    }

    /// All dead letters of a database, up to `ConsoleLimits.letterCountMax`.
    static func letters(
        of database: some ConsoleDatabase
    ) async throws -> (letters: [DeadLetter], isComplete: Bool) {
        var letters: [DeadLetter] = []
        while true {
            let page = try await database.deadLetters(
                after: letters.last?.id, limit: ConsoleLimits.steeredCountMax)
            letters += page.letters
            if !page.hasMore || page.letters.isEmpty { return (letters, true) }
            if letters.count >= ConsoleLimits.letterCountMax { return (letters, false) }
        }
    }

    /// The cause of a rejection, as gRPC names codes.
    static func cause(of letter: DeadLetter) -> String {
        told(letter.error.code, "").code.name
    }

    private static func id(_ question: ConsoleQuestion) throws(HearthError) -> Int64 {
        guard let id = try question.number("id") else {
            throw .argument("The request lacks \"id\", the number of a batch.")
        }
        return id
    }
}
