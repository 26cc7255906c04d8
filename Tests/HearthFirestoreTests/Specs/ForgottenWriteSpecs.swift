import HearthEngine
import HearthFirestore
import HearthModel
import HearthSQLite
import HearthStore
import HearthTestSupport
import Testing

/// Writes that are sent again after the store has forgotten their outcome.
struct ForgottenWriteSpecs {
    @Test
    func `a write that was sent to other stores is taken if it is known, and else is in doubt`()
        throws
    {
        var bench = try EngineBench()
        try bench.take(.write(request(1, sequence: 1)))
        let known = try bench.take(.write(request(2, sequence: 1, wasSentElsewhere: true)))
        #expect(known.contains(.accept(RequestID(session: 1, number: 2), BatchID(1))))
        let unknown = try bench.take(.write(request(3, sequence: 2, wasSentElsewhere: true)))
        #expect(unknown == [.result(RequestID(session: 1, number: 3), .writeForgotten)])
        let new = try bench.take(.write(request(4, sequence: 3)))
        #expect(new.contains(.accept(RequestID(session: 1, number: 4), BatchID(2))))
    }

    @Test func `a resend past the bound is told that nobody knows, and becomes no new batch`()
        throws
    {
        let folder = TemporaryFolder()
        let database = DatabaseID(project: "p")
        let store = try SQLiteStore(
            StoreConfiguration(path: "\(folder.path)/store.sqlite", database: database))
        var engine = FirestoreEngine(
            configuration: FirestoreEngine.Configuration(database: database), seed: 1)
        func take(_ input: FirestoreEngine.Input) throws -> [FirestoreEngine.Action] {
            var next = engine
            let actions = try store.transaction { transaction throws(StoreError) in
                try next.take(input, at: start, in: transaction)
            }
            engine = next
            return actions
        }
        _ = try take(.start)
        for sequence in UInt64(1)...3 {
            _ = try take(.write(request(sequence, sequence: sequence)))
        }
        let stream = StreamNumber(1)
        _ = try take(.upstream(.writeOpened(stream)))
        _ = try take(.upstream(.writeHandshaken(stream, [7])))
        for number in Int64(1)...2 {
            let answer = WriteAnswer(
                token: [8], committedAt: version(number),
                results: [Mutation.Result(version: version(number))])
            _ = try take(.upstream(.writeAnswered(stream, answer)))
        }
        let never = Timestamp(seconds: 0, nanoseconds: 0)
        while try store.pruneRecords(keeping: 0, notedBefore: never) {}
        for sequence in UInt64(1)...2 {
            let id = RequestID(session: 1, number: 10 + sequence)
            #expect(
                try take(.write(request(id.number, sequence: sequence)))
                    == [.result(id, .writeForgotten)])
        }
        // The third still waits and is known; the fourth is new.
        let third = try take(.write(request(13, sequence: 3)))
        #expect(third == [.accept(RequestID(session: 1, number: 13), BatchID(3))])
        let fourth = try take(.write(request(14, sequence: 4)))
        #expect(fourth.contains(.accept(RequestID(session: 1, number: 14), BatchID(4))))
    }
}
