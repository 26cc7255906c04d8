import HearthBackend
import HearthConsole
import HearthEmulator
import HearthModel

/// Collections and documents.
extension EmulatorSource {
    /// The collections that hold documents, a page.
    func collections(_ question: ConsoleQuestion) async throws -> JSONValue {
        let view = try await desk.view(of: try database(question))
        let after = try question.path("after")
        let size = try question.pageSize()
        let paths = view.documents.collections(below: try question.path("below"))
            .filter { after.isEmpty || after < $0 }.lazy
            .filter { view.documents.holdsDocuments(collection: $0, at: view.moment) }
            .prefix(size + 1)
        let page = Array(paths)
        return .members([
            "collections": .texts(page.prefix(size).map(\.string)),
            "hasMore": .boolean(page.count > size),
        ])
    }

    /// The documents of a collection in the order of their ids, a page.
    func documents(_ question: ConsoleQuestion) async throws -> JSONValue {
        let id = try database(question)
        let (query, size) = try question.collectionPage(in: id)
        let found = try await found(query, in: id)
        let next = found.count > size ? found[size - 1].key.documentID : nil
        return Self.json(found.prefix(size)).adding("next", .text(next))
    }

    /// A query by form, with its time.
    func query(_ question: ConsoleQuestion) async throws -> JSONValue {
        let id = try database(question)
        let size = ConsoleLimits.pageSizeMax
        let query = try QueryJSON.query(question.body?["query"], limitMax: size + 1, in: id)
        let clock = ContinuousClock()
        let start = clock.now
        let found = try await found(query, in: id)
        return Self.json(found.prefix(size))
            .adding("durationSeconds", .seconds(start.duration(to: clock.now)))
            .adding("hasMore", .boolean(found.count > size))
    }

    /// One document.
    func document(_ question: ConsoleQuestion) async throws -> JSONValue {
        let id = try database(question)
        let key = try MutationJSON.key(try question.needed("path"), in: id)
        let document = try await desk.view(of: id).document(key)
        return .members(["document": DocumentJSON.json(of: key, document, isFromCache: false)])
    }

    /// Makes writes, all or none, as the owner.
    func write(_ question: ConsoleQuestion) async throws -> JSONValue {
        let id = try database(question)
        let mutations = try MutationJSON.mutations(question.body?["writes"], in: id)
        try await desk.commit(mutations, in: id)
        return .members(["batch": .null, "state": .string("committed")])
    }

    /// Tells the documents of a query, and then each change.
    func runDocuments(_ question: ConsoleQuestion, _ outlet: EventOutlet) async throws {
        let id = try database(question)
        let query = try QueryJSON.query(
            try question.json("query"), limitMax: ConsoleLimits.pageSizeMax, in: id)
        let follower = desk.follow(.query(query.target.structuredQuery), in: id)
        var told = ToldDocuments()
        for await _ in follower.wakes {
            try follower.take()
            if let event = told.event(for: try await found(query, in: id)) {
                guard await outlet.send("documents", JSONWriter.bytes(of: event)) else { return }
            }
            try await Task.sleep(for: Self.eventInterval)
        }
    }

    /// Tells one document, and then each change of it.
    func runDocument(_ question: ConsoleQuestion, _ outlet: EventOutlet) async throws {
        let id = try database(question)
        let key = try MutationJSON.key(try question.needed("path"), in: id)
        let follower = desk.follow(.documents([key]), in: id)
        for await _ in follower.wakes {
            try follower.take()
            let document = try await desk.view(of: id).document(key)
            let json = DocumentJSON.json(of: key, document, isFromCache: false)
            guard await outlet.send("document", JSONWriter.bytes(of: json)) else { return }
        }
    }

    /// The documents of a query in its order.
    private func found(_ query: Query, in id: DatabaseID) async throws -> [Document] {
        let documents = try await desk.documents(query.target.structuredQuery, in: id)
        return query.limit?.end == .last ? documents.reversed() : documents
    }

    private static func json(_ documents: ArraySlice<Document>) -> JSONValue {
        .members([
            "documents": .array(
                documents.map { DocumentJSON.json(of: $0.key, $0, isFromCache: false) }),
            "isFromCache": .boolean(false), "hasPendingWrites": .boolean(false),
        ])
    }
}
