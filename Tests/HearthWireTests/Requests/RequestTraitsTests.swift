import HearthEngine
import HearthModel
import HearthWire
import Testing

/// What the tables of the families say of requests.
struct RequestTraitsTests {
    @Test func `a client sends again all but what may then be done twice`() throws {
        let once = try Samples.requests().filter { !$0.traits.isRepeatable }
        let expected: [Request] = [
            .firestore(.commit([])), .administration(.steerQueue(.retry)),
            .administration(.authenticate(.tell)), .administration(.backUp(position: 0)),
        ]
        #expect(Set(once.map(\.kind)) == Set(expected.map(\.kind)))
        #expect(Request.administration(.authenticate(.tell)).traits.isRepeatable)
        #expect(Request.administration(.authenticate(.signOut)).traits.isRepeatable)
    }

    @Test func `what needs rights to what it names names something that rules are about`() throws {
        for request in try Samples.requests() {
            guard case .contents = request.traits.permission else { continue }
            switch request.traits.contents {
            case .query, .documents, .mutations, .aggregate, .bundle, .collections, .subtree,
                .change:
                break
            case .nothing, .index, .batches: Issue.record("\(request)")
            }
        }
    }

    @Test func `only what ends or goes on with something comes under a number in use`() throws {
        let begun = try Samples.requests().filter { $0.traits.numbering != .fresh }
        let expected: [Request] = [
            .session(.hello(Hello(client: .anonymous, program: ""))), .session(.unlisten),
            .firestore(.unlistenToSync), .firestore(.loadBundle(.init(data: [], hasMore: false))),
        ]
        #expect(Set(begun.map(\.kind)) == Set(expected.map(\.kind)))
    }
}

/// References that a program made before the daemon told which database the session has.
struct SessionNamesTests {
    private static func reference(_ database: DatabaseID) -> Value {
        .reference(DocumentName(database: database, path: ResourcePath(["x", "y"])))
    }

    /// Every request that can hold a reference, with one in each place.
    private static func requests(about database: DatabaseID) throws -> [Request] {
        let reference = reference(database)
        let mutation = Mutation(
            key: try Samples.key("a/b"),
            kind: .set(["r": reference, "l": .array([.map(["m": reference])])]),
            transforms: [
                FieldTransform(field: FieldPath(["t"]), operation: .arrayUnion([reference])),
                FieldTransform(field: FieldPath(["u"]), operation: .arrayRemove([reference])),
            ])
        var query = Query(path: ResourcePath(["rooms"]))
        query.filters = [
            .or([
                .field(FieldPath(["a"]), .equal, reference),
                .field(FieldPath(["b"]), .arrayContainsAny, .array([reference])),
            ])
        ]
        query.explicitOrderBys = [OrderBy(FieldPath(["c"]))]
        query.startAt = Bound([reference], isInclusive: true)
        query.endAt = Bound([reference], isInclusive: false)
        return [
            .firestore(.get(query, .default)), .firestore(.listen(query, ListenOptions())),
            .firestore(.explain(query)), .firestore(.commit([mutation])),
            .firestore(.write(.init(sequence: 1, answeredBelow: 1, mutations: [mutation]))),
            .firestore(
                .aggregate(
                    AggregateRequest(
                        query: query,
                        aggregations: [Aggregation(alias: "n", operation: .count(upTo: nil))],
                        source: .cache))),
            .firestore(
                .buildBundle(
                    BundleOrder(id: "b", queries: [.init(name: "q", query: query)], documents: []))),
            .administration(.steerQueue(.edit(BatchID(1), [mutation]))),
            .administration(
                .steerQueue(.editDeadLetter(BatchID(1), [mutation], evenIfApplied: false))),
        ]
    }

    @Test func `a reference from before the handshake is the session's, in whatever request`()
        throws
    {
        let early = try Self.requests(about: .ofSession)
        let named = try Self.requests(about: Samples.database)
        #expect(early != named)
        for (early, named) in zip(early, named) {
            let frame = try Samples.codec.frame(of: early, number: 1)
            #expect(try frame == Samples.codec.frame(of: named, number: 1))
            #expect(try Samples.codec.request(frame) == named)
        }
    }

    @Test func `a reference to another database keeps its name`() throws {
        for request in try Self.requests(about: DatabaseID(project: "other")) {
            let frame = try Samples.codec.frame(of: request, number: 1)
            #expect(try Samples.codec.request(frame) == request)
        }
    }
}
