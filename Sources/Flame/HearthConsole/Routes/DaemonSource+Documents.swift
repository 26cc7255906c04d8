import Hearth
import HearthModel

/// Collections and documents.
extension DaemonSource {
    /// The collections that the cache knows, a page; or those right below a document that the backend lists.
    func collections(_ question: ConsoleQuestion) async throws -> JSONValue {
        let (firestore, _) = try daemon.firestore(question)
        let below = try question.path("below")
        let list =
            if try Self.source(question, .cache) == .cache {
                try await firestore.cachedCollections(
                    below: below, after: try question.path("after"),
                    countMax: try question.pageSize())
            } else {
                try await firestore.backendCollections(below: below)
            }
        return .members([
            "collections": .texts(list.paths.map(\.string)), "hasMore": .boolean(list.hasMore),
        ])
    }

    /// The documents of a collection in the order of their ids, a page.
    func documents(_ question: ConsoleQuestion) async throws -> JSONValue {
        let (firestore, id) = try daemon.firestore(question)
        let (query, size) = try question.collectionPage(in: id)
        let answer = try await read(query, of: firestore, try Self.source(question, .cache))
        let documents = answer.documents.prefix(size)
        let next = answer.documents.count > size ? documents.last?.documentID : nil
        return try await Self.json(of: documents, answer, firestore)
            .adding("next", .text(next))
    }

    /// A query by form, with its plan and its time.
    func query(_ question: ConsoleQuestion) async throws -> JSONValue {
        let (firestore, id) = try daemon.firestore(question)
        let size = ConsoleLimits.pageSizeMax
        let query = try QueryJSON.query(question.body?["query"], limitMax: size + 1, in: id)
        let answer = try await read(query, of: firestore, try Self.source(question, .cache))
        let plan = try await firestore.query(query).explain()
        return try await Self.json(of: answer.documents.prefix(size), answer, firestore)
            .adding("hasMore", .boolean(answer.documents.count > size))
            .adding("plan", Self.json(of: plan))
    }

    private static func json(of plan: QueryExplanation) -> JSONValue {
        .members([
            "plan": .string(plan.plan), "indexes": .texts(plan.indexes),
            "examined": .count(plan.examinedCount), "matched": .count(plan.matchedCount),
            "why": .string(plan.why),
        ])
    }

    /// One document with the writes that wait for the document.
    func document(_ question: ConsoleQuestion) async throws -> JSONValue {
        let (firestore, id) = try daemon.firestore(question)
        let key = try MutationJSON.key(try question.needed("path"), in: id)
        let source = try Self.source(question, .cache)
        let reference = firestore.document(key.path.string)
        let found = try await Self.found(reference, source)
        let description = try await Self.unlessDenied { try await reference.describe() }
        let status = try await firestore.daemonStatus()
        let now = Hearth.Timestamp()
        return .members([
            "document": DocumentJSON.json(
                of: key, found?.model, isFromCache: found?.metadata.isFromCache ?? true,
                writers: description?.pendingBatches),
            "state": .text(description?.state.rawValue),
            "updatedAt": .text(description?.updatedAt?.description),
            "readAt": .text(description?.readAt?.description),
            "isHeldByQuery": description.map { .boolean($0.isHeldByQuery) } ?? .null,
            "pending": description.map {
                .array($0.pendingBatches.map { BatchJSON.json(of: $0, status, now: now) })
            } ?? .null,
        ])
    }

    /// A document; `nil` if the cache alone may answer and knows nothing of it.
    private static func found(
        _ reference: DocumentReference, _ source: FirestoreSource
    ) async throws -> DocumentSnapshot? {
        do {
            return try await reference.getDocument(source: source)
        } catch let error as FirestoreError where error.code == .unavailable && source == .cache {
            // The cache gives this error for a document that the cache never saw. If the daemon is
            // gone instead, the next question fails too.
            return nil
        }
    }

    /// Writes. The page hears of the write when the write is durable on this machine.
    func write(_ question: ConsoleQuestion) async throws -> JSONValue {
        let (firestore, id) = try daemon.firestore(question)
        let mutations = try MutationJSON.mutations(question.body?["writes"], in: id)
        let batch = try await firestore.accept(mutations)
        return .members(["batch": .integer(batch), "state": .string("accepted")])
    }

    /// Where a read may look.
    static func source(
        _ question: ConsoleQuestion, _ standard: FirestoreSource
    ) throws(HearthError) -> FirestoreSource {
        switch question.text("source") {
        case nil: standard
        case "cache": .cache
        case "server": .server
        case "default": .default
        default: throw .argument("\"source\" is cache, server or default.")
        }
    }

    /// An answer, or `nil` for who may not see it.
    static func unlessDenied<Answer: Sendable>(
        _ ask: () async throws -> Answer
    ) async throws -> Answer? {
        do {
            return try await ask()
        } catch let error as FirestoreError where error.code == .permissionDenied {
            return nil
        } catch let error as DatabaseError where error.code == .permissionDenied {
            return nil
        }
    }
}

/// A query's documents, and how long the answer took.
struct QueryAnswer: Sendable {
    /// The documents in the order of the query.
    let documents: [QueryDocumentSnapshot]
    /// Where the documents come from, and whether something waits.
    let metadata: SnapshotMetadata
    /// How long the answer took, seen from the console.
    let duration: Duration
}

extension DaemonSource {
    /// Reads a query once.
    func read(
        _ query: HearthModel.Query, of firestore: Firestore, _ source: FirestoreSource
    ) async throws -> QueryAnswer {
        let clock = ContinuousClock()
        let start = clock.now
        let snapshot = try await firestore.query(query).getDocuments(source: source)
        return QueryAnswer(
            documents: snapshot.documents, metadata: snapshot.metadata,
            duration: start.duration(to: clock.now))
    }

    /// Documents with the facts about their answer.
    static func json(
        of documents: ArraySlice<QueryDocumentSnapshot>, _ answer: QueryAnswer,
        _ firestore: Firestore
    ) async throws -> JSONValue {
        .members([
            "documents": .array(
                try await json(
                    of: documents.compactMap(\.model), isFromCache: answer.metadata.isFromCache,
                    firestore)),
            "isFromCache": .boolean(answer.metadata.isFromCache),
            "hasPendingWrites": .boolean(answer.metadata.hasPendingWrites),
            "durationSeconds": .seconds(answer.duration),
        ])
    }

    /// Documents, the pending ones with who wrote them.
    ///
    /// - Complexity: One question to the daemon for each pending document, up to
    ///   `ConsoleLimits.writerLookupCountMax`.
    static func json(
        of documents: [Document], isFromCache: Bool, _ firestore: Firestore
    ) async throws -> [JSONValue] {
        let pending = documents.filter(\.hasPendingWrites)
            .prefix(ConsoleLimits.writerLookupCountMax)
        var writers: [DocumentKey: [PendingBatch]] = [:]
        for document in pending {
            let reference = firestore.document(document.key.path.string)
            let description = try await unlessDenied { try await reference.describe() }
            guard let description else { break }  // Nor will the others be told.
            writers[document.key] = description.pendingBatches
        }
        return documents.map {
            DocumentJSON.json(of: $0.key, $0, isFromCache: isFromCache, writers: writers[$0.key])
        }
    }
}
