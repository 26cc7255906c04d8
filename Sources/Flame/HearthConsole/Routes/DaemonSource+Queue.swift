import Hearth
import HearthModel

/// Batches that wait, and rejected ones.
extension DaemonSource {
    /// The queue of a database, a page, oldest first; if the question names a cause, the batches that wait
    /// for this cause alone.
    func queue(_ question: ConsoleQuestion) async throws -> JSONValue {
        let database = try daemon.database(question)
        let status = try await database.daemonStatus()
        let page = try await Self.page(of: database, question, status)
        let now = Hearth.Timestamp()
        return .members([
            "batches": .array(page.batches.map { BatchJSON.json(of: $0, status, now: now) }),
            "hasMore": .boolean(page.hasMore),
        ])
    }

    /// A page of a queue. For a rare cause no more than `ConsoleLimits.letterCountMax` batches are looked at.
    private static func page(
        of database: some ConsoleDatabase, _ question: ConsoleQuestion, _ status: DaemonStatus
    ) async throws -> (batches: [PendingBatch], hasMore: Bool) {
        let (start, size) = (try question.number("after"), try question.pageSize())
        guard let cause = try question.text("cause").map({ try WaitingCause(named: $0) }) else {
            return try await database.pendingBatches(after: start, limit: size)
        }
        let found = try await batches(of: database, after: start).batches
            .filter { WaitingCause(of: QueuedBatch($0), status) == cause }
        return (Array(found.prefix(size)), found.count > size)
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
        let size = try question.pageSize()
        let cause = question.text("cause")
        var after = try question.number("after")
        var found: [DeadLetter] = []
        var hasMore = true
        while hasMore, found.count < size {
            let page = try await database.deadLetters(after: after, limit: size)
            after = page.letters.last?.id
            hasMore = page.hasMore && after != nil
            found += page.letters.filter { cause == nil || Self.cause(of: $0) == cause }
        }
        let now = Hearth.Timestamp()
        return .members([
            "letters": .array(found.prefix(size).map { BatchJSON.json(of: $0, now: now) }),
            "hasMore": .boolean(hasMore || found.count > size),
        ])
    }

    /// A dead letter with its writes.
    func letter(_ question: ConsoleQuestion) async throws -> JSONValue {
        let database = try daemon.database(question)
        let (letter, writes) = try await database.shownLetter(try Self.id(question))
        return .members([
            "letter": BatchJSON.json(of: letter, now: Hearth.Timestamp()), "writes": writes,
        ])
    }

    /// The dead letters by their cause.
    func causes(_ question: ConsoleQuestion) async throws -> JSONValue {
        let (letters, isComplete) = try await Self.letters(of: try daemon.database(question))
        let causes = Dictionary(grouping: letters, by: Self.cause(of:))
        return .members([
            "causes": .array(
                causes.sorted { $0.value.count > $1.value.count }.map(Self.json(of:))),
            "isComplete": .boolean(isComplete),
        ])
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
