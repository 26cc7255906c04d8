import HearthModel
import Testing

@testable import HearthBackend

/// No request stops the backend, and the backend keeps its promises after every request.
struct FuzzTests {
    @Test(arguments: 0..<24) func `random requests are answered or refused`(seed: UInt64) throws {
        var settings = BackendSettings()
        settings.historyCommitCountMax = seed.isMultiple(of: 3) ? 20 : 50_000
        settings.transactionCountMax = 50
        if seed.isMultiple(of: 4) { settings.indexes = IndexCatalog() }
        var spec = BackendSpec(settings)
        var requests = RandomRequests(seed: seed)
        var tokens: [ResumeToken] = []
        var openStreams: Set<StreamID> = []
        for _ in 0..<1_500 {
            spec.wait(.milliseconds(requests.lottery.pick([0, 1, 10, 3_000])))
            step(&spec, &requests, tokens, &openStreams)
            for action in spec.backend.takeActions() {
                guard case .deliver(let stream, let messages) = action else { continue }
                #expect(openStreams.contains(stream), "seed \(seed)")
                for case .target(let change) in messages {
                    if let token = change.resumeToken { tokens.append(token) }
                }
            }
            if tokens.count > 20 { tokens.removeFirst(tokens.count - 20) }
        }
        // It still works: nothing is locked for ever, and a write is read back.
        spec.wait(.seconds(300))
        spec.expire()
        #expect(spec.backend.nextDeadline == nil, "seed \(seed)")
        try spec.put("c/last", ["n": .integer(Int64(seed))])
        #expect(try spec.get("c/last").fields == ["n": .integer(Int64(seed))])
    }

    private func step(
        _ spec: inout BackendSpec, _ requests: inout RandomRequests, _ tokens: [ResumeToken],
        _ openStreams: inout Set<StreamID>
    ) {
        let database = BackendSpec.database
        let stream = StreamID(UInt64(requests.lottery.number(below: 4)))
        switch requests.lottery.number(below: 12) {
        case 0...3:
            let writes = (0..<requests.lottery.number(below: 4)).map { _ in requests.write() }
            let transaction = requests.lottery.number(below: 3) == 0 ? requests.transaction() : nil
            _ = try? spec.backend.commit(
                writes, in: database, transaction: transaction, at: spec.now)
        case 4:
            if let id = try? spec.backend.begin(requests.options(), in: database, at: spec.now) {
                requests.transactions.append(id)
                if requests.transactions.count > 12 { requests.transactions.removeFirst() }
            }
        case 5:
            guard let id = requests.transaction() else { return }
            try? spec.backend.rollback(id, in: database, at: spec.now)
        case 6...8:
            read(&spec, &requests)
        case 9, 10:
            if openStreams.insert(stream).inserted { spec.backend.open(stream, in: database) }
            let request = requests.watch(tokens: tokens)
            try? spec.backend.watch(request, on: stream, at: spec.now)
        default:
            switch requests.lottery.number(below: 6) {
            case 0: spec.backend.unwatch(WireTargetID(3), on: stream)
            case 1: spec.backend.pause(stream)
            case 2: spec.backend.resume(stream, at: spec.now)
            case 3: spec.backend.heartbeat(at: spec.now)
            case 4: spec.backend.forgetHistory()
            default:
                spec.backend.close(stream)
                openStreams.remove(stream)
            }
        }
    }

    private func read(_ spec: inout BackendSpec, _ requests: inout RandomRequests) {
        let database = BackendSpec.database
        let query = requests.query()
        let keys = [requests.key(), requests.key()]
        let plan = try? QueryPlan(query, in: database)
        let view = try? spec.backend.read(
            plan.map { .query($0) } ?? .documents(keys), in: database, requests.consistency(),
            at: spec.now)
        guard let view else { return }
        _ = keys.map(view.document)
        if let id = view.newTransaction { requests.transactions.append(id) }
        let listing = try? QueryPlan(
            listing: query.parent, collectionID: query.source?.collection,
            orderBys: query.orderBys, in: database)
        let showMissing = requests.lottery.number(below: 2) == 0
        if let listing { _ = try? view.list(listing, showMissing: showMissing) }
        _ = view.collectionIDs(below: query.parent)
        guard let plan else { return }
        let results = view.run(plan)
        if let limit = query.limit { #expect(results.documents.count <= limit) }
        _ = try? view.partition(plan, into: requests.lottery.pick([-1, 0, 1, 7]))
        let aggregations = [
            Aggregation(alias: "", operation: .count(upTo: requests.lottery.pick([nil, -1, 2]))),
            Aggregation(alias: "s", operation: .sum(requests.field())),
            Aggregation(alias: "m", operation: .average(requests.field())),
        ]
        if let aggregate = try? AggregationPlan(aggregations, over: plan) {
            _ = view.run(aggregate)
        }
        let nearest = try? NearestNeighbours(
            field: requests.field(), vector: .vector([1, 2]),
            measure: requests.lottery.pick([.euclidean, .cosine, .dotProduct]),
            limit: requests.lottery.pick([0, 1, 1_000]), resultField: requests.field(),
            threshold: requests.lottery.pick([nil, 0, .nan]))
        if let nearest { _ = view.run(plan, nearest) }
    }

    /// Whoever follows a stream holds what the query finds, however the stream was disturbed.
    @Test(arguments: 0..<30) func `a watched query is what the query finds`(seed: UInt64) throws {
        var settings = BackendSettings()
        settings.historyCommitCountMax = seed.isMultiple(of: 3) ? 6 : 50_000
        var spec = BackendSpec(settings)
        var lottery = Lottery(seed: seed)
        let queries = Self.queries(&lottery)
        for (place, query) in queries.enumerated() {
            spec.backend.open(BackendSpec.stream, in: BackendSpec.database)
            let request = WatchRequest(
                targetID: WireTargetID(Int32(place + 1)), subject: .query(query))
            try spec.backend.watch(request, on: BackendSpec.stream, at: spec.now)
        }
        var replicas: [WireTargetID: [DocumentKey: SnapshotVersion]] = [:]
        for _ in 0..<150 {
            let path = "\(lottery.pick(["c", "p/1/c"]))/\(lottery.number(below: 12))"
            switch lottery.number(below: 8) {
            case 0: try spec.delete(path)
            case 1: spec.backend.pause(BackendSpec.stream)
            case 2: spec.backend.resume(BackendSpec.stream, at: spec.now)
            default:
                try spec.put(
                    path,
                    [
                        "a": .integer(Int64(lottery.number(below: 3))),
                        "b": .integer(Int64(lottery.number(below: 5))),
                    ])
            }
            replicas.follow(spec.takeMessages())
        }
        spec.backend.resume(BackendSpec.stream, at: spec.now)
        replicas.follow(spec.takeMessages())
        for (place, query) in queries.enumerated() {
            let found = try spec.view().run(QueryPlan(query, in: BackendSpec.database)).documents
            let expected = Dictionary(uniqueKeysWithValues: found.map { ($0.key, $0.version) })
            let held = replicas[WireTargetID(Int32(place + 1))] ?? [:]
            #expect(held == expected, "seed \(seed): \(query)")
        }
    }

    /// The same with every kind of condition, order, cursor and limit, in a collection that grows and
    /// shrinks beyond what a limit's window holds.
    @Test(arguments: 0..<10) func `a watched window of any query is what the query finds`(
        seed: UInt64
    ) throws {
        var settings = BackendSettings()
        settings.historyCommitCountMax = seed.isMultiple(of: 4) ? 30 : 50_000
        var spec = BackendSpec(settings)
        var random = RandomQueries(seed: seed)
        for number in 0..<250 { try spec.put("c/\(number)", random.fields()) }
        let queries = (0..<40).map { _ in random.plan().query }
        spec.backend.open(BackendSpec.stream, in: BackendSpec.database)
        for (place, query) in queries.enumerated() {
            let request = WatchRequest(
                targetID: WireTargetID(Int32(place + 1)), subject: .query(query))
            try spec.backend.watch(request, on: BackendSpec.stream, at: spec.now)
        }
        var replicas: [WireTargetID: [DocumentKey: SnapshotVersion]] = [:]
        for round in 0..<500 {
            let path = random.path(below: 300)
            let isShrinking = round / 120 % 2 == 0
            switch random.lottery.number(below: 16) {
            case 0: spec.backend.pause(BackendSpec.stream)
            case 1: spec.backend.resume(BackendSpec.stream, at: spec.now)
            case 2..<(isShrinking ? 12 : 4): try spec.delete(path)
            default: try spec.put(path, random.fields())
            }
            replicas.follow(spec.takeMessages())
            guard round % 50 == 49 else { continue }
            spec.backend.resume(BackendSpec.stream, at: spec.now)
            replicas.follow(spec.takeMessages())
            for (place, query) in queries.enumerated() {
                let found = try spec.view().run(QueryPlan(query, in: BackendSpec.database))
                let expected = Dictionary(
                    uniqueKeysWithValues: found.documents.map { ($0.key, $0.version) })
                let held = replicas[WireTargetID(Int32(place + 1))] ?? [:]
                #expect(held == expected, "seed \(seed), round \(round): \(query)")
            }
        }
    }

    private static func queries(_ lottery: inout Lottery) -> [StructuredQuery] {
        (0..<8).map { _ in
            var query = StructuredQuery(
                parent: .root,
                source: .init(collectionID: "c", allDescendants: lottery.number(below: 2) == 0))
            if lottery.number(below: 2) == 0 {
                query.filter = .field(
                    FieldPath(["a"]), .equal, .double(Double(lottery.number(below: 3))))
            }
            if lottery.number(below: 2) == 0 { query = query.ordered(by: "b") }
            if lottery.number(below: 2) == 0 { query = query.limited(to: 3) }
            return query
        }
    }
}
