import HearthEngine
import HearthFirestore
import HearthModel
import Testing

/// Bundles that name times which have not come yet.
struct BundleTimeSpecs {
    private let now = Timestamp(seconds: 1_700_000_000, nanoseconds: 0)
    private let request = RequestID(session: 9, number: 1)

    /// Where a bundle names its latest time.
    enum Place: CaseIterable {
        case bundle, document, reading, query
    }

    private func bundle(naming time: Timestamp, as place: Place) -> Bundle {
        let (past, named) = (version(1_000), SnapshotVersion(time))
        func at(_ wanted: Place) -> SnapshotVersion { place == wanted ? named : past }
        var room = Document.found(key("rooms/hall"), at: at(.document), ["n": .integer(1)])
        room.readAt = max(at(.reading), room.version)
        return Bundle(
            record: BundleRecord(id: "b", createdAt: at(.bundle), version: 1),
            entries: [.init(document: room, queries: ["q"])],
            namedQueries: [
                NamedQuery(name: "q", query: collection("rooms"), readAt: at(.query))
            ], byteCount: 70)
    }

    private func isLoaded(
        _ bundle: Bundle, at now: Timestamp, heard: Timestamp? = nil
    ) throws -> Bool {
        var bench = try EngineBench(at: now)
        if let heard {
            try bench.take(
                .listen(ListenerID(session: 1, number: 1), collection("halls"), ListenOptions()))
            try bench.take(.upstream(.watchOpened(StreamNumber(1))))
            let change = TargetWatchChange(
                kind: .noChange, targets: [], readAt: SnapshotVersion(heard))
            try bench.take(.upstream(.watched(StreamNumber(1), .target(change))))
        }
        try bench.take(.loadBundle(request, bundle))
        let cached = try bench.read { try $0.remoteDocument(key("rooms/hall")) }
        let refusals = bench.actions.compactMap { action in
            if case .refuse(request, let error) = action { error } else { nil }
        }
        #expect(refusals.allSatisfy { $0.code == .invalidArgument && $0.message.contains("clock") })
        #expect(refusals.isEmpty == cached.isFound)
        return cached.isFound
    }

    @Test(arguments: Place.allCases)
    func `a bundle that is more than a day ahead is refused, and nothing of it is cached`(
        place: Place
    ) throws {
        let day = Duration.seconds(24 * 3_600)
        #expect(try isLoaded(bundle(naming: now.advanced(by: day), as: place), at: now))
        let late = now.advanced(by: day + .seconds(1))
        #expect(try !isLoaded(bundle(naming: late, as: place), at: now))
        let last = Timestamp(seconds: 253_402_300_799, nanoseconds: 999_999_999)
        #expect(try !isLoaded(bundle(naming: last, as: place), at: now))
    }

    @Test func `a clock that is behind the backend counts for less than the backend's word`() throws
    {
        let late = now.advanced(by: .seconds(90 * 24 * 3_600))
        let heard = late.advanced(by: .seconds(-60))
        #expect(try isLoaded(bundle(naming: late, as: .document), at: now, heard: heard))
    }

    @Test func `a clock that was never set judges no bundle`() throws {
        let unset = Timestamp(seconds: 1_000, nanoseconds: 0)
        #expect(try isLoaded(bundle(naming: now, as: .document), at: unset))
    }
}
