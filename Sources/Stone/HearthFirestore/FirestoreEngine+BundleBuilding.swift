import HashTreeCollections
import HearthEngine
import HearthModel

extension FirestoreEngine {
    /// The largest bundle that the engine builds, in bytes: a bundle must fit into one answer.
    static let builtBundleByteCountMax = 32 << 20

    /// Builds a bundle from the backend's answers about queries and documents.
    ///
    /// The bundle has no local writes. A query that the backend has answered whole carries the time
    /// of that answer, and a listener elsewhere goes on from there. For a query without a whole
    /// answer the bundle has the documents in the cache, and a listener elsewhere starts anew.
    mutating func buildBundle(
        _ id: RequestID, _ order: BundleOrder, _ turn: inout Turn
    ) throws(StoreError) {
        let store = turn.store
        if let error = Self.refusal(of: order) {
            turn.effects.actions.append(.refuse(id, error))
            return
        }
        var plan = BundlePlan()
        for entry in order.queries {
            let (documents, readAt) = try remoteResults(of: entry.query, store)
            plan.add(entry, documents, readAt: readAt)
        }
        for key in order.documents {
            let document = try store.remoteDocument(key)
            guard document.isFound || document.isMissing else {
                let message =
                    "\"\(key)\" is not in the cache, so it cannot be in a bundle. Read it first."
                turn.effects.actions.append(
                    .refuse(id, HearthError(code: .notFound, message: message)))
                return
            }
            plan.add(document)
        }
        let bytes = plan.bytes(named: order.id, builtAt: turn.now, in: configuration.database)
        guard bytes.count <= Self.builtBundleByteCountMax else {
            let message =
                "The bundle would have \(bytes.count) bytes; \(Self.builtBundleByteCountMax) is "
                + "the limit. Divide it."
            turn.effects.actions.append(
                .refuse(id, HearthError(code: .resourceExhausted, message: message)))
            return
        }
        turn.effects.actions.append(.result(id, .bundle(bytes)))
    }

    /// The documents of a query without local writes, in its order, and as of when.
    private func remoteResults(
        of query: Query, _ store: any FirestoreTransaction
    ) throws(StoreError) -> ([Document], SnapshotVersion) {
        let stored = try store.targetData(for: query.target)
        let data = stored.flatMap { local.targets[$0.id] } ?? stored
        guard let data, data.limboFreeVersion > .zero else {
            let found = try store.remoteDocuments(DocumentScan(query: query)).documents.values
            let sorted = query.order.sorted(found.filter { query.matches($0) })
            guard let limit = query.limit else { return (sorted, .zero) }
            let cut =
                limit.end == .first ? sorted.prefix(limit.count) : sorted.suffix(limit.count)
            return (Array(cut), .zero)
        }
        let keys = try store.keys(of: data.id)
        let documents = try store.remoteDocuments(keys).values.filter {
            $0.isFound && query.matches($0)
        }
        return (query.order.sorted(documents), data.limboFreeVersion)
    }

    private static func refusal(of order: BundleOrder) -> HearthError? {
        func invalid(_ message: String) -> HearthError {
            HearthError(code: .invalidArgument, message: message)
        }
        if order.id.isEmpty { return invalid("A bundle needs a name.") }
        var names: Set<UTF8Text> = []
        for entry in order.queries {
            do {
                try entry.query.validate()
            } catch {
                return error
            }
            if entry.query.documentKey != nil {
                return invalid("\"\(entry.name)\" is a single document and no query.")
            }
            if !names.insert(UTF8Text(entry.name)).inserted {
                return invalid("Two queries cannot have one name, \"\(entry.name)\".")
            }
        }
        return nil
    }
}

/// What goes into a bundle, gathered before its age is known.
private struct BundlePlan {
    private var queries: [(entry: BundleOrder.Entry, readAt: SnapshotVersion)] = []
    private var documents: [(document: Document, queries: [String])] = []
    private var latestReadAt = SnapshotVersion.zero

    mutating func add(
        _ entry: BundleOrder.Entry, _ documents: [Document], readAt: SnapshotVersion
    ) {
        queries.append((entry, readAt))
        latestReadAt = max(latestReadAt, readAt)
        for document in documents { add(document, of: [entry.name]) }
    }

    mutating func add(_ document: Document, of queries: [String] = []) {
        let plain = Self.plain(document)
        documents.append((plain, queries))
        latestReadAt = max(latestReadAt, plain.readAt)
    }

    /// The bundle's bytes, created at `builtAt`, or at the newest read time in the bundle if later.
    func bytes(named id: String, builtAt: Timestamp, in database: DatabaseID) -> [UInt8] {
        var writer = BundleWriter(
            id: id, createdAt: max(SnapshotVersion(builtAt), latestReadAt), database: database)
        for (entry, readAt) in queries {
            let isNew = writer.add(entry.query, named: entry.name, readAt: readAt)
            precondition(isNew, "Two queries of one name were let through")
        }
        for (document, queries) in documents { writer.add(document, queries: queries) }
        return writer.bytes
    }

    /// The document as the backend tells it: an acknowledged write is the backend's too.
    private static func plain(_ document: Document) -> Document {
        var plain =
            document.isFound
            ? Document.found(
                document.key, at: document.version, document.fields,
                createdAt: document.createdAt)
            : Document.missing(document.key, at: document.version)
        plain.readAt = max(document.readAt, document.version)
        return plain
    }
}
