import HearthEngine
import HearthModel
import Testing

@testable import HearthFirestore

/// Whole stories of an engine that keeps the history of documents, on a clock that the test moves.
struct HistorySpecs {
    private let rooms = collection("rooms")
    private let hall = key("rooms/hall")
    private let noon = Timestamp(seconds: 1_800_000_000, nanoseconds: 0)

    private func terms(
        isKept: Bool = true, seconds: Int = 3_600, byteCount: Int = 1 << 20
    ) -> HistoryTerms {
        var terms = HistoryTerms()
        terms.isKept = isKept
        terms.secondsMax = seconds
        terms.byteCountMax = byteCount
        return terms
    }

    private func backend(_ terms: HistoryTerms, on store: MemoryStore = MemoryStore()) throws
        -> WatchBackend
    {
        var bench = try EngineBench(on: store, at: noon)
        try bench.take(.setHistoryTerms(terms))
        return WatchBackend(bench)
    }

    /// A backend whose program listens to the rooms and was told of one.
    private func listening(_ terms: HistoryTerms, on store: MemoryStore = MemoryStore()) throws
        -> WatchBackend
    {
        var backend = try backend(terms, on: store)
        try backend.take(.listen(ListenerID(session: 1, number: 1), rooms, ListenOptions()))
        try backend.answer(rooms, with: [document("rooms/hall", at: 1_000, ["n": .integer(0)])])
        return backend
    }

    /// The steps of a document, the oldest first.
    private func history(_ bench: EngineBench, _ name: String = "rooms/hall") throws
        -> [HistoryEntry]
    {
        try bench.read { try $0.history(HistoryQuestion(of: key(name))) }.entries.reversed()
    }

    private func number(_ entry: HistoryEntry?) -> Value? { entry?.local.fields["n"] }

    private func isScheduled(_ actions: [FirestoreEngine.Action]) -> Bool {
        actions.contains { if case .schedule(.history, _) = $0 { true } else { false } }
    }

    @Test func `a write is accepted and committed, and its watched version is no third step`()
        throws
    {
        var backend = try listening(terms())
        backend.bench.now = noon.advanced(by: .seconds(5))
        try backend.take(.write(request(7)))
        try backend.bench.openWriteStream(1)
        backend.bench.now = noon.advanced(by: .seconds(9))
        try backend.bench.commit(1, at: 2_000)
        try backend.send([document("rooms/hall", at: 2_000, ["n": .integer(7)])], to: rooms)
        try backend.reachSnapshot()
        let entries = try history(backend.bench)
        #expect(entries.map(\.event.write?.batch) == [nil, BatchID(1), BatchID(1)])
        #expect(entries.first?.event == .heard)
        #expect(entries.map { number($0) } == [.integer(0), .integer(7), .integer(7)])
        #expect(entries[1].event.write?.writer.pid == 42)
        #expect(entries[1].local.hasLocalMutations)
        #expect(entries[2].local.version == version(2_000))
        #expect(entries.map { $0.notedAt.since(noon) } == [.zero, .seconds(5), .seconds(9)])
    }

    @Test func `a version below a waiting write is told with what programs see`() throws {
        var backend = try listening(terms())
        try backend.take(.write(request(7)))
        try backend.send([document("rooms/hall", at: 2_000, ["n": .integer(3)])], to: rooms)
        try backend.reachSnapshot()
        let last = try #require(try history(backend.bench).last)
        #expect(last.event == .heard)
        #expect(number(last) == .integer(7))
        #expect(last.remote?.fields["n"] == .integer(3))
        #expect(last.remote?.version == version(2_000))
    }

    @Test func `a refused write ends with the reason, and the document is as before`() throws {
        var backend = try listening(terms())
        try backend.take(.write(request(7)))
        try backend.bench.openWriteStream(1)
        try backend.bench.refuse(1, HearthError(code: .permissionDenied, message: "no"))
        let last = try #require(try history(backend.bench).last)
        #expect(last.event.error?.code == .permissionDenied)
        #expect(last.event.write?.batch == BatchID(1))
        #expect(number(last) == .integer(0))
    }

    @Test func `orders to the queue are steps: edited, withdrawn, given up`() throws {
        var bench = try backend(terms()).bench
        for number in UInt64(1)...3 { try bench.take(.write(request(number, "rooms/\(number)"))) }
        let id = RequestID(session: 9, number: 1)
        let other = Mutation(key: key("rooms/1"), kind: .set(["n": .integer(8)]))
        try bench.take(.steerQueue(id, .edit(BatchID(1), [other]), by: 0))
        try bench.take(.steerQueue(id, .drop([BatchID(2)]), by: 0))
        try bench.take(.steerQueue(id, .cancel([BatchID(3)]), by: 0))
        let edited = try history(bench, "rooms/1")
        #expect(edited.map { number($0) } == [.integer(1), .integer(8)])
        guard case .edited = edited.last?.event else {
            Issue.record("\(edited)")
            return
        }
        guard case .withdrawn = try history(bench, "rooms/2").last?.event else {
            Issue.record("not withdrawn")
            return
        }
        guard case .rejected = try history(bench, "rooms/3").last?.event else {
            Issue.record("not given up")
            return
        }
        #expect(try history(bench, "rooms/3").last?.local.isFound == false)
    }

    @Test func `a deleted document is a version too`() throws {
        var backend = try listening(terms())
        let wire = try backend.wire(rooms)
        try backend.watch(
            .document(
                .init(
                    updated: [], removed: [wire], key: hall,
                    document: .missing(hall, at: version(3_000)))))
        try backend.reachSnapshot()
        let last = try #require(try history(backend.bench).last)
        #expect(last.event == .heard)
        #expect(last.local.isMissing)
        #expect(last.local.version == version(3_000))
    }

    @Test func `without history nothing is noted, and switched on it begins with what is known`()
        throws
    {
        let store = MemoryStore()
        var backend = try listening(terms(isKept: false), on: store)
        try backend.take(.write(request(7)))
        #expect(try history(backend.bench).isEmpty)
        #expect(try backend.bench.read { try $0.historyFigures() } == HistoryFigures())
        try backend.take(.setHistoryTerms(terms()))
        try backend.take(.write(request(9)))
        let entries = try history(backend.bench)
        #expect(entries.map { number($0) } == [.integer(7), .integer(9)])
        #expect(entries.first?.event == .known)
        #expect(entries.first?.remote?.fields["n"] == .integer(0))
        try backend.take(.setHistoryTerms(terms(isKept: false)))
        try backend.take(.write(request(11)))
        #expect(try history(backend.bench).count == 2)
    }

    @Test func `a version that is only sent again is no step, and a newer one has what was known`()
        throws
    {
        var backend = try listening(terms(isKept: false))
        try backend.take(.setHistoryTerms(terms()))
        try backend.send([document("rooms/hall", at: 1_000, ["n": .integer(0)])], to: rooms)
        try backend.reachSnapshot()
        #expect(try history(backend.bench).isEmpty)
        try backend.send([document("rooms/hall", at: 2_000, ["n": .integer(3)])], to: rooms)
        try backend.reachSnapshot()
        let entries = try history(backend.bench)
        #expect(entries.map(\.event) == [.known, .heard])
        #expect(entries.map { number($0) } == [.integer(0), .integer(3)])
    }

    @Test func `what is too old goes when its timer comes, and the timer rests beside one step`()
        throws
    {
        var backend = try backend(terms(seconds: 600))
        let first = try backend.take(.write(request(1)))
        #expect(!isScheduled(first))
        backend.bench.now = noon.advanced(by: .seconds(400))
        let second = try backend.take(.write(request(2)))
        #expect(second.contains(.schedule(.history, after: .seconds(200))))
        backend.bench.now = noon.advanced(by: .seconds(500))
        let third = try backend.take(.write(request(3)))
        #expect(!isScheduled(third))
        backend.bench.now = noon.advanced(by: .seconds(601))
        let fired = try backend.take(.timerFired(.history))
        #expect(fired.contains(.schedule(.history, after: .seconds(399))))
        #expect(
            try history(backend.bench).map { number($0) } == [.integer(2), .integer(3)])
        backend.bench.now = noon.advanced(by: .seconds(2_000))
        let last = try backend.take(.timerFired(.history))
        #expect(!isScheduled(last))
        let left = try history(backend.bench)
        #expect(left.map { number($0) } == [.integer(3)])
        try backend.take(.write(request(4)))
        #expect(try history(backend.bench).map(\.number) == [3, 4])
    }

    @Test func `steps of a clock that was ahead do not stay for ever`() throws {
        var bench = try backend(terms(seconds: 600)).bench
        bench.now = noon.advanced(by: .seconds(100_000))
        for number in UInt64(1)...300 { try bench.take(.write(request(number))) }
        bench.now = noon
        try bench.take(.write(request(301)))
        try bench.take(.timerFired(.history))
        try bench.take(.timerFired(.history))
        #expect(try history(bench).map { number($0) } == [.integer(301)])
    }

    @Test func `the size holds under any load, because every turn makes room for its own steps`()
        throws
    {
        let byteCountMax = 4_000
        var bench = try backend(terms(byteCount: byteCountMax)).bench
        for number in UInt64(1)...300 {
            try bench.take(.write(request(number, "rooms/\(number % 7)")))
            #expect(try bench.read { try $0.historyFigures() }.byteCount <= byteCountMax)
        }
        #expect(try history(bench, "rooms/6").last.map { number($0) } == .integer(300))
    }

    @Test func `a smaller size is reached in slices`() throws {
        var bench = try backend(terms()).bench
        for number in UInt64(1)...600 { try bench.take(.write(request(number))) }
        let told = try bench.take(.setHistoryTerms(terms(byteCount: 1_000)))
        #expect(told.contains(.schedule(.history, after: HistoryLimits.slicePause)))
        var sliceCount = 0
        while try bench.read({ try $0.historyFigures() }).byteCount > 1_000 {
            let before = try bench.read { try $0.historyFigures() }.count
            try bench.take(.timerFired(.history))
            let after = try bench.read { try $0.historyFigures() }.count
            #expect(before - after <= HistoryLimits.sliceCountMax)
            sliceCount += 1
            try #require(sliceCount < 10)
        }
        #expect(sliceCount > 1)
    }

    @Test func `an engine that starts on a store with history looks after it`() throws {
        let store = MemoryStore()
        var backend = try backend(terms(), on: store)
        for number in UInt64(1)...2 { try backend.take(.write(request(number))) }
        let after = try EngineBench(on: store, at: noon)
        #expect(isScheduled(after.actions))
        #expect(try history(after).count == 2)
    }

    @Test func `a step that no frame holds is told without its fields`() {
        let text = String(repeating: "x", count: HistoryLimits.documentByteCountMax)
        var large = document("rooms/hall", at: 1_000, ["text": .string(text)])
        let small = document("rooms/hall", at: 1_000, ["n": .integer(0)])
        var entry = HistoryEntry(notedAt: noon, event: .heard, local: large, remote: small)
        entry.number = 7
        #expect(entry.told.number == 7)
        #expect(entry.told.local == .unknown(hall, at: version(1_000)))
        #expect(entry.told.remote == nil)
        large.markLocalMutations()
        let waiting = HistoryEntry(notedAt: noon, event: .heard, local: large)
        #expect(waiting.told.local.isUnknown && waiting.told.local.hasLocalMutations)
        let plain = HistoryEntry(notedAt: noon, event: .heard, local: small, remote: small)
        #expect(plain.told == plain)
    }

    @Test func `clearing leaves no history, and goes on noting`() throws {
        var bench = try backend(terms()).bench
        try bench.take(.write(request(1)))
        try bench.take(.clearPersistence(RequestID(session: 9, number: 1)))
        #expect(try history(bench).isEmpty)
        try bench.take(.write(request(2)))
        #expect(try history(bench).map { number($0) } == [.integer(2)])
    }
}
