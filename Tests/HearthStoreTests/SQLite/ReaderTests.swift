import HearthEngine
import HearthFirestore
import HearthModel
import Testing

@testable import HearthSQLite
@testable import HearthStore

struct ReaderTests {
    private let nobody = UserID.unauthenticated

    private func bench() throws -> (store: SQLiteStore, bench: StoreBench) {
        let bench = try StoreBench(.sqlite)
        return (try #require(bench.store as? SQLiteStore), bench)
    }

    @Test func `a reader sees a document with its pending effect, as one commit left it`() throws {
        let (store, bench) = try bench()
        try bench.write {
            try $0.setRemoteDocument(found("a/1", ["n": .integer(1)]))
            try $0.setOverlays(
                [
                    Overlay(
                        largestBatchID: BatchID(1), mutation: set("a/1", ["n": .integer(2)]))
                ], of: nobody)
        }
        let before = store.version
        try store.begin()
        try bench.turn { try $0.setRemoteDocument(found("a/1", ["n": .integer(3)], at: 2)) }
        let read = try store.readers.read { reader throws(StoreError) in
            (
                try reader.localDocument(key("a/1"), of: nobody),
                try reader.localDocument(key("a/1"), of: UserID("alice"))
            )
        }
        try store.commit()
        #expect(read.version == before)
        #expect(read.value.0.fields == ["n": .integer(2)])
        #expect(read.value.0.hasLocalMutations)
        #expect(read.value.1.fields == ["n": .integer(1)])
    }

    @Test func `a reader knows what became of a batch as long as there is a record`() throws {
        let (store, bench) = try bench()
        let refusal = HearthError(code: .permissionDenied, message: "No.")
        let client = ClientID(high: 1, low: 2)
        let outcomes: [WriteOutcome] = [
            .pending, .committed(at: version(8)), .rejected(refusal, mayHaveBeenApplied: true),
        ]
        for (index, outcome) in outcomes.enumerated() {
            let record = WriteRecord(batch: BatchID(Int64(index + 1)), outcome: outcome)
            let write = WriteIdentity(uid: 1_000, client: client, sequence: UInt64(index))
            try bench.write { try $0.setRecord(record, of: write) }
        }
        let ends = try store.readers.read { reader throws(StoreError) in
            var ends: [BatchFate.End?] = []
            for id in 1...4 { ends.append(try reader.fate(of: BatchID(Int64(id)))?.end) }
            return ends
        }.value
        #expect(
            ends == [
                .pending, .committed, .rejected(refusal, mayHaveBeenApplied: true), nil,
            ])
    }

    @Test func `a reader answers a survey from what was accepted, beside an open group`() throws {
        let (store, bench) = try bench()
        try bench.write { try $0.setRemoteDocument(found("a/1", ["n": .integer(1)])) }
        let order = SurveyOrder(
            id: SurveyID(1), question: SurveyQuestion(Query(path: path("a"))), user: nobody)
        #expect(store.readers.showsAllWrites(attemptCountMax: 1))
        try store.begin()
        try bench.turn { try $0.setRemoteDocument(found("a/2", ["n": .integer(2)])) }
        let outcome = try store.readers.read { reader throws(StoreError) in
            try reader.answer(order) { true }
        }.value
        try store.commit()
        guard case .documents(let findings) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(findings.documents.keys.sorted() == [key("a/1")])
    }

    @Test func `what all users' queues write to a document is found, and nothing else`() throws {
        let (store, bench) = try bench()
        try bench.write {
            try $0.setRemoteDocument(found("a/1", ["n": .integer(1)]))
            try $0.append(batch(1, set("a/1"), user: UserID("alice")))
            try $0.append(batch(2, set("a/2")))
            try $0.append(batch(3, set("a/1")))
            try $0.append(batch(4, set("a/1"), user: UserID("alice")))
            try $0.addKeys([key("a/1")], to: TargetID(2), at: 1)
        }
        let (entries, remote, isHeld) = try store.readers.read { reader throws(StoreError) in
            (
                try reader.queuedBatches(writingTo: key("a/1"), count: 10),
                try reader.remoteDocument(key("a/1")),
                [try reader.isInAnyTarget(key("a/1")), try reader.isInAnyTarget(key("a/2"))]
            )
        }.value
        #expect(entries.map(\.id.rawValue) == [1, 3, 4])
        #expect(entries.map(\.user) == [UserID("alice"), nobody, UserID("alice")])
        #expect(entries.map(\.writer) == [author, author, author])
        #expect(remote.fields == ["n": .integer(1)])
        #expect(isHeld == [true, false])
    }

    @Test func `the queue and the dead letters are listed in pages`() throws {
        let (store, bench) = try bench()
        try bench.write {
            for number in 1...5 {
                let user = UserID(number.isMultiple(of: 2) ? "alice" : "")
                try $0.append(batch(Int64(number), set("a/\(number)"), user: user))
                try $0.appendDeadLetter(
                    DeadLetter(
                        batch: batch(Int64(10 + number), set("a/1")),
                        error: HearthError(code: .aborted, message: "No."),
                        rejectedAt: Timestamp(seconds: 1, nanoseconds: 0),
                        mayHaveBeenApplied: false))
            }
            try $0.setHeld(true, BatchID(3), of: nobody)
        }
        let (pages, letters, one) = try store.readers.read { reader throws(StoreError) in
            (
                [
                    try reader.queuedBatches(count: 3),
                    try reader.queuedBatches(after: BatchID(3), count: 3),
                ],
                try reader.deadLetters(after: BatchID(13), count: 9),
                (try reader.queuedBatch(BatchID(2)), try reader.queuedBatch(BatchID(99)))
            )
        }.value
        #expect(pages.map { $0.map(\.id.rawValue) } == [[1, 2, 3], [4, 5]])
        let held = try #require(pages[0].last)
        #expect(held.state == .held)
        #expect(held.writer == author)
        #expect(held.writtenAt == Timestamp(seconds: 1_003, nanoseconds: 7))
        #expect(held.byteCount > 0)
        #expect(pages[0][1].user == UserID("alice"))
        #expect(letters.map(\.batch.batch.id.rawValue) == [14, 15])
        #expect(one.0 == batch(2, set("a/2"), user: UserID("alice")))
        #expect(one.1 == nil)
    }

    @Test func `everything is counted`() throws {
        let (store, bench) = try bench()
        let empty = try store.readers.read { reader throws(StoreError) in try reader.counts() }
        #expect(empty.value.batchCount == 0)
        #expect(empty.value.oldestWrittenAt == nil)
        try bench.write {
            try $0.append(batch(1, set("a/1")))
            try $0.append(batch(2, set("a/1"), state: .held))
            try $0.setRemoteDocument(found("a/1"))
            try $0.addKeys([key("a/1"), key("a/2")], to: TargetID(2), at: 1)
            try $0.setTargetData(
                TargetData(id: TargetID(2), target: target("a"), sequenceNumber: 1))
        }
        let counts = try store.readers.read { reader throws(StoreError) in try reader.counts() }
            .value
        #expect(counts.batchCount == 2)
        #expect(counts.heldBatchCount == 1)
        #expect(counts.batchByteCount > 0)
        #expect(counts.oldestWrittenAt == Timestamp(seconds: 1_001, nanoseconds: 7))
        #expect(counts.documentCount == 1)
        #expect(counts.targetCount == 1)
        #expect(counts.deadLetterCount == 0)
        #expect(counts.cacheByteCount > 0)
    }
}
