import HearthEngine
import HearthModel
import HearthProtocol
import HearthWire
import Testing

/// What a request may name, looked at where it comes in.
struct RequestLimitsTests {
    private static let codec = WireCodec(database: Samples.database)

    /// Whether a request comes in again as it went out.
    private func isLetIn(_ request: Request) throws -> Bool {
        let frame = try Self.codec.frame(of: request, number: 1)
        do throws(WireError) {
            return try Self.codec.request(frame) == request
        } catch {
            #expect(error.hearthError.code == .invalidArgument)
            return false
        }
    }

    private func key(_ count: Int) throws -> DocumentKey {
        try #require(
            DocumentKey(ResourcePath(segments: Array(repeating: "a", count: count))))
    }

    @Test func `a name of 80,000 segments is refused in every request`() throws {
        let key = try key(80_000)
        let query = Query(document: key)
        let write = Mutation(key: key, kind: .delete)
        let requests: [Request] = [
            .firestore(.get(query, .cache)), .firestore(.listen(query, .init())),
            .firestore(.explain(query)),
            .firestore(.readDocuments([key])), .firestore(.commit([write])),
            .firestore(.write(.init(sequence: 1, answeredBelow: 0, mutations: [write]))),
            .firestore(.buildBundle(.init(id: "b", queries: [], documents: [key]))),
            .inquiry(.collections(.init(below: key.path))),
            .administration(.steerQueue(.edit(BatchID(1), [write]))),
            .administration(.steerQueue(.editDeadLetter(BatchID(1), [write], evenIfApplied: true))),
        ]
        for request in requests { #expect(try !isLetIn(request)) }
        #expect(try isLetIn(.firestore(.get(Query(document: try self.key(200)), .cache))))
        #expect(try !isLetIn(.firestore(.get(Query(document: try self.key(202)), .cache))))
    }

    @Test func `lists of names have limits`() throws {
        let keys = Array(repeating: try key(2), count: RequestLimits.documentCountMax)
        #expect(try isLetIn(.firestore(.readDocuments(keys))))
        #expect(try !isLetIn(.firestore(.readDocuments(keys + [try key(2)]))))
        let ids = (0...RequestLimits.batchCountMax).map { BatchID(Int64($0)) }
        #expect(try !isLetIn(.administration(.steerQueue(.hold(ids)))))
        let query = Query(path: ResourcePath(["rooms"]))
        let entries = (0...RequestLimits.bundleQueryCountMax).map {
            BundleOrder.Entry(name: "q\($0)", query: query)
        }
        #expect(
            try !isLetIn(.firestore(.buildBundle(.init(id: "b", queries: entries, documents: [])))))
        let numbers = (0...5).map { Aggregation(alias: "n\($0)", operation: .count(upTo: nil)) }
        #expect(
            try !isLetIn(
                .firestore(.aggregate(.init(query: query, aggregations: numbers, source: .cache)))))
    }

    @Test func `a write has so many fields and transforms at most`() throws {
        let transforms = (0...500).map {
            FieldTransform(field: FieldPath(["f\($0)"]), operation: .serverTimestamp)
        }
        let write = Mutation(
            key: try key(2), kind: .patch(.empty, .empty), transforms: transforms)
        #expect(try !isLetIn(.firestore(.commit([write]))))
        let long = FieldPath([String(repeating: "f", count: 1_501)])
        let other = Mutation(key: try key(2), kind: .patch(.empty, FieldMask([long])))
        #expect(try !isLetIn(.firestore(.commit([other]))))
    }

    @Test(arguments: ["a/b", "/", "/\u{301}", "__c__", ".", String(repeating: "x", count: 1_501)])
    func `a query for what is no collection's id is refused`(id: String) throws {
        for isGroup in [false, true] {
            var target = ProtoWireQueryTarget()
            target.parent = "\(Samples.database.documentsName)"
            var selector = ProtoStructuredQuery.CollectionSelector()
            selector.collectionID = id
            selector.allDescendants = isGroup
            target.structuredQuery.from = [selector]
            try expectRefused(target)
        }
    }

    @Test func `a query below a collection is refused`() throws {
        var target = ProtoWireQueryTarget()
        target.parent = "\(Samples.database.documentsName)/rooms"
        var selector = ProtoStructuredQuery.CollectionSelector()
        selector.collectionID = "hall"
        target.structuredQuery.from = [selector]
        try expectRefused(target)
    }

    /// Every request that holds a query.
    private func expectRefused(_ target: ProtoWireQueryTarget) throws {
        var get = ProtoWireGet()
        get.target.query = target
        var listen = ProtoWireListen()
        listen.target.query = target
        var explain = ProtoWireExplain()
        explain.target.query = target
        var aggregate = ProtoWireAggregate()
        aggregate.query = target
        var bundle = ProtoWireBuildBundle()
        bundle.id = "b"
        bundle.queries = [.init()]
        bundle.queries[0].query = target
        let bodies: [(ProtoWireRequestKind, [UInt8])] = [
            (.get, FirestoreCodec.bytes(of: get)), (.listen, FirestoreCodec.bytes(of: listen)),
            (.explain, FirestoreCodec.bytes(of: explain)),
            (.aggregate, FirestoreCodec.bytes(of: aggregate)),
            (.buildBundle, FirestoreCodec.bytes(of: bundle)),
        ]
        for (kind, body) in bodies {
            let frame = Frame(kind: UInt8(kind.rawValue), request: 1, body: body)
            #expect(throws: WireError.self) { try Self.codec.request(frame) }
        }
    }
}
