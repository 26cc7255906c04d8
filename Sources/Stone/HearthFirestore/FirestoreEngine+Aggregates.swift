import HearthEngine
import HearthModel

extension FirestoreEngine {
    /// The most numbers that one request may ask for: the backend's limit.
    static let aggregationCountMax = 5

    /// A session asks for numbers over a query's results.
    mutating func aggregate(
        _ id: RequestID, _ request: AggregateRequest, _ turn: inout Turn
    ) throws(StoreError) {
        if let error = Self.refusal(of: request) ?? markersRefusal(of: request.query) {
            turn.effects.actions.append(.refuse(id, error))
            return
        }
        if request.source == .cache { return try aggregateFromCache(id, request, &turn) }
        try noteReading(by: id.session, &turn)
        guard let error = unreachable("An aggregation by the server", for: id.session) else {
            let target = request.query.aggregateTarget
            return begin(
                .aggregate(request.aggregations, target.structuredQuery), .aggregate(request),
                for: id, &turn.effects)
        }
        if request.source == .server {
            turn.effects.actions.append(.refuse(id, error))
        } else {
            try aggregateFromCache(id, request, &turn)
        }
    }

    /// Computes the numbers here.
    mutating func aggregateFromCache(
        _ id: RequestID, _ request: AggregateRequest, _ turn: inout Turn
    ) throws(StoreError) {
        let query = request.query
        let computation = AggregateComputation(request.aggregations)
        let wanted: SurveyQuestion.Wanted =
            query.limit == nil
            ? .numbers(request.aggregations, of: local.user)
            : .documents(having: computation.fields)
        let sight = try sight(
            of: query.withoutLimit, asking: SurveyQuestion(query, wanted),
            for: .aggregate(id, request), &turn)
        let answer: AggregateResult
        switch sight {
        case .found(let result):
            answer = try aggregated(computation, over: result, of: query, isWhole: true, turn.store)
        case .surveyed(let result):
            let isWhole = computation.fields.isEmpty
            answer = try aggregated(
                computation, over: result, of: query, isWhole: isWhole, turn.store)
        case .numbers(let numbers): answer = AggregateResult(numbers)
        case .picture: preconditionFailure("A picture for a question about numbers")
        case nil: return
        }
        turn.effects.actions.append(.result(id, .aggregated(answer)))
    }

    /// Computes the numbers over documents of a query.
    ///
    /// - Parameter isWhole: Whether all documents of the query's window were found, and not only
    ///   the documents that count.
    private func aggregated(
        _ computation: AggregateComputation, over result: LocalStore.QueryResult, of query: Query,
        isWhole: Bool, _ store: any FirestoreTransaction
    ) throws(StoreError) -> AggregateResult {
        var computation = computation
        var documents = result.documents.values.filter { computation.counts($0) }
        if let limit = query.limit {
            let sorted = query.order.sorted(documents)
            documents = Array(
                limit.end == .first ? sorted.prefix(limit.count) : sorted.suffix(limit.count))
        }
        for document in documents { computation.add(document) }
        var answer = AggregateResult(
            values: computation.values, isFromCache: true,
            hasPendingWrites: documents.contains(where: \.hasLocalMutations))
        let basis =
            isWhole
            ? try basis(of: documents, for: query, among: result.documents.values, store)
            : query.withoutLimit
        answer.readAt = try local.readAt(of: basis, store)
        return answer
    }

    /// The query whose results the backend must have told completely before the cache's documents
    /// can be counted.
    ///
    /// What the backend told of the results of a limit does not reach behind them. If writes that
    /// wait have opened the limit, or documents in it do not count, nobody knows what comes next but
    /// who knows the results without the limit.
    private func basis(
        of documents: [Document], for query: Query, among found: some Collection<Document>,
        _ store: any FirestoreTransaction
    ) throws(StoreError) -> Query {
        guard query.limit != nil else { return query }
        let window = ViewSnapshot(of: query, cached: found)
        let isWindow =
            documents.count == window.documents.count
            && documents.allSatisfy { window.documents.contains($0.key) }
        guard isWindow, try local.lostCount(in: window, named: nil, store) == 0 else {
            return query.withoutLimit
        }
        return query
    }

    private static func refusal(of request: AggregateRequest) -> HearthError? {
        func invalid(_ message: String) -> HearthError {
            HearthError(code: .invalidArgument, message: message)
        }
        do {
            try request.query.validate()
        } catch {
            return error
        }
        if request.query.documentKey != nil {
            return invalid("A single document cannot be aggregated; ask for a collection.")
        }
        guard (1...aggregationCountMax).contains(request.aggregations.count) else {
            return invalid(
                "An aggregation computes 1 to \(aggregationCountMax) numbers, not "
                    + "\(request.aggregations.count).")
        }
        var aliases: Set<UTF8Text> = []
        for aggregation in request.aggregations
        where !aliases.insert(UTF8Text(aggregation.alias)).inserted {
            return invalid("Two numbers cannot have one name, \"\(aggregation.alias)\".")
        }
        for aggregation in request.aggregations {
            switch aggregation.operation {
            case .sum(let field) where field.isDocumentID,
                .average(let field) where field.isDocumentID:
                return invalid("Documents' names cannot be added up; name a field.")
            case .count, .sum, .average: continue
            }
        }
        return nil
    }
}

extension AggregateResult {
    /// What a survey has computed.
    fileprivate init(_ numbers: SurveyNumbers) {
        self.init(
            values: numbers.values, isFromCache: true, hasPendingWrites: numbers.hasPendingWrites)
        readAt = numbers.readAt
    }
}
