import HearthEngine
import HearthModel
import Testing

@testable import HearthFirestore

/// Rejections: each is told to its caller, or waits for somebody, whatever comes in between.
struct ToldLetterSpecs {
    private let hall = key("rooms/hall")
    private let no = HearthError(code: .permissionDenied, message: "No.")

    private func write(
        _ number: UInt64, ifUnchangedSince time: Timestamp? = nil
    ) -> FirestoreEngine.Input {
        .write(
            WriteRequest(
                id: id(number), writer: Writer(uid: 1_000, gid: 1_000, pid: 42),
                mutations: [
                    Mutation(
                        key: hall, kind: .set(["n": .integer(Int64(number))]),
                        precondition: time.map { .updateTime(SnapshotVersion($0)) } ?? .none)
                ], conditions: .judged))
    }

    private func id(_ number: UInt64) -> RequestID { RequestID(session: 1, number: number) }

    private func promise(_ actions: [FirestoreEngine.Action]) -> Timestamp? {
        for case .result(_, .promised(let promise)) in actions { return promise.promisedAt }
        return nil
    }

    /// Has the backend refuse a write for each number, 45 seconds apart; the callers of some are known
    /// to have heard.
    private func refuse(
        _ numbers: ClosedRange<UInt64>, heard: Set<UInt64> = [], _ bench: inout EngineBench
    ) throws {
        for number in numbers {
            try bench.take(write(number))
            try bench.openWriteStream(number)
            try bench.refuse(number, no)
            if heard.contains(number) { try bench.take(.told(BatchID(Int64(number)))) }
            bench.now = bench.now.advanced(by: .seconds(45))
        }
    }

    /// Whether the letters of the first batches were told; nil for those that have none.
    private func letters(_ bench: EngineBench, _ batches: ClosedRange<Int64>) throws -> [Bool?] {
        try bench.read { store in
            try batches.map { try store.deadLetter(BatchID($0))?.wasTold }
        }
    }

    @Test func `a rejection decided while its caller is told "accepted" waits for somebody`()
        throws
    {
        var bench = try EngineBench()
        try bench.take(write(1))
        try bench.openWriteStream(1)
        try bench.refuse(1, no)
        #expect(try letters(bench, 1...1) == [true])
        // The caller's patience ended, and the engine hears of it too late.
        try bench.take(.disclaim(id(1), BatchID(1)))
        #expect(try letters(bench, 1...1) == [false])
    }

    @Test func `a caller who goes after another has resent the write hides nothing`() throws {
        var bench = try EngineBench()
        try bench.take(write(1))
        try bench.openWriteStream(1)
        try bench.commit(1, at: 5_000)
        try bench.take(.disclaim(id(1), BatchID(1)))
        #expect(try letters(bench, 1...1) == [nil])
    }

    @Test func `a start does not trust that the last rejections of the former run were told`()
        throws
    {
        let store = MemoryStore()
        var before = try EngineBench(on: store)
        try refuse(1...3, &before)
        #expect(try letters(before, 1...3) == [true, true, true])
        // However long the machine was off.
        let after = try EngineBench(on: store)
        #expect(try letters(after, 1...3) == [nil, false, false])
    }

    @Test func `no later start digs further back than the start after the kill`() throws {
        let store = MemoryStore()
        var before = try EngineBench(on: store)
        try refuse(1...4, &before)
        var after = try EngineBench(on: store)
        #expect(try letters(after, 1...4) == [nil, nil, false, false])
        let drop = QueueOrder<[Mutation]>.dropDeadLetters([BatchID(3), BatchID(4)])
        try after.take(.steerQueue(id(9), drop, by: 0))
        for _ in 1...2 {
            let later = try EngineBench(on: store)
            #expect(try letters(later, 1...4) == [nil, nil, nil, nil])
        }
    }

    @Test func `a start has only those rejections wait that no caller is known to have heard`()
        throws
    {
        let store = MemoryStore()
        var before = try EngineBench(on: store)
        try refuse(1...3, heard: [1, 3], &before)
        #expect(try letters(before, 1...3) == [nil, true, nil])
        let after = try EngineBench(on: store)
        #expect(try letters(after, 1...3) == [nil, false, nil])
    }

    @Test func `an end after which every caller has heard leaves nothing in doubt`() throws {
        let store = MemoryStore()
        var before = try EngineBench(on: store)
        try refuse(1...2, heard: [1, 2], &before)
        try before.take(.shutdown)
        let after = try EngineBench(on: store)
        #expect(try letters(after, 1...2) == [nil, nil])
    }

    @Test func `a letter that waits for somebody stays, whoever is told later`() throws {
        var bench = try EngineBench()
        try bench.take(write(1))
        try bench.openWriteStream(1)
        try bench.refuse(1, no)
        try bench.take(.disclaim(id(1), BatchID(1)))
        // Another connection has resent the write, and was told.
        try bench.take(.told(BatchID(1)))
        #expect(try letters(bench, 1...1) == [false])
    }

    @Test func `a chain of writes that cannot hold is given up a hundred in a turn`() throws {
        var bench = try EngineBench()
        var last = promise(try bench.take(write(1)))
        for number in UInt64(2)...251 {
            last = promise(try bench.take(write(number, ifUnchangedSince: last)))
        }
        try bench.take(write(252))
        try bench.openWriteStream(1)
        try bench.refuse(1, no)
        func count() throws -> Int { try letters(bench, 1...252).count { $0 != nil } }
        var counts: [Int] = []
        try bench.openWriteStream(2)
        while bench.actions.contains(.schedule(.filling, after: .zero)) {
            counts.append(try count())
            try bench.take(.timerFired(.filling))
        }
        #expect(counts == [101, 201])
        #expect(try count() == 251)
        let sent = bench.actions.contains {
            if case .upstream(.write(_, BatchID(252), _, _)) = $0 { true } else { false }
        }
        #expect(sent)
    }
}
