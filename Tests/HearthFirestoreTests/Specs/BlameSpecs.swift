import HearthEngine
import HearthFirestore
import HearthModel
import Testing

/// The batch that is blamed for the end of the write stream, and the batches that are not.
struct BlameSpecs {
    private let denied = HearthError(code: .permissionDenied, message: "Not yours.")
    private let bad = HearthError(code: .invalidArgument, message: "Cannot be sent.")

    /// The batches that were sent by a turn.
    private func sent(_ actions: [FirestoreEngine.Action]) -> [BatchID] {
        actions.compactMap {
            if case .upstream(.write(_, let batch, _, _)) = $0 { batch } else { nil }
        }
    }

    private func benchWithThree() throws -> EngineBench {
        var bench = try EngineBench()
        for number in UInt64(1)...3 { try bench.take(.write(request(number, "rooms/\(number)"))) }
        try bench.openWriteStream(1)
        #expect(sent(bench.actions) == [BatchID(1), BatchID(2), BatchID(3)])
        return bench
    }

    @Test func `an error over several batches blames none of them`() throws {
        var bench = try benchWithThree()
        try bench.refuse(1, denied)
        #expect(!bench.actions.contains { if case .settle = $0 { true } else { false } })
        for id in Int64(1)...3 {
            #expect(try bench.read { try $0.deadLetter(BatchID(id)) } == nil)
        }
        // No wait: the backend is well.
        let reopening = UpstreamCommand.openWrite(StreamNumber(2), as: .unauthenticated)
        #expect(bench.actions.contains(.upstream(reopening)))
    }

    @Test func `after it they go one at a time, and one that fails alone is the culprit`() throws {
        var bench = try benchWithThree()
        try bench.refuse(1, denied)
        try bench.openWriteStream(2)
        #expect(sent(bench.actions) == [BatchID(1)])
        try bench.commit(2, at: 1_000)
        #expect(sent(bench.actions) == [BatchID(2)])
        try bench.refuse(2, denied)
        let letter = try #require(try bench.read { try $0.deadLetter(BatchID(2)) })
        #expect(letter.error == denied)
        #expect(letter.mayHaveBeenApplied)  // The first sending of it was never answered.
        try bench.take(.write(request(4, "rooms/4")))
        try bench.take(.write(request(5, "rooms/5")))
        try bench.openWriteStream(3)
        #expect(sent(bench.actions) == [BatchID(3)])
        try bench.commit(3, at: 2_000)
        #expect(sent(bench.actions) == [BatchID(4), BatchID(5)])
    }

    @Test func `the first that fails alone in the same words was at fault before, too`() throws {
        var bench = try benchWithThree()
        try bench.commit(1, at: 1_000)
        try bench.refuse(1, denied)
        try bench.openWriteStream(2)
        #expect(sent(bench.actions) == [BatchID(2)])
        try bench.refuse(2, denied)
        let letter = try #require(try bench.read { try $0.deadLetter(BatchID(2)) })
        #expect(!letter.mayHaveBeenApplied)
        // Nor has the backend come to the batch behind, whatever the backend says of the batch now.
        try bench.openWriteStream(3)
        #expect(sent(bench.actions) == [BatchID(3)])
        try bench.refuse(3, bad)
        let behind = try #require(try bench.read { try $0.deadLetter(BatchID(3)) })
        #expect(!behind.mayHaveBeenApplied)
    }

    @Test func `a refused delete of what is not there asks nothing and is in no doubt`() throws {
        var bench = try EngineBench()
        for number in UInt64(1)...2 {
            let write = Mutation(
                key: key("rooms/\(number)"), kind: .delete, precondition: .exists(true))
            try bench.take(
                .write(
                    WriteRequest(
                        id: RequestID(session: 1, number: number), identity: nil,
                        writer: Writer(uid: 1000, gid: 1000, pid: 42), mutations: [write])))
        }
        let missing = HearthError(code: .notFound, message: "No document to delete.")
        try bench.openWriteStream(1)
        for stream in UInt64(1)...3 {
            try bench.refuse(stream, missing)
            let asks = bench.actions.contains {
                if case .upstream(.call) = $0 { true } else { false }
            }
            #expect(!asks)
            try bench.openWriteStream(stream + 1)
        }
        for id in Int64(1)...2 {
            let letter = try #require(try bench.read { try $0.deadLetter(BatchID(id)) })
            #expect(!letter.mayHaveBeenApplied)
        }
    }

    @Test func `a copy that was on the way when a stream broke is in doubt for good`() throws {
        var bench = try benchWithThree()
        try bench.refuse(1, denied)
        try bench.openWriteStream(2)
        try bench.refuse(2, HearthError(code: .unavailable, message: "Gone."))
        try bench.take(.timerFired(.writeBackoff))
        try bench.openWriteStream(3)
        try bench.refuse(3, denied)
        let letter = try #require(try bench.read { try $0.deadLetter(BatchID(1)) })
        #expect(letter.mayHaveBeenApplied)
    }

    @Test func `other words than before explain nothing`() throws {
        var bench = try benchWithThree()
        try bench.refuse(1, denied)
        for (stream, id) in [(UInt64(2), Int64(1)), (3, 2)] {
            try bench.openWriteStream(stream)
            try bench.refuse(stream, stream == 2 ? bad : denied)
            let letter = try #require(try bench.read { try $0.deadLetter(BatchID(id)) })
            #expect(letter.mayHaveBeenApplied)
        }
    }

    @Test func `what was on the way before a restart goes one at a time too`() throws {
        let before = try benchWithThree()
        var after = try EngineBench(on: before.store)
        try after.openWriteStream(1)
        #expect(sent(after.actions) == [BatchID(1)])
        try after.refuse(1, denied)
        let letter = try #require(try after.read { try $0.deadLetter(BatchID(1)) })
        #expect(letter.mayHaveBeenApplied)
        #expect(try after.read { try $0.deadLetter(BatchID(2)) } == nil)
    }

    @Test func `a batch that cannot be sent carries itself off and touches no other`() throws {
        var bench = try benchWithThree()
        try bench.commit(1, at: 1_000)
        try bench.take(.upstream(.writeUnsendable(StreamNumber(1), BatchID(2), bad)))
        let id = RequestID(session: 1, number: 2)
        #expect(
            bench.actions.contains(
                .settle(id, BatchID(2), .rejected(bad, mayHaveBeenApplied: false))))
        try bench.openWriteStream(2)
        #expect(sent(bench.actions) == [BatchID(3)])
        try bench.refuse(2, denied)
        let letter = try #require(try bench.read { try $0.deadLetter(BatchID(3)) })
        #expect(!letter.mayHaveBeenApplied)
    }
}
