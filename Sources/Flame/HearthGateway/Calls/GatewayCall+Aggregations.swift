import HearthBackend
import HearthFirestore
import HearthModel
import HearthProtocol
import HearthRPC
import HearthServer
import HearthWire
import NIOCore

/// RunAggregationQuery.
extension GatewayCall {
    /// Answers with numbers over a query's results.
    ///
    /// If the backend can be reached, the gateway first tells it the program's own writes, and the
    /// backend computes the numbers. Numbers of the backend and writes that wait cannot be added
    /// up.
    func runAggregationQuery(_ bytes: ByteBuffer) throws(HearthError) {
        let request: ProtoRunAggregationQueryRequest = try Self.read(bytes)
        guard case .structuredAggregationQuery(let proto)? = request.queryType,
            case .structuredQuery(let inner)? = proto.queryType
        else { throw .argument("only structured queries are supported") }
        guard request.isOfNow, !inner.hasFindNearest, !request.hasExplainOptions else {
            return try forward(.runAggregationQuery, bytes)
        }
        let query = try checkedQuery(inner, below: request.parent)
        let plan = try AggregationPlan(
            RequestReader.aggregations(proto.aggregations),
            over: QueryPlan(query, in: session.database))
        guard let split = QuerySplit(query), split.offset == 0 else {
            return try forward(.runAggregationQuery, bytes)
        }
        try session.check(.read, AccessScope(split.query))
        switch firstSource {
        case .default, .server:
            forwardAfterOwnWrites(
                .runAggregationQuery, bytes, or: cacheWay(split.query, plan.aggregations))
        case .cache: aggregateFromCache(split.query, plan.aggregations, bytes)
        case nil:
            failOffline("An aggregation in the mode \"server\"")
        }
    }

    /// Has the backend answer when it has been told what the program has written.
    ///
    /// - Parameter way: How the cache answers if the backend does not. The mode "server" has the
    ///   backend alone answer.
    func forwardAfterOwnWrites(
        _ method: FirestoreMethod, _ bytes: ByteBuffer, or way: CacheFallback.Way?
    ) {
        let fallback = mode.reads == .server ? nil : way.map { CacheFallback(self, $0) }
        fallback?.begin()
        let send = {
            if let fallback, fallback.isOver { return }
            do throws(HearthError) {
                try forward(method, bytes, or: fallback)
            } catch {
                fallback?.end()
                fail(error)
            }
        }
        // Offline nothing is awaited: the backend's methods are refused at once.
        if session.unreachable == nil { afterOwnWrites(or: fallback, send) } else { send() }
    }

    private func aggregateFromCache(
        _ query: Query, _ aggregations: [Aggregation], _ bytes: ByteBuffer
    ) {
        aggregateFromCache(query, aggregations) { result in
            let isIncomplete = result.readAt == .zero
            if isIncomplete, asksBackend(after: .cache) {
                forwardAfterOwnWrites(
                    .runAggregationQuery, bytes, or: cacheWay(query, aggregations))
            } else if isIncomplete, !takesIncompleteAnswers {
                fail(.notCached(Self.counted, as: mode.offlineStatus))
            } else {
                orFail { () throws(HearthError) in try answer(result) }
            }
        } refused: {
            fail($0)
        }
    }

    /// How the cache answers an aggregation that the backend does not answer.
    private func cacheWay(_ query: Query, _ aggregations: [Aggregation]) -> CacheFallback.Way {
        CacheFallback.Way(what: Self.counted) { fallback in
            aggregateFromCache(query, aggregations) { result in
                let isKnown =
                    result.readAt != .zero || takesIncompleteAnswers && fallback.hasFailed
                guard isKnown else { return fallback.isUnknown() }
                guard fallback.claim() else { return }
                orFail { () throws(HearthError) in try answer(result) }
            } refused: { _ in
                fallback.isUnknown()
            }
        }
    }

    private static let counted = "What this aggregation counts"

    private func aggregateFromCache(
        _ query: Query, _ aggregations: [Aggregation],
        then take: @escaping (AggregateResult) -> Void,
        refused: @escaping (HearthError) -> Void
    ) {
        let request = AggregateRequest(query: query, aggregations: aggregations, source: .cache)
        ask({ .aggregate($0, request) }) { delivery in
            switch delivery {
            case .result(_, .aggregated(let result)): take(result)
            case .refuse(_, let error): refused(error)
            case .snapshot, .fail, .inSync, .answer, .accept, .settle, .complete, .loaded, .found,
                .explained, .indexes, .result:
                preconditionFailure("An aggregation is not answered by \(delivery)")
            }
            return false
        }
    }

    private func answer(_ result: AggregateResult) throws(HearthError) {
        let marks = Marks(
            hasPendingWrites: result.hasPendingWrites, isFromCache: result.isFromCache)
        let readTime = marks.readTime(
            heard: result.readAt, showing: EmptyCollection<Document>())
        var message = ProtoRunAggregationQueryResponse()
        message.readTime = FirestoreCodec.encode(readTime)
        message.result = try codec.encoded { () throws(CodecError) in
            try codec.encode(aggregates: result.values)
        }
        answer(FirestoreCodec.bytes(of: message), marks, asOf: readTime)
    }
}
