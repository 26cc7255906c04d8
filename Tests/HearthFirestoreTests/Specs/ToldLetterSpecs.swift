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
        for number in UInt64(1)...3 {
            try before.take(write(number))
            try before.openWriteStream(number)
            try before.refuse(number, no)
            before.now = before.now.advanced(by: .seconds(45))
        }
        #expect(try letters(before, 1...3) == [true, true, true])
        // However long the machine was off.
        let after = try EngineBench(on: store)
        #expect(try letters(after, 1...3) == [true, false, false])
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
