import Hearth
import HearthTestSupport
import Testing

/// Writes that the backend applied, when the answer is lost on the way.
///
/// Firestore's protocol has no number by which the backend would know a write again. So what can be
/// repeated without harm is repeated; of any other write, nobody claims to know whether it was
/// applied.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct LostAnswerTests {
    /// Lets the stream break after the handshake, instead of bringing the first commit's answer.
    private static let lostWrite = ["--fault", "Write:cutStream=1"]

    @Test func `a write whose answer is lost is sent again, and is there once`() async throws {
        let world = try World(isOnline: false)
        let machine = try world.machine()
        let (writer, reader) = (machine.client(), machine.client())
        let log = writer.document("logs/all")
        for number in 0..<5 {
            try await log.setData(
                ["numbers": FieldValue.arrayUnion([number]), "last": number], merge: true,
                until: .accepted)
        }
        var seen = reader.document("logs/all").snapshots(includeMetadataChanges: true)
            .makeAsyncIterator()
        try world.startEmulator(Self.lostWrite)
        let settled = try await seen.first {
            !$0.metadata.hasPendingWrites && !$0.metadata.isFromCache
        }
        #expect(settled["numbers"] as? [Int] == Array(0..<5))
        #expect(settled["last"] as? Int == 4)
        let status = try await writer.daemonStatus()
        #expect(status.queueBatchCount == 0)
        #expect(status.deadLetterCount == 0)
        let stored = try await writer.document("logs/all").getDocument(source: .server)
        #expect(stored["numbers"] as? [Int] == Array(0..<5))
    }

    @Test func `a write that holds only once is not applied again, and is told as in doubt`()
        async throws
    {
        let world = try World()
        let client = try world.machine().client()
        let (token, count) = (client.document("tokens/one"), client.document("logs/count"))
        try await token.setData(["isThere": true])
        world.killEmulator()
        // Takes the token and counts; without the token it fails as a whole.
        let batch = client.batch()
        batch.updateData(["isTaken": true], forDocument: token)
        batch.deleteDocument(token)
        batch.setData(["n": FieldValue.increment(Int64(1))], forDocument: count, merge: true)
        let receipt = try #require(try await batch.commit(until: .accepted))
        try world.startEmulator(Self.lostWrite)
        let error = await #expect(throws: FirestoreError.self) { try await receipt.committed() }
        #expect(error?.code == .notFound)
        #expect(error?.mayHaveBeenApplied == true)
        #expect(try await count.getDocument(source: .server)["n"] as? Int == 1)
        #expect(try await token.getDocument(source: .server).exists == false)
        let letters = try await client.deadLetters().letters
        #expect(letters.map(\.error.mayHaveBeenApplied) == [true])
    }

    @Test func `a transaction whose answer is lost is not tried again, and is told as in doubt`()
        async throws
    {
        let world = try World(emulatorFlags: ["--fault", "Commit:loseAnswer"])
        let client = try world.machine().client()
        try await client.document("logs/ready").setData(["isReady": true])
        let sum = client.document("logs/sum")
        let error = await #expect(throws: FirestoreError.self) {
            try await client.runTransaction(with: TransactionOptions(maxAttempts: 5)) {
                transaction in
                let number = try await transaction.getDocument(sum)["n"] as? Int ?? 0
                transaction.setData(["n": number + 1], forDocument: sum)
            }
        }
        #expect(error?.mayHaveBeenApplied == true)
        #expect(try await sum.getDocument(source: .server)["n"] as? Int == 1)
    }
}
