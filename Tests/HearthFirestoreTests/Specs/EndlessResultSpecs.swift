import HearthEngine
import HearthFirestore
import HearthModel
import HearthTesting
import Testing

/// A backend that sends documents without end and no snapshot: what is for nobody is forgotten, then
/// the largest result is given up, and the other listeners hear nothing of it.
struct EndlessResultSpecs {
    private static let byteCountMax = 1 << 20

    private let stream = StreamNumber(1)
    private let listener = ListenerID(session: 1, number: 1)
    private let other = ListenerID(session: 2, number: 1)
    private let small = Cast.query(sizeFrom: 5)
    private var bench: EngineBench

    init() throws {
        bench = try EngineBench(gatheredByteCountMax: Self.byteCountMax)
        try bench.take(.listen(listener, Cast.rooms, ListenOptions()))
        try bench.take(.upstream(.watchOpened(stream)))
        try takeUp(Cast.rooms)
        try listen(other, to: small)
    }

    private mutating func listen(_ id: ListenerID, to query: Query) throws {
        try bench.take(.listen(id, query, ListenOptions()))
        try takeUp(query)
    }

    private mutating func takeUp(_ query: Query) throws {
        let wire = try #require(self.wire(of: query))
        try tell(.target(.init(kind: .added, targets: [wire])))
    }

    private func wire(of query: Query) -> WireTargetID? {
        bench.engine.targetID(for: query).flatMap { bench.engine.wireTargetIDs()[$0] }
    }

    private mutating func tell(_ change: WatchChange) throws {
        try bench.take(.upstream(.watched(stream, change)))
    }

    private mutating func send(_ document: Document, to wires: [WireTargetID]) throws {
        try tell(
            .document(.init(updated: wires, removed: [], key: document.key, document: document)))
    }

    private func large(_ number: Int) -> Document {
        .found(
            Cast.key("room-\(number)"), at: version(1),
            MapValue([("text", .string(String(repeating: "x", count: 10_000)))]))
    }

    /// Sends large documents until a listener ends, or two limits are full.
    private mutating func flood(_ wire: WireTargetID) throws -> [FirestoreEngine.Action] {
        for number in 0..<2 * Self.byteCountMax / 10_000 {
            try send(large(number), to: [wire])
            if bench.actions.contains(where: { if case .fail = $0 { true } else { false } }) {
                break
            }
        }
        return bench.actions
    }

    @Test mutating func `the largest result ends with a clear error, and others go on`() throws {
        let wire = try #require(self.wire(of: Cast.rooms))
        let smallWire = try #require(self.wire(of: small))
        try send(Cast.room("hall", size: 9), to: [smallWire])
        let actions = try flood(wire)
        let errors = actions.compactMap { action -> HearthError? in
            if case .fail(listener, let error) = action { error } else { nil }
        }
        #expect(errors.map(\.code) == [.resourceExhausted])
        #expect(errors.first?.message.contains("1 MiB") == true)
        #expect(actions.contains(.upstream(.unlisten(stream, wire))))
        #expect(!actions.contains { if case .fail(other, _) = $0 { true } else { false } })
        try tell(.target(.init(kind: .current, targets: [smallWire], resumeToken: token("r"))))
        try tell(.target(.init(kind: .noChange, targets: [], readAt: version(2))))
        let snapshots = bench.actions.compactMap { action -> ViewSnapshot? in
            if case .emit(let snapshot, let ids) = action, ids == [other] { snapshot } else { nil }
        }
        #expect(snapshots.first?.documents.documents.map(\.key) == [Cast.key("hall")])
        #expect(bench.engine.gatheredByteCount == 0)
    }

    @Test mutating func `what came for a listen that has ended makes room first`() throws {
        let smallWire = try #require(self.wire(of: small))
        for round in 0..<5 {
            let wire = try #require(self.wire(of: Cast.rooms))
            for number in 0..<60 { try send(large(round * 100 + number), to: [wire]) }
            try bench.take(.unlisten(listener))
            try listen(listener, to: Cast.rooms)
        }
        #expect(bench.engine.gatheredByteCount <= Self.byteCountMax)
        #expect(wire(of: small) == smallWire)
        #expect(wire(of: Cast.rooms) != nil)
    }

    @Test mutating func `one document that comes again and again takes the room of one`() throws {
        let wire = try #require(self.wire(of: Cast.rooms))
        for _ in 0..<300 { try send(large(1), to: [wire]) }
        #expect(self.wire(of: Cast.rooms) == wire)
        #expect(bench.engine.gatheredByteCount < 20_000)
    }

    @Test mutating func `words without documents take room too`() throws {
        let wire = try #require(self.wire(of: Cast.rooms))
        var count = 0
        while self.wire(of: Cast.rooms) == wire, count < 100_000 {
            count += 1
            try tell(
                .document(
                    .init(
                        updated: [], removed: [wire], key: Cast.key("gone-\(count)"),
                        document: nil)))
        }
        #expect(self.wire(of: Cast.rooms) == nil)
        #expect(count < 10_000)
    }
}
