import HearthEngine
import HearthFirestore
import HearthModel
import Testing

/// A backend that plays its part on the watch stream, message by message.
struct WatchBackend {
    var bench: EngineBench
    var stream = StreamNumber(0)
    var wires: [TargetID: WireTargetID] = [:]
    private var lastToken = 0

    init(_ bench: EngineBench) { self.bench = bench }

    /// Takes an input, and takes up what the engine asks of the stream.
    @discardableResult
    mutating func take(_ input: FirestoreEngine.Input) throws -> [FirestoreEngine.Action] {
        var actions = try bench.take(input)
        for case .upstream(.openWatch(let number, _)) in actions {
            stream = number
            actions += try bench.take(.upstream(.watchOpened(number)))
        }
        return actions
    }

    func wire(_ query: Query) throws -> WireTargetID {
        let lookedUp = query.documentKey.flatMap { bench.engine.activeLimboTargets[$0] }
        let id = try #require(bench.engine.targetID(for: query) ?? lookedUp)
        return try #require(bench.engine.wireTargetIDs()[id])
    }

    mutating func watch(_ change: WatchChange) throws {
        try take(.upstream(.watched(stream, change)))
    }

    mutating func send(_ documents: [Document], to query: Query) throws {
        let wire = try wire(query)
        for document in documents {
            try watch(
                .document(
                    .init(updated: [wire], removed: [], key: document.key, document: document)))
        }
    }

    /// Takes up the target, sends documents, and says that they are all.
    mutating func answer(_ query: Query, with documents: [Document]) throws {
        try watch(.target(.init(kind: .added, targets: [try wire(query)])))
        try send(documents, to: query)
        lastToken += 1
        try watch(
            .target(
                .init(
                    kind: .current, targets: [try wire(query)],
                    resumeToken: ResumeToken(Array("t\(lastToken)".utf8)))))
        try reachSnapshot()
    }

    mutating func reachSnapshot() throws {
        try watch(
            .target(.init(kind: .noChange, targets: [], readAt: SnapshotVersion(bench.now))))
    }

    /// The stream breaks, and is opened again at once.
    mutating func cut() throws {
        try take(
            .upstream(
                .watchClosed(stream, HearthError(code: .unavailable, message: "cut"))))
        try take(.timerFired(.watchBackoff))
    }
}
