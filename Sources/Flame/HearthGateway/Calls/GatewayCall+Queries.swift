import HearthBackend
import HearthFirestore
import HearthModel
import HearthProtocol
import HearthRPC
import HearthServer
import HearthWire
import NIOCore

/// RunQuery.
extension GatewayCall {
    /// Answers with the results of a query.
    ///
    /// What the engine has no word for (explanations, nearest neighbours, all collections at once,
    /// transactions) is the backend's.
    func runQuery(_ bytes: ByteBuffer) throws(HearthError) {
        let request: ProtoRunQueryRequest = try Self.read(bytes)
        guard case .structuredQuery(let proto)? = request.queryType else {
            throw .argument("only structured queries are supported")
        }
        guard request.isOfNow, !proto.hasFindNearest, !request.hasExplainOptions else {
            return try forward(.runQuery, bytes)
        }
        let query = try checkedQuery(proto, below: request.parent)
        guard let split = QuerySplit(query) else { return try forward(.runQuery, bytes) }
        try session.check(.read, AccessScope(split.query))
        // A view that judges otherwise than the backend would look up the difference for ever.
        if !split.isJudgedAlike, firstSource != .cache, session.unreachable == nil {
            let way = cacheWay("The result of this query", split.query) { snapshot in
                answer(snapshot, split)
            }
            return forwardAfterOwnWrites(.runQuery, bytes, or: way)
        }
        readQuery(split.query) { answer($0, split) }
    }

    /// Reads a query, and checks it by the backend's rules in the backend's words.
    func checkedQuery(
        _ proto: ProtoStructuredQuery, below parent: String
    ) throws(HearthError) -> StructuredQuery {
        let (database, path) = try NameReader.parent(parent)
        let query = try RequestReader(database: database).query(proto, parent: path)
        _ = try QueryPlan(query, in: database)
        return query
    }

    /// How the cache answers a query that the backend does not answer: with a result that the backend
    /// told whole.
    ///
    /// - Parameters:
    ///   - what: What the cache may not know, at the head of a sentence.
    ///   - take: Answers with the results.
    func cacheWay(
        _ what: String, _ query: Query,
        then take: @escaping (ViewSnapshot) throws(HearthError) -> Void
    ) -> CacheFallback.Way {
        CacheFallback.Way(what: what) { fallback in
            ask({ .get($0, query, .cache) }) { delivery in
                switch delivery {
                case .answer(_, let shared):
                    let snapshot = shared.snapshot
                    let isKnown =
                        snapshot.readAt != .zero && snapshot.lostCount == 0
                        || takesIncompleteAnswers && fallback.hasFailed
                    guard isKnown else {
                        fallback.isUnknown()
                        break
                    }
                    guard fallback.claim() else { break }
                    orFail { () throws(HearthError) in
                        try stream.keep(result: shared.wholeByteCount)
                        try take(snapshot)
                    }
                case .refuse: fallback.isUnknown()
                case .snapshot, .fail, .inSync, .accept, .settle, .complete, .loaded, .found,
                    .explained, .indexes, .result:
                    preconditionFailure("A query is not answered by \(delivery)")
                }
                return false
            }
        }
    }

    /// Answers with a query's results, behind its offset.
    private func answer(_ snapshot: ViewSnapshot, _ split: QuerySplit) {
        let results = snapshot.documents.documents
        let marks = Marks(showing: results, isFromCache: snapshot.isFromCache)
        let readTime = marks.readTime(heard: snapshot.readAt, showing: results)
        let answers = QueryAnswers(results, split, codec: codec, readTime: readTime)
        answer(answers, marks, asOf: readTime)
    }

    // MARK: The engine

    /// Reads a query's results, as far as they are known.
    ///
    /// Offline, a query has no answer unless the backend once told its whole result: an empty list
    /// would say that there is nothing. Nor has a query whose limit lacks results because of writes
    /// that wait. Only who asks the cache first gets what happens to be cached.
    ///
    /// - Parameter take: Gets the results.
    private func readQuery(_ query: Query, then take: @escaping (ViewSnapshot) -> Void) {
        guard let source = firstSource else { return failOffline(Self.queryRead) }
        readQuery(query, source, then: take)
    }

    /// - Parameter isLast: Whether nobody but the cache is left to ask.
    private func readQuery(
        _ query: Query, _ source: ReadSource, isLast: Bool = false,
        then take: @escaping (ViewSnapshot) -> Void
    ) {
        askQuery(query, source) { snapshot in
            let isTold =
                !snapshot.isFromCache || snapshot.isLookedUp || snapshot.readAt != .zero
            if isTold, snapshot.lostCount == 0 {
                take(snapshot)
            } else if source == .default || source == .server && !snapshot.isFromCache {
                // The backend has not answered, or refuses a larger limit. The cache may know a larger
                // result whole.
                readQuery(query, .cache, isLast: true, then: take)
            } else if !isLast, session.unreachable == nil {
                readQuery(query, .default, then: take)
            } else if takesIncompleteAnswers {
                take(snapshot)
            } else {
                let what =
                    isTold
                    ? "What comes behind the limit in the place of documents that writes have taken "
                        + "away" : "The result of this query"
                fail(.notCached(what, as: mode.offlineStatus))
            }
        }
    }

    /// Asks the engine for a query's results.
    private func askQuery(
        _ query: Query, _ source: ReadSource, then take: @escaping (ViewSnapshot) -> Void
    ) {
        ask({ .get($0, query, source) }) { delivery in
            switch delivery {
            case .answer(_, let shared):
                orFail { () throws(HearthError) in
                    try stream.keep(result: shared.wholeByteCount)
                    take(shared.snapshot)
                }
            case .refuse(_, let error): refuse(Self.queryRead, error)
            case .snapshot, .fail, .inSync, .accept, .settle, .complete, .loaded, .found,
                .explained, .indexes, .result:
                preconditionFailure("A query is not answered by \(delivery)")
            }
            return false
        }
    }

    private static let queryRead = "A query in the mode \"server\""
}

/// The results of a query, one message each; the last message has `done` set.
private struct QueryAnswers: AnswerSource {
    private let codec: FirestoreCodec
    private let readTime: Timestamp
    private let projection: [FieldPath]?
    private var skippedCount: Int
    private var documents: ArraySlice<Document>
    private var isDone = false

    init(
        _ results: [Document], _ split: QuerySplit, codec: FirestoreCodec, readTime: Timestamp
    ) {
        self.codec = codec
        self.readTime = readTime
        projection = split.projection
        skippedCount = min(split.offset, results.count)
        documents = results.dropFirst(skippedCount)
    }

    mutating func next() throws(HearthError) -> [UInt8]? {
        if isDone { return nil }
        let document = documents.popFirst()?.answer(projection)
        isDone = documents.isEmpty
        defer { skippedCount = 0 }
        return try codec.encoded { () throws(CodecError) in try message(document) }
    }

    private func message(_ document: Document?) throws(CodecError) -> [UInt8] {
        if skippedCount == 0, let document {
            return try codec.queryAnswerBytes(document, readTime: readTime, isDone: isDone)
        }
        var answer = ProtoRunQueryResponse()
        answer.readTime = FirestoreCodec.encode(readTime)
        answer.skippedResults = Int32(clamping: skippedCount)
        if let document { answer.document = try codec.encode(document) }
        if isDone { answer.done = true }
        return FirestoreCodec.bytes(of: answer)
    }
}
