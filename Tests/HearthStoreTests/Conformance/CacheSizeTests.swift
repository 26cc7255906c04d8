import HearthEngine
import HearthFirestore
import HearthModel
import HearthSQLite
import HearthStore
import Testing

/// An engine on a store that was filled before, whose timer of collecting a test fires.
private final class CacheBench {
    static let byteCountMax = 1 << 20
    /// The text of one document, which then takes a little more than a kilobyte.
    static let text = String(repeating: "x", count: 1_000)

    let bench: StoreBench
    private var engine = FirestoreEngine(
        configuration: FirestoreEngine.Configuration(
            database: StoreBench.database,
            collection: .leastUsed(cacheByteCountMax: byteCountMax)), seed: 1)

    init(_ kind: StoreKind, fill: (any FirestoreTransaction) throws -> Void) throws {
        bench = try StoreBench(kind)
        try bench.write(fill)
        try bench.write { store in
            var globals = try store.globals()
            globals.sequenceNumber = 100_000
            try store.setGlobals(globals)
        }
        try take(.start)
    }

    @discardableResult
    func take(_ input: FirestoreEngine.Input) throws -> [FirestoreEngine.Action] {
        var next = engine
        let actions = try bench.write {
            try next.take(input, at: Timestamp(seconds: 1_000, nanoseconds: 0), in: $0)
        }
        engine = next
        return actions
    }

    /// Fires the timer until it is set to ring much later; returns how much later.
    @discardableResult
    func collect() throws -> Duration {
        for _ in 1...10_000 {
            for case .schedule(.garbageCollection, let delay) in try take(
                .timerFired(.garbageCollection)) where delay > .seconds(1)
            {
                return delay
            }
        }
        throw StoreError.io("collecting does not end")
    }

    var byteCount: Int { get throws { try bench.write { try $0.cacheByteCount() } } }

    func holds(_ name: String) throws -> Bool {
        try bench.write { try $0.remoteDocument(key(name)).isFound }
    }
}

/// How the size that is configured bounds the cache.
struct CacheSizeTests {
    /// Stores documents of one collection and uses them in turn.
    private func fill(
        _ store: any FirestoreTransaction, _ collection: String, _ numbers: Range<Int>
    ) throws {
        for number in numbers {
            let name = "\(collection)/\(number)"
            try store.setRemoteDocument(found(name, ["text": .string(CacheBench.text)]))
            try store.touch([key(name)], at: Int64(number + 1))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a cache that grew far beyond its size is below it when the timer rests`(kind: StoreKind)
        throws
    {
        let bench = try CacheBench(kind) { try fill($0, "a", 0..<5_000) }
        #expect(try bench.byteCount > 4 * CacheBench.byteCountMax)
        #expect(try bench.collect() == CollectionLimits.nearPeriod)
        #expect(try bench.byteCount <= CacheBench.byteCountMax)
        #expect(try bench.byteCount > CacheBench.byteCountMax / 2)
        #expect(try !bench.holds("a/0"))
        #expect(try bench.holds("a/4999"))
    }

    @Test(arguments: StoreKind.allCases)
    func `a few large targets are collected, though a tenth of them is none`(kind: StoreKind)
        throws
    {
        let bench = try CacheBench(kind) { store in
            for number in 1...3 {
                let (id, collection) = (TargetID(Int32(2 * number)), "c\(number)")
                try store.setTargetData(
                    TargetData(
                        id: id, target: target(collection), sequenceNumber: Int64(number)))
                for number in 0..<500 {
                    let name = "\(collection)/\(number)"
                    try store.setRemoteDocument(
                        found(name, ["text": .string(CacheBench.text)]))
                }
                let keys = (0..<500).map { key("\(collection)/\($0)") }
                try store.addKeys(keys, to: id, at: Int64(number))
            }
        }
        #expect(try bench.byteCount > CacheBench.byteCountMax)
        try bench.collect()
        #expect(try bench.byteCount <= CacheBench.byteCountMax)
        #expect(try !bench.holds("c1/0"))
        #expect(try bench.holds("c3/499"))
    }

    @Test(arguments: StoreKind.allCases)
    func `what a listener shows stays, and what others left stays beside it`(kind: StoreKind)
        throws
    {
        let bench = try CacheBench(kind) { store in
            try fill(store, "shown", 0..<1_500)
            try fill(store, "others", 0..<100)
        }
        let listener = ListenerID(session: 1, number: 1)
        let options = ListenOptions(isCacheOnly: true)
        try bench.take(.listen(listener, Query(path: path("shown")), options))
        try bench.collect()
        #expect(try bench.holds("shown/0"))
        #expect(try bench.holds("others/0"))
        try bench.take(.unlisten(listener))
        try bench.collect()
        #expect(try bench.byteCount <= CacheBench.byteCountMax)
        #expect(try !bench.holds("others/0"))
    }

    @Test(arguments: StoreKind.allCases)
    func `what a pin keeps without a listener stays, and what others left stays beside it`(
        kind: StoreKind
    ) throws {
        let target = TargetID(2)
        let bench = try CacheBench(kind) { store in
            try fill(store, "others", 0..<100)
            try store.setTargetData(
                TargetData(
                    id: target, target: Query(path: path("kept")).target, sequenceNumber: 1))
            for number in 0..<1_500 {
                try store.setRemoteDocument(
                    found("kept/\(number)", ["text": .string(CacheBench.text)]))
            }
            try store.addKeys((0..<1_500).map { key("kept/\($0)") }, to: target, at: 1)
        }
        var pins = PinSet()
        pins.uidByteCountMax = 1 << 30
        pins.pins = [
            Pin(
                id: Pin.ID(uid: 7, name: "kept"), query: Query(path: path("kept")),
                freshness: .seconds(600))
        ]
        try bench.take(.setPins(pins, for: nil))
        try bench.take(.timerFired(.pins))  // Takes the pin up; the next one would listen.
        try bench.collect()
        #expect(try bench.holds("kept/0"))
        #expect(try bench.holds("others/0"))
        try bench.take(.setPins(PinSet(), for: nil))
        // The target was in use until now, so the first look may spare it; another look comes soon.
        for _ in 0..<2 { try bench.collect() }
        let byteCount = try bench.byteCount
        #expect(byteCount <= CacheBench.byteCountMax)
    }

    @Test(arguments: StoreKind.allCases)
    func `what waits for the backend does not drive out the cache`(kind: StoreKind) throws {
        let bench = try CacheBench(kind) { try fill($0, "others", 0..<100) }
        for number in 0..<1_000 {
            let write = WriteRequest(
                id: RequestID(session: 1, number: UInt64(number)), writer: author,
                mutations: [
                    Mutation(
                        key: key("q/\(number)"), kind: .set(["text": .string(CacheBench.text)]))
                ])
            try bench.take(.write(write))
        }
        try bench.collect()
        #expect(try bench.holds("others/0"))
    }

    @Test(arguments: StoreKind.allCases)
    func `a cache in which nothing may go is left alone for a while`(kind: StoreKind) throws {
        let bench = try CacheBench(kind) { store in
            try fill(store, "a", 0..<1_500)
            for number in 0..<1_500 {
                try store.append(batch(Int64(number + 1), set("a/\(number)")))
            }
        }
        #expect(try bench.collect() >= CollectionLimits.nearPeriod)
        #expect(try bench.holds("a/0"))
    }
}

/// How names of collections that hold nothing any more are forgotten.
struct CollectionNameTests {
    private func forgetAll(_ bench: StoreBench) throws {
        try bench.write { store in
            _ = try store.removeOrphans(usedUpTo: .max, limit: .max) { _ in false }
        }
        guard let store = bench.store as? SQLiteStore else { return }
        while try store.pruneCollections(period: .zero, sliceDuration: .zero) {}
    }

    @Test(arguments: StoreKind.allCases)
    func `the name of a collection goes with its last document, unless a write waits there`(
        kind: StoreKind
    ) throws {
        let bench = try StoreBench(kind)
        try bench.write { store in
            for number in 0..<100 { try store.setRemoteDocument(found("a/\(number)/c/x")) }
            try store.append(batch(1, set("a/7/c/x")))
        }
        #expect(try bench.write { try $0.collections(inGroup: "c").count } == 100)
        try forgetAll(bench)
        #expect(try bench.write { try $0.collections(inGroup: "c") } == [path("a/7/c")])
    }

    @Test(arguments: StoreKind.allCases)
    func `a collection whose name was forgotten is there again with its next document`(
        kind: StoreKind
    ) throws {
        let bench = try StoreBench(kind)
        try bench.write { try $0.setRemoteDocument(found("a/x")) }
        try bench.write { try $0.setRemoteDocument(found("b/x")) }
        try forgetAll(bench)
        try bench.write { try $0.setRemoteDocument(found("b/y")) }
        try bench.write { try $0.setRemoteDocument(found("a/y")) }
        let listed = try bench.write {
            try $0.remoteDocuments(DocumentScan(query: Query(path: path("a"))))
        }
        #expect(listed.documents.keys.sorted() == [key("a/y")])
        #expect(try bench.write { try $0.collections(inGroup: "b") } == [path("b")])
    }
}
