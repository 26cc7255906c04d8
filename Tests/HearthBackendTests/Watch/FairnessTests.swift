import HearthModel
import Testing

@testable import HearthBackend

/// Nobody's silence is anybody's problem: who does not read costs nothing and delays nobody.
struct FairnessTests {
    private static let streams = (1...20).map { StreamID(UInt64($0)) }
    private static let slow = StreamID(7)

    /// A backend with streams that all watch the same collection; each stream also watches a
    /// collection of its own.
    private func crowd(_ settings: BackendSettings = BackendSettings()) throws -> BackendSpec {
        var spec = BackendSpec(settings)
        for stream in Self.streams {
            _ = try spec.listen(2, .query(.all("c")), on: stream)
            _ = try spec.listen(4, .query(.all("own\(stream.rawValue)")), on: stream)
        }
        return spec
    }

    private func write(_ spec: inout BackendSpec, _ number: Int) throws {
        let collection = number.isMultiple(of: 3) ? "own\(number % 25)" : "c"
        try spec.put("\(collection)/\(number % 10)", ["n": .integer(Int64(number))])
    }

    @Test func `a paused stream changes nothing for the others`() throws {
        var alone = try crowd()
        var among = try crowd()
        among.backend.pause(Self.slow)
        for number in 0..<300 {
            try write(&alone, number)
            try write(&among, number)
            for stream in Self.streams where stream != Self.slow {
                #expect(among.takeMessages(stream) == alone.takeMessages(stream))
            }
            #expect(among.takeMessages(Self.slow) == [])
        }
        // Nor does its catching up.
        among.backend.resume(Self.slow, at: among.now)
        for stream in Self.streams {
            #expect(among.takeMessages(stream).isEmpty == (stream != Self.slow))
        }
    }

    @Test func `nothing is kept for a paused stream, and what it is told is the difference`() throws
    {
        var spec = try crowd()
        spec.backend.pause(Self.slow)
        for number in 0..<2_000 { try write(&spec, number) }
        #expect(spec.take(Self.slow) == [])
        spec.backend.resume(Self.slow, at: spec.now)
        let told = spec.take(Self.slow)
        // Ten documents of each collection at most, however many commits there were.
        #expect(told.last == .snapshot)
        #expect((10...21).contains(told.count))
    }

    @Test func `a paused stream does not keep the past from being forgotten`() throws {
        var settings = BackendSettings()
        settings.historyCommitCountMax = 50
        var spec = try crowd(settings)
        let start = spec.backend.historyStart(of: BackendSpec.database)
        spec.backend.pause(Self.slow)
        for number in 0..<500 { try write(&spec, number) }
        let database = try #require(spec.backend.databases.first { _ in true }).value
        #expect(spec.backend.historyStart(of: BackendSpec.database) > start)
        #expect(database.log.count == 50)
        #expect(database.watch.sessions.filter { $0.value.behind != nil }.map(\.key) == [Self.slow])
        spec.backend.resume(Self.slow, at: spec.now)
        let told = spec.take(Self.slow)
        #expect(told.first == .reset([2, 4]))
        #expect(told.suffix(2) == [.current([2, 4]), .snapshot])
        for number in 0..<10 { #expect(told.contains(.document("c/\(number)", in: [2]))) }
    }

    /// Few queries are held against the missed changes one by one; of many, those concerned are
    /// found.
    @Test(arguments: [3, 60]) func `whoever catches up has what it would have had`(
        queryCount: Int
    ) throws {
        var settings = BackendSettings()
        settings.historyCommitCountMax = 60
        var spec = BackendSpec(settings)
        var random = RandomQueries(seed: UInt64(queryCount))
        for number in 0..<60 { try spec.put("c/\(number)", random.fields()) }
        var queries: [StreamID: [StructuredQuery]] = [:]
        var held: [StreamID: [WireTargetID: [DocumentKey: SnapshotVersion]]] = [:]
        let streams = Self.streams.prefix(8)
        for stream in streams {
            spec.backend.open(stream, in: BackendSpec.database)
            queries[stream] = (0..<queryCount).map { _ in random.plan().query }
            for (place, query) in queries[stream, default: []].enumerated() {
                let request = WatchRequest(
                    targetID: WireTargetID(Int32(place + 1)), subject: .query(query))
                try spec.backend.watch(request, on: stream, at: spec.now)
            }
        }
        for round in 0..<250 {
            let stream = try #require(streams.randomElement(using: &random.lottery))
            switch random.lottery.number(below: 8) {
            case 0, 1: spec.backend.pause(stream)
            case 2: spec.backend.resume(stream, at: spec.now)
            case 3: try spec.delete(random.path(below: 90))
            default: try spec.put(random.path(below: 90), random.fields())
            }
            if round == 249 { for stream in streams { spec.backend.resume(stream, at: spec.now) } }
            for stream in streams { held[stream, default: [:]].follow(spec.takeMessages(stream)) }
        }
        for stream in streams {
            for (place, query) in queries[stream, default: []].enumerated() {
                let found = try spec.view().run(QueryPlan(query, in: BackendSpec.database))
                let expected = Dictionary(
                    uniqueKeysWithValues: found.documents.map { ($0.key, $0.version) })
                let target = WireTargetID(Int32(place + 1))
                #expect(held[stream]?[target] ?? [:] == expected, "\(stream) \(query)")
            }
        }
    }
}
