import HearthFirestore
import HearthModel
import HearthTestSupport
import Testing

@testable import HearthStore

struct SalvageTests {
    @Test func `the queue and the dead letters outlive a damaged cache`() throws {
        let folder = TemporaryFolder()
        let configuration = StoreBench.configuration(in: folder)
        let letter = DeadLetter(
            batch: batch(9, set("a/1")), error: HearthError(code: .aborted, message: "No."),
            rejectedAt: Timestamp(seconds: 1, nanoseconds: 0), mayHaveBeenApplied: false)
        do {
            let store = try SQLiteStore(configuration)
            try store.transaction { transaction throws(StoreError) in
                for number in Int64(1)...3 {
                    try transaction.append(batch(number, set("a/\(number)"), user: UserID("u")))
                }
                try transaction.appendDeadLetter(letter)
                try transaction.setRemoteDocument(found("a/1"))
            }
            try store.maintain("UPDATE mutations SET writes = x'FF' WHERE id & 15 = 2")
            try store.maintain("DROP TABLE remote_documents")
        }
        let salvage = Salvage(configuration)
        #expect(salvage.batches.map(\.batch.id.rawValue) == [1, 3])
        #expect(salvage.batches.last == batch(3, set("a/3"), user: UserID("u")))
        #expect(salvage.deadLetters == [letter])
        #expect(salvage.problems.count == 1)
        let path = try SQLiteStore.setAside(
            configuration, at: Timestamp(seconds: 5, nanoseconds: 0))
        #expect(path.hasSuffix("hearth.db.damaged-5"))
        let fresh = try SQLiteStore(configuration)
        #expect(fresh.version == StoreVersion(0))
        #expect(folder.files.contains("hearth.db.damaged-5"))
    }

    @Test func `the queue of an earlier program's file is saved if it cannot be migrated`() throws {
        let folder = TemporaryFolder()
        let configuration = StoreBench.configuration(in: folder)
        let alice = UserID("alice")
        do {
            let store = try SQLiteStore(configuration)
            try store.transaction { transaction throws(StoreError) in
                try transaction.append(batch(1, set("a/1"), user: alice))
                try transaction.append(batch(2, set("a/2")))
                try transaction.append(batch(3, set("a/3"), user: alice, state: .held))
                try transaction.noteSent(through: BatchID(1), of: alice)
            }
        }
        do {
            let connection = try Connection(path: configuration.path, isReadOnly: false)
            try OldSchema.takeBackNinthStep(connection)
            try connection.execute(
                "DROP TABLE document_overlays; UPDATE mutations SET writes = x'FF' WHERE batch = 2")
        }
        #expect(throws: StoreError.self) { _ = try SQLiteStore(configuration) }
        let salvage = Salvage(configuration)
        #expect(
            salvage.batches == [
                batch(1, set("a/1"), user: alice, state: .sentUnanswered),
                batch(3, set("a/3"), user: alice, state: .held),
            ])
        #expect(salvage.problems.count == 1)
    }

    @Test func `of junk nothing can be saved, and that is said`() throws {
        let folder = TemporaryFolder()
        try folder.write(String(repeating: "This is no database. ", count: 100), to: "hearth.db")
        let salvage = Salvage(StoreBench.configuration(in: folder))
        #expect(salvage.batches.isEmpty)
        #expect(!salvage.problems.isEmpty)
    }
}
