import HearthEngine
import HearthFirestore
import HearthModel
import HearthRemote
import HearthTestSupport
import Testing

/// Our side of the wire against a backend that we did not write.
@Suite(
    .timeLimit(.minutes(2)),
    .enabled(if: GoogleEmulator.isInstalled, Comment(rawValue: GoogleEmulator.absence)))
struct GoogleEmulatorTests {
    private static let stream = StreamNumber(1)
    private static let two = WireTargetID(2)
    private static let rooms = ResourcePath(["rooms"])

    private static let everything: MapValue = [
        "array": .array([.integer(-1), .null, .map(["é": .string("é")])]),
        "bool": .boolean(true),
        "bytes": .bytes([0, 255]),
        "double": .double(-0.5),
        "geo": .geoPoint(GeoPoint(latitude: 48.25, longitude: -11.5)),
        "int": .integer(9_007_199_254_740_993),
        "map": .map(["é": .integer(1), "e\u{301}": .integer(2)]),
        "ref": .reference(
            DocumentName(database: TestUpstream.database, path: ResourcePath(["a", "b"]))),
        "string": .string("grüße 🔥"),
        "time": .timestamp(Timestamp(seconds: -1, nanoseconds: 999_999_000)),
        "vector": .vector([1.5, 2]),
    ]

    @Test func `Google's emulator understands us, and we understand it`() async throws {
        try await GoogleEmulator.run { text in
            let address = try #require(BackendAddress(parsing: text))
            try await TestUpstream.connected(to: address, as: FixedToken.owner) {
                channel, connection, events in
                let hall = try DocumentKey(parsing: "rooms/hall")
                try await Self.checkCalls(UnaryCalls(channel), hall)
                try await Self.checkStreams(connection, &events, hall)
            }
        }
    }

    private static func checkCalls(_ calls: UnaryCalls, _ hall: DocumentKey) async throws {
        let set = Mutation(key: hall, kind: .set(everything))
        let committed = try await calls.commit([set])
        #expect(committed.results == [Mutation.Result(version: committed.committedAt)])

        let absent = try DocumentKey(parsing: "rooms/none")
        let read = try await calls.documents([absent, hall])
        #expect(read.map(\.isMissing) == [true, false])
        #expect(read[1].fields == everything)
        #expect(read[1].version == committed.committedAt)

        var query = Query(path: rooms)
        query.filters = [.field(FieldPath(["map", "é"]), .equal, .integer(1))]
        let found = try await calls.run(query.target.structuredQuery)
        #expect(found.map(\.key) == [hall])
        let numbers = try await calls.run(
            [
                Aggregation(alias: "count", operation: .count(upTo: nil)),
                Aggregation(alias: "sum", operation: .sum(FieldPath(["double"]))),
                Aggregation(alias: "mean", operation: .average(FieldPath(["double"]))),
            ], over: Query(path: rooms).aggregateTarget.structuredQuery)
        #expect(
            numbers == ["count": .integer(1), "sum": .double(-0.5), "mean": .double(-0.5)])

        let page = try await calls.documents(in: rooms, pageSize: 10)
        #expect(page.elements.map(\.fields) == [everything])
        #expect(page.nextToken == nil)
        let ids = try await calls.collectionIDs(below: .root, pageSize: 10)
        #expect(ids.elements == ["rooms"])
    }

    private static func checkStreams(
        _ connection: FirestoreConnection, _ events: inout TestUpstream.Events, _ hall: DocumentKey
    ) async throws {
        connection.perform(.openWatch(stream, as: .unauthenticated))
        #expect(await events.next() == .watchOpened(stream))
        let target = Query(path: rooms).target
        connection.perform(.listen(stream, ListenRequest(wireID: two, target: target)))
        let first = await snapshot(&events)
        #expect(first.kinds.first == .added)
        #expect(first.kinds.contains(.current))
        #expect(first.documents.map(\.fields) == [everything])

        connection.perform(.openWrite(stream, as: .unauthenticated))
        #expect(await events.next() == .writeOpened(stream))
        connection.perform(.handshake(stream))
        guard case .writeHandshaken(stream, let token) = await events.next() else {
            Issue.record("The backend did not shake hands")
            return
        }
        let patch = Mutation(
            key: hall,
            kind: .patch(
                ["int": .integer(1)], FieldMask([FieldPath(["int"]), FieldPath(["ref"])])),
            precondition: .exists(true),
            transforms: [
                FieldTransform(field: FieldPath(["double"]), operation: .increment(.integer(1))),
                FieldTransform(field: FieldPath(["array"]), operation: .arrayUnion([.integer(7)])),
            ])
        connection.perform(.write(stream, BatchID(1), [patch], token))
        let (second, answer) = await snapshotAndAnswer(&events)
        #expect(answer?.results.map(\.transformResults) == [[.double(0.5), .null]])
        let fields = try #require(second.documents.last).fields
        #expect(fields["int"] == .integer(1))
        #expect(fields["ref"] == nil)
        #expect(fields["array"]?.arrayElements?.last == .integer(7))

        let refused = Mutation(
            key: try DocumentKey(parsing: "rooms/none"), kind: .delete,
            precondition: .exists(true))
        connection.perform(.write(stream, BatchID(2), [refused], answer?.token ?? token))
        guard case .writeClosed(stream, let error?) = await events.next() else {
            Issue.record("The backend took a write whose precondition fails")
            return
        }
        #expect(error.code == .notFound)
        connection.perform(.unlisten(stream, two))
        let removed = TargetWatchChange(kind: .removed(nil), targets: [two])
        #expect(await events.next() == .watched(stream, .target(removed)))
    }

    /// What came up to a global snapshot.
    private struct Snapshot {
        var kinds: [TargetWatchChange.Kind] = []
        var documents: [Document] = []
    }

    private static func snapshot(_ events: inout TestUpstream.Events) async -> Snapshot {
        await gather(&events, untilAnswer: false).snapshot
    }

    private static func snapshotAndAnswer(
        _ events: inout TestUpstream.Events
    ) async -> (snapshot: Snapshot, answer: WriteAnswer?) {
        await gather(&events, untilAnswer: true)
    }

    private static func gather(
        _ events: inout TestUpstream.Events, untilAnswer: Bool
    ) async -> (snapshot: Snapshot, answer: WriteAnswer?) {
        var snapshot = Snapshot()
        var answer: WriteAnswer?
        var isComplete = false
        while !isComplete || (untilAnswer && answer == nil) {
            switch await events.next() {
            case .watched(_, .target(let change)):
                snapshot.kinds.append(change.kind)
                if change.targets.isEmpty, change.readAt != .zero { isComplete = true }
            case .watched(_, .document(let change)):
                if let document = change.document { snapshot.documents.append(document) }
            case .writeAnswered(_, let result):
                answer = result
            case let event:
                Issue.record("Not expected: \(String(describing: event))")
                return (snapshot, answer)
            }
        }
        return (snapshot, answer)
    }
}
