import HearthFirestore
import HearthModel
import HearthTesting
import Testing

/// A lookup settles a document in limbo completely, whatever messages came on the way to the
/// consistent snapshot, from any source and in any order.
struct LookupOrderSpecs {
    private let rooms = Cast.rooms
    private let large = Cast.query(sizeFrom: 1)
    private var hall: Query { Query(document: Cast.hall.key) }

    /// What the backend says of the document in limbo.
    enum Word: Sendable {
        /// The lookup finds it, changed.
        case found
        /// It leaves the lookup's result.
        case gone
        /// It is deleted.
        case deleted
        /// Another target names it, as it was.
        case namedElsewhere
        /// It leaves that target's result.
        case goneElsewhere
    }

    private let changed = Cast.room("hall", size: 7, at: 1_002)

    /// Two queries show the hall, which the backend has ceased to name: it is being looked up.
    private func lookingUp() throws -> FirestoreSpec {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms)
        try spec.watchAnswers(rooms, with: [Cast.attic, Cast.hall], resumeToken: "r1", at: 1_000)
        try spec.watchResets(rooms)
        try spec.watchSends([Cast.attic], to: rooms)
        try spec.watchMarksCurrent(rooms, resumeToken: "r2", at: 1_001)
        try spec.expectLimbo([Cast.hall.key])
        spec.userListens(to: large)
        try spec.watchAcknowledges(large)
        try spec.watchSends([Cast.attic], to: large)
        try spec.watchAcknowledges(hall)
        spec.driver.forgetHeard()
        return spec
    }

    private func say(_ word: Word, _ spec: FirestoreSpec) throws {
        switch word {
        case .found: try spec.watchSends([changed], to: hall)
        case .gone: try spec.watchTakes([Cast.hall.key], from: hall)
        case .deleted: try spec.watchDeletes(Cast.hall.key, from: hall, at: 1_003)
        case .namedElsewhere: try spec.watchSends([Cast.hall], to: large)
        case .goneElsewhere: try spec.watchTakes([Cast.hall.key], from: large)
        }
    }

    @Test(
        arguments: [
            [.found, .gone], [.found, .deleted], [.found, .gone, .found, .gone],
            [.gone, .found, .deleted], [.deleted, .namedElsewhere, .goneElsewhere],
            [.namedElsewhere, .found, .gone, .goneElsewhere],
            [.found, .namedElsewhere, .gone, .goneElsewhere],
            [.namedElsewhere, .goneElsewhere], [],
        ] as [[Word]])
    func `a document that is gone at the end of a snapshot leaves every view and limbo`(
        words: [Word]
    ) throws {
        let spec = try lookingUp()
        for word in words { try say(word, spec) }
        try spec.watch(.target(.init(kind: .current, targets: spec.wires(of: [hall, large]))))
        try spec.watchReachesSnapshot(at: 1_010)
        try spec.expectLimbo([])
        try spec.expectNoListen(to: hall)
        for query in [rooms, large] {
            let last = try #require(
                spec.driver.heard.last { $0.query == query }, "\(query.canonicalID)")
            let snapshot = try last.result.get()
            #expect(snapshot.documents.documents == [Cast.attic])
            #expect(!snapshot.isFromCache)
        }
        spec.driver.forgetHeard()
        try spec.watchReachesSnapshot(at: 1_011)
        try spec.expectSilence()
    }

    @Test(arguments: [[.found], [.found, .gone, .found], [.deleted, .found]] as [[Word]])
    func `a document that is there at the end of a snapshot is shown, and stays in doubt`(
        words: [Word]
    ) throws {
        let spec = try lookingUp()
        for word in words { try say(word, spec) }
        try spec.watchMarksCurrent(hall, resumeToken: "l", at: 1_010)
        try spec.expectLimbo([Cast.hall.key])
        try spec.expectSnapshot(of: rooms, modified: [changed], isFromCache: true)
    }

    @Test func `a lookup that has not said all leaves the document in doubt`() throws {
        let spec = try lookingUp()
        try say(.found, spec)
        try say(.gone, spec)
        try spec.watchReachesSnapshot(at: 1_010)
        try spec.expectLimbo([Cast.hall.key])
        spec.driver.forgetHeard()
        try spec.watchMarksCurrent(hall, resumeToken: "l", at: 1_011)
        try spec.expectSnapshot(of: rooms, removed: [changed], isFromCache: false)
        try spec.expectLimbo([])
    }

    @Test func `a document's own listener hears that it came and went within a snapshot`() throws {
        let spec = try FirestoreSpec()
        spec.userListens(to: hall)
        try spec.watchAcknowledges(hall)
        try say(.found, spec)
        try say(.gone, spec)
        try spec.watchMarksCurrent(hall, resumeToken: "l", at: 1_010)
        try spec.expectSnapshot(of: hall, isFromCache: false)
        try spec.expectLimbo([])
    }
}

extension FirestoreSpec {
    /// The newest names of targets on the wire.
    fileprivate func wires(of queries: [Query]) -> [WireTargetID] {
        queries.compactMap { query in
            driver.upstream.active.values.filter { $0.target == query.target }.map(\.wireID).max()
        }
    }
}
