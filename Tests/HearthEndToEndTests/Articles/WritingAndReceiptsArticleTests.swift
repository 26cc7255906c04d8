import Hearth
import HearthTestSupport
import Testing

/// The code of the article "Writing and receipts", as it stands there.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct WritingAndReceiptsArticleTests {
    private let told = Transcript()

    /// Shadows Swift's own `print`, so that a test sees the output that a reader would see.
    private func print(_ items: Any...) {
        told.note(items.map { "\($0)" }.joined(separator: " "))
    }

    @Test func `a write is answered twice`() async throws {
        let world = try World(isOnline: false)
        let db = try world.machine().client()
        let hall = db.document("rooms/hall")
        let receipt = try await hall.setData(["lights": 3], until: .accepted)
        print("It is safe on this machine.")
        try world.startEmulator()
        let commit = try await receipt.committed()
        print("The backend has it since \(commit.commitTime).")
        #expect(commit.commitTime.seconds > 0)
        do {
            try await db.document("rooms/nowhere").updateData(["lights": 1])
        } catch let error as FirestoreError {
            print(error.code, error.message, error.mayHaveBeenApplied)
        }
        let letters = try await eventually(
            { try await db.deadLetters().letters }, is: { !$0.isEmpty })
        #expect(letters.first?.error.code == .notFound)
        try await hall.updateData([
            "lights": FieldValue.increment(Int64(1)),
            "tags": FieldValue.arrayUnion(["large"]),
            "seen.at": FieldValue.serverTimestamp(),
        ])
        #expect(try await hall.getDocument()["lights"] as? Int == 4)
        let batch = db.batch()
        batch.setData(["lights": 0], forDocument: db.document("rooms/attic"))
        batch.updateData(["lights": 1], forDocument: hall)
        try await batch.commit()
        let total = try await db.runTransaction { transaction in
            let lights = try await transaction.getDocument(hall)["lights"] as? Int ?? 0
            transaction.updateData(["lights": lights * 2], forDocument: hall)
            return lights * 2
        }
        #expect(total == 2)
        try await typed(db)
    }

    struct Room: Codable {
        @DocumentID var id: String? = nil
        var lights: Int
        @ServerTimestamp var changedAt: Timestamp? = nil
    }

    private func typed(_ db: Firestore) async throws {
        let rooms = db.collection("rooms")
        let made = try await rooms.addDocument(from: Room(lights: 2))
        let room = try await made.getDocument().data(as: Room.self)
        #expect(room.id == made.documentID)
        #expect(room.changedAt != nil)
    }

    @Test func `a write has its writer's own terms`() async throws {
        let world = try World()
        let machine = try world.machine()
        let hall = machine.client().document("rooms/hall")
        try await hall.setData(["lights": 3], precondition: .exists(false))
        let known = try await hall.getDocument().updateTime
        if let known {
            try await hall.updateData(["lights": 4], precondition: .lastUpdateTime(known))
        }
        world.killEmulator()
        try await machine.knowsItIsOffline()
        try await hall.updateData(["called": true], expires: .after(.seconds(60)), until: .accepted)
        let receipt = try await hall.updateData(["lights": 5], until: .accepted)
        try await receipt.cancel()
        let cached = try await hall.getDocument(source: .cache)
        #expect(cached["lights"] as? Int == 4)
        #expect(cached["called"] as? Bool == true)
        #expect(cached.updateTime == nil)
    }

    @Test func `a document's history tells who wrote, and what it was`() async throws {
        let world = try World()
        let hall = try world.machine("machine", ["--history.isKept", "true"]).client()
            .document("rooms/hall")
        try await hall.setData(["lights": 3], until: .committed)
        try await hall.setData(["lights": 4], until: .committed)
        for try await version in hall.history() {
            guard let write = version.write else { continue }
            print(version.event, write.writer.program ?? "?", version.snapshot["lights"] ?? "none")
        }
        #expect(
            told.lines.map { $0.split(separator: " ").first } == [
                "committed", "accepted", "committed", "accepted",
            ])
        #expect(told.lines.last?.hasSuffix(" 3") == true)
        let accepted = try #require(await first(of: hall.history()))
        let before = try await hall.getDocument(at: accepted.notedAt)
        print(before["lights"] ?? "none", before.metadata.hasPendingWrites)
        #expect(told.lines.last == "3 true")
    }

    /// The oldest step.
    private func first(of history: DocumentHistory) async throws -> DocumentVersion? {
        var oldest: DocumentVersion?
        for try await version in history { oldest = version }
        return oldest
    }
}
