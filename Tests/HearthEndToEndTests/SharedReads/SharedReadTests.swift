import Glibc
import HearthTestSupport
import Synchronization
import Testing

@testable import Hearth

/// Programs that read hot documents in the memory that the daemon shares with them.
@Suite(.serialized, .timeLimit(.minutes(30)))
struct SharedReadTests {
    private let world: World
    private let machine: Machine

    /// How often a program reads while another writes; a million where nothing waits for the test.
    private static let readCount =
        getenv("HEARTH_SHARED_READS").flatMap { Int(String(cString: $0)) } ?? 2_000

    init() throws {
        world = try World(isOnline: false)
        machine = try world.machine()
    }

    /// Reads until the program finds the document in its own memory.
    private func warm(_ document: DocumentReference) async throws {
        _ = try await eventually {
            _ = try await document.getDocument(source: .cache)
            return document.firestore.client.sharedSnapshot(of: document) != nil
        } is: {
            $0
        }
    }

    private func data(_ number: Int) -> [String: any Sendable] {
        [
            "n": number, "same": Array(repeating: number, count: 1 + number % 40),
            "text": "\(number)",
        ]
    }

    /// The number that every part of a document tells; `nil` if the document is torn.
    private func number(_ snapshot: DocumentSnapshot) -> Int? {
        guard let number = snapshot["n"] as? Int, snapshot["text"] as? String == "\(number)",
            snapshot.data()?["same"] as? [Int]
                == Array(repeating: number, count: 1 + number % 40)
        else { return nil }
        return number
    }

    @Test func `nobody reads below what anybody was told of, and nobody reads half a document`()
        async throws
    {
        let (writer, reader) = (machine.client(), machine.client())
        let (own, other) = (writer.document("rooms/hall"), reader.document("rooms/hall"))
        try await own.setData(data(0), until: .accepted)
        try await warm(own)
        try await warm(other)
        let (told, found) = (Told(), Told())
        let reading = Task {
            defer { found.number.store(Self.readCount, ordering: .relaxed) }  // Also if it fails.
            while found.number.load(ordering: .relaxed) < Self.readCount {
                let least = told.number.load(ordering: .acquiring)
                let shared = other.firestore.client.sharedSnapshot(of: other)
                if shared != nil { found.number.add(1, ordering: .relaxed) }
                let answered = try await other.getDocument(source: .cache)
                for snapshot in [shared, answered].compactMap({ $0 }) {
                    guard let number = number(snapshot) else {
                        Issue.record("torn: \(snapshot.data() ?? [:])")
                        continue
                    }
                    #expect(number >= least)
                }
                await Task.yield()
            }
        }
        var (round, ownCount) = (0, 0)
        while found.number.load(ordering: .relaxed) < Self.readCount || round < 200 {
            round += 1
            try await own.setData(data(round), until: .accepted)
            told.number.store(round, ordering: .releasing)
            for _ in 0..<5 {
                #expect(number(try await own.getDocument(source: .cache)) == round)
                if own.firestore.client.sharedSnapshot(of: own) != nil { ownCount += 1 }
            }
        }
        try await reading.value
        #expect(ownCount > round)
    }

    @Test func `a write that is not accepted yet is read by its own program all the same`()
        async throws
    {
        let client = machine.client()
        let hall = client.document("rooms/hall")
        try await hall.setData(data(0), until: .accepted)
        try await warm(hall)
        for round in 1...50 {
            async let written = hall.setData(data(round), until: .accepted)
            // Perhaps before, perhaps behind the write; never torn.
            let early = number(try await hall.getDocument(source: .cache))
            #expect(early == round || early == round - 1)
            _ = try await written
            #expect(number(try await hall.getDocument(source: .cache)) == round)
        }
        // By the form that does not wait, the write is under way before the get.
        for round in 51...100 {
            hall.setData(data(round), completion: { _ in })
            #expect(number(try await hall.getDocument(source: .cache)) == round)
        }
    }

    @Test func `a daemon that is killed is not believed from that moment`() async throws {
        let client = machine.client()
        let hall = client.document("rooms/hall")
        try await hall.setData(data(1), until: .accepted)
        try await warm(hall)
        let map = try #require(client.client.shared.withLock { $0 })
        #expect(map.answer(hall.key) != nil)
        machine.killDaemon()
        #expect(map.answer(hall.key) == nil)
        try machine.startDaemon()
        let other = machine.client()
        try await other.document("rooms/hall").setData(data(2), until: .accepted)
        #expect(map.answer(hall.key) == nil)
        #expect(number(try await hall.getDocument(source: .cache)) == 2)
        try await warm(hall)
        #expect(client.client.shared.withLock { $0 } !== map)
    }

    @Test func `a deleted document and one with a waiting write are as the daemon tells them`()
        async throws
    {
        let client = machine.client()
        let hall = client.document("rooms/hall")
        try await hall.setData(["n": 1, "deep": ["a": ["b": 2]]], until: .accepted)
        try await warm(hall)
        let shared = try #require(client.client.sharedSnapshot(of: hall))
        let plain = try await Self.snapshot(of: hall)
        #expect(shared == plain)
        #expect(shared.metadata == plain.metadata)
        #expect(shared.metadata.hasPendingWrites)
        #expect(shared["deep.a.b"] as? Int == 2)
        #expect(shared["deep.a.c"] == nil && shared["none"] == nil)
        #expect(shared.get(FieldPath.documentID()) as? DocumentReference == hall)
        struct Hall: Codable { var n: Int }
        #expect(try shared.data(as: Hall.self).n == 1)
        try await hall.delete(until: .accepted)
        try await warm(hall)
        let gone = try #require(client.client.sharedSnapshot(of: hall))
        #expect(!gone.exists && gone.data() == nil && gone["n"] == nil)
        #expect(gone == (try await Self.snapshot(of: hall)))
    }

    /// What a listener to the cache alone is shown first.
    private static func snapshot(of document: DocumentReference) async throws -> DocumentSnapshot {
        var snapshots = document.snapshots(
            options: SnapshotListenOptions().withSource(.cache)
        ).makeAsyncIterator()
        return try await snapshots.first { _ in true }
    }

    @Test func `a program that listens to a query reads the query in its own memory`() async throws
    {
        let (client, other) = (machine.client(), machine.client())
        let rooms = client.collection("rooms").order(by: "n")
        let model = try rooms.validated()
        var snapshots = rooms.snapshots.makeAsyncIterator()
        var ownCount = 0
        for round in 1...50 {
            try await other.document("rooms/room\(round)").setData(["n": round], until: .accepted)
            // Whatever the listener has heard, nobody reads less than what was accepted.
            #expect(try await rooms.getDocuments(source: .cache).count == round)
            while let heard = try await snapshots.next(), heard.count < round {}
            if let own = client.client.sharedResults(of: model) {
                ownCount += 1
                let found = QuerySnapshot(update: own, of: rooms)
                #expect(found.documents.compactMap { $0["n"] as? Int } == Array(1...round))
                #expect(found.metadata.isFromCache && found.metadata.hasPendingWrites)
            }
        }
        #expect(ownCount > 0)
        _ = try await eventually {
            client.client.sharedResults(of: model) != nil
        } is: {
            $0
        }
        // A change elsewhere takes nothing but the short way.
        try await other.document("halls/great").setData(["n": 1], until: .accepted)
        #expect(client.client.sharedResults(of: model) == nil)
        #expect(try await rooms.getDocuments(source: .cache).count == 50)
    }

    @Test func `a terminated client reads no more`() async throws {
        let client = machine.client()
        let hall = client.document("rooms/hall")
        try await hall.setData(data(1), until: .accepted)
        try await warm(hall)
        try await client.terminate()
        #expect(client.client.sharedSnapshot(of: hall) == nil)
        await #expect(throws: FirestoreError.self) { try await hall.getDocument(source: .cache) }
    }
}

/// A number that one task tells the other.
private final class Told: Sendable {
    let number = Atomic(0)
}
