import Hearth
import HearthTestSupport
import Synchronization
import Testing

/// Every form of a write, seen by the writer, by its neighbour, and by the backend.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct WriteAPITests {
    @Test func `every order of FieldValue does what it says, here and in the backend`() async throws
    {
        let world = try World()
        let client = try world.machine().client()
        let hall = client.document("rooms/hall")
        try await hall.setData([
            "gone": 1, "list": [1, 2, 3], "sum": 5, "high": 5, "low": 5, "half": 0.5,
        ])
        try await client.disableNetwork()
        let receipt = try await hall.updateData(
            [
                "gone": FieldValue.delete(), "at": FieldValue.serverTimestamp(),
                "list": FieldValue.arrayUnion([3, 4]), "sum": FieldValue.increment(Int64(2)),
                "half": FieldValue.increment(0.25), "high": FieldValue.maximum(Int64(9)),
                "low": FieldValue.minimum(2.5), "vector": FieldValue.vector([1, 2.5]),
            ], until: .accepted)
        let local = try await hall.getDocument(source: .cache)
        check(local)
        #expect(local["at"] is FirestoreNull)
        #expect(local.get("at", serverTimestampBehavior: .estimate) is Timestamp)
        #expect(local.data(with: .previous)?["at"] is FirestoreNull)
        #expect(local.metadata.hasPendingWrites)
        try await client.enableNetwork()
        let commit = try await receipt.committed()
        let remote = try await hall.getDocument(source: .server)
        check(remote)
        #expect(commit.updateTimes == [commit.commitTime])
        // The backend sets it in milliseconds.
        let at = try #require(remote["at"] as? Timestamp)
        #expect(at.seconds == commit.commitTime.seconds)
        #expect(at.nanoseconds / 1_000_000 == commit.commitTime.nanoseconds / 1_000_000)
        try await hall.updateData(["list": FieldValue.arrayRemove([1, 4])])
        #expect(try await hall.getDocument(source: .server)["list"] as? [Int] == [2, 3])
    }

    private func check(_ hall: DocumentSnapshot) {
        #expect(hall.data()?["gone"] == nil)
        #expect(hall["list"] as? [Int] == [1, 2, 3, 4])
        #expect(hall["sum"] as? Int == 7)
        #expect(hall["half"] as? Double == 0.75)
        #expect(hall["high"] as? Int == 9)
        #expect(hall["low"] as? Double == 2.5)
        #expect(hall["vector"] as? VectorValue == VectorValue([1, 2.5]))
    }

    @Test func `a set replaces, or merges all, or only the fields that it names`() async throws {
        let world = try World()
        let client = try world.machine().client()
        let hall = client.document("rooms/hall")
        try await hall.setData(["a": 1, "b": ["c": 1, "d": 1]])
        try await hall.setData(["b": ["c": 2]], merge: true)
        #expect(try await hall.getDocument()["b.d"] as? Int == 1)
        try await hall.setData(
            ["a": 5, "b": ["c": 3, "d": 5]], mergeFields: [FieldPath(["b", "c"])])
        let merged = try await hall.getDocument(source: .server)
        #expect(merged["a"] as? Int == 1)
        #expect(merged["b.c"] as? Int == 3)
        #expect(merged["b.d"] as? Int == 1)
        try await hall.setData(["e": 1])
        #expect(try await hall.getDocument(source: .server).data()?.count == 1)
        try await hall.delete()
        #expect(try await hall.getDocument(source: .server).exists == false)
    }

    @Test func `a batch stands or falls as one`() async throws {
        let world = try World()
        let client = try world.machine().client()
        let (hall, attic) = (client.document("rooms/hall"), client.document("rooms/attic"))
        try await client.batch().setData(["n": 1], forDocument: hall)
            .setData(["n": 1, "m": 1], forDocument: attic).commit()
        let batch = client.batch()
        batch.updateData(["n": 2], forDocument: hall)
        batch.deleteDocument(attic)
        batch.updateData(["n": 2], forDocument: client.document("rooms/none"))
        let error = await #expect(throws: FirestoreError.self) { try await batch.commit() }
        #expect(error?.code == .notFound)
        let again = await #expect(throws: FirestoreError.self) { try await batch.commit() }
        #expect(again?.code == .failedPrecondition)
        #expect(try await hall.getDocument(source: .server)["n"] as? Int == 1)
        #expect(try await attic.getDocument(source: .server).exists)
        let failure = await withCheckedContinuation { continuation in
            client.batch().deleteDocument(hall).commit { continuation.resume(returning: $0) }
        }
        #expect(failure == nil)
        #expect(try await hall.getDocument(source: .server).exists == false)
    }

    @Test func `a document gets a name of its own`() async throws {
        let world = try World()
        let rooms = try world.machine().client().collection("rooms")
        let made = try await rooms.addDocument(data: ["n": 1])
        #expect(made.documentID.utf8.count == 20)
        #expect(made.parent == rooms)
        #expect(rooms.document().documentID != rooms.document().documentID)
        let error = await withCheckedContinuation { continuation in
            rooms.addDocument(data: ["n": 2]) { continuation.resume(returning: $0) }
        }
        #expect(error == nil)
        #expect(try await rooms.getDocuments(source: .server).count == 2)
    }

    @Test func `closures are told what became of a write`() async throws {
        let world = try World()
        let hall = try world.machine().client().document("rooms/hall")
        let steps: [(@escaping @Sendable ((any Error)?) -> Void) -> Void] = [
            { hall.setData(["a": 1], completion: $0) },
            { hall.setData(["b": 1], merge: true, completion: $0) },
            { hall.setData(["c": 1, "d": 1], mergeFields: ["c"], completion: $0) },
            { hall.updateData(["a": 2], completion: $0) },
        ]
        for step in steps {
            let error = await withCheckedContinuation { continuation in
                step { continuation.resume(returning: $0) }
            }
            #expect(error == nil)
        }
        let data = try await hall.getDocument(source: .server).data()
        #expect(data as? [String: Int] == ["a": 2, "b": 1, "c": 1])
        let gone = await withCheckedContinuation { continuation in
            hall.delete { continuation.resume(returning: $0) }
        }
        #expect(gone == nil)
        let missing = await withCheckedContinuation { continuation in
            hall.updateData(["a": 3]) { continuation.resume(returning: $0) }
        }
        #expect((missing as? FirestoreError)?.code == .notFound)
    }

    private struct Room: Codable, Sendable, Equatable {
        @DocumentID var id: String? = nil
        var lights: Int
        var name: String?
        @ServerTimestamp var at: Timestamp? = nil
        @ExplicitNull var note: String? = nil
    }

    @Test func `values of a type are written and read`() async throws {
        let world = try World()
        let client = try world.machine().client()
        let hall = client.document("rooms/hall")
        try await hall.setData(from: Room(lights: 3, name: "Hall"))
        let read = try await hall.getDocument(as: Room.self, source: .server)
        #expect(read.id == "hall")
        #expect(read.lights == 3)
        #expect(read.at != nil)
        let raw = try await hall.getDocument()
        #expect(raw["note"] is FirestoreNull)
        #expect(try raw.data(as: Room.self) == read)
        try await hall.setData(from: Room(lights: 4, name: "No"), mergeFields: ["lights"])
        let merged: Room = try await withCheckedThrowingContinuation { continuation in
            hall.getDocument(as: Room.self) { continuation.resume(with: $0) }
        }
        #expect(merged.lights == 4)
        #expect(merged.name == "Hall")
        let made = try await client.collection("rooms").addDocument(from: Room(lights: 1))
        #expect(try await made.getDocument(as: Room.self).id == made.documentID)
        let encoded = try Firestore.Encoder().encode(Room(lights: 7, name: "x"))
        #expect(encoded["lights"] as? Int == 7)
        let decoded = try Firestore.Decoder().decode(
            Room.self, from: ["lights": 8, "name": "y"], in: hall)
        #expect(decoded.lights == 8)
        #expect(decoded.id == "hall")
        let batch = client.batch()
        try batch.setData(from: Room(lights: 9), forDocument: hall, mergeFields: ["lights"])
        try await batch.commit()
        #expect(try await hall.getDocument(as: Room.self).lights == 9)
    }
}
