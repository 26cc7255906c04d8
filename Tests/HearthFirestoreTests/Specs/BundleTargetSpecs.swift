import HearthEngine
import HearthFirestore
import HearthModel
import HearthTesting
import Testing

/// The targets that bundles make and take over.
struct BundleTargetSpecs {
    private let rooms = collection("rooms")
    private let request = RequestID(session: 9, number: 1)

    private func bundle(_ names: [String], at microseconds: Int64) -> Bundle {
        let readAt = version(microseconds)
        return Bundle(
            record: BundleRecord(id: "b", createdAt: readAt, version: 1),
            entries: names.map {
                .init(document: document("rooms/\($0)", at: microseconds), queries: ["q"])
            },
            namedQueries: [NamedQuery(name: "q", query: rooms, readAt: readAt)], byteCount: 70)
    }

    private func load(_ bundle: Bundle, _ bench: inout EngineBench) throws {
        var actions = try bench.take(.loadBundle(request, bundle))
        while actions.contains(.schedule(.bundles, after: .zero)) {
            actions = try bench.take(.timerFired(.bundles))
        }
        #expect(actions.contains { if case .loaded(request, _) = $0 { true } else { false } })
    }

    @Test(arguments: StoryBacking.all)
    func `a query keeps its target's number when a bundle brings results, and takes no others`(
        backing: StoryBacking
    ) throws {
        let spec = try FirestoreSpec(on: backing)
        spec.userListens(to: rooms)
        try spec.watchAnswers(
            rooms, with: [document("rooms/a")], resumeToken: "r1", at: 1_000)
        try spec.userUnlistens(from: rooms)
        spec.driver.load(bundle(["a", "b"], at: 2_000))
        spec.driver.load(bundle(["b", "c", "d"], at: 3_000))
        spec.driver.forgetHeard()
        spec.userListens(to: rooms)
        try spec.expectListen(to: rooms, from: .readTime(version(3_000)), expectedCount: 3)
        #expect(spec.driver.engine.targetID(for: rooms) == TargetID(2))
        // One number is the bundle's own, however often the bundle comes.
        let halls = collection("halls")
        spec.userListens(to: halls)
        #expect(spec.driver.engine.targetID(for: halls) == TargetID(6))
    }

    /// The turn lets go of 500 documents: of both targets', of the first one's alone, or of neither's.
    @Test(arguments: [2, 300, 501])
    func `a newer bundle's results take the place of the older's, however many those are`(
        count: Int
    ) throws {
        var bench = try EngineBench()
        try load(bundle((1...count).map { "r\($0)" }, at: 2_000), &bench)
        try load(bundle(["r2", "x"], at: 3_000), &bench)
        let data = try #require(try bench.read { try $0.targetData(for: rooms.target) })
        #expect(data.snapshotVersion == version(3_000))
        let keys = try bench.read { try $0.keys(of: data.id) }
        #expect(keys.sorted() == [key("rooms/r2"), key("rooms/x")])
        #expect(try bench.read { try $0.isInAnyTarget(key("rooms/r1")) } == false)
    }
}
