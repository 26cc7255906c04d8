import HearthEngine
import HearthFirestore
import HearthModel
import HearthTestSupport
import HearthWire
import Testing

@testable import HearthSQLite
@testable import HearthServer
@testable import HearthStore

/// Pages of batches that fit a frame, whatever programs write.
struct QueuePageTests {
    private static let database = DatabaseID(project: "demo")
    private static let user = UserID("ada")
    private static let now = Timestamp(seconds: 1_000, nanoseconds: 0)
    private let folder = TemporaryFolder()

    private var configuration: StoreConfiguration {
        StoreConfiguration(path: folder.path + "/store.sqlite", database: Self.database)
    }

    private static func batch(_ number: Int64, _ text: String) throws -> QueuedBatch {
        let mutation = Mutation(
            key: try DocumentKey(parsing: "rooms/hall"), kind: .set(["text": .string(text)]))
        return QueuedBatch(
            batch: MutationBatch(
                id: BatchID(number), writtenAt: now,
                promisedAt: Timestamp(promising: number * 1_000_000), mutations: [mutation]),
            user: user, writer: Writer(uid: 7, gid: 7, pid: 7))
    }

    /// Batches, and rejected ones behind them, all of one text.
    private func fill(_ count: Int64, rejected: Int64 = 0, _ text: String) throws {
        let store = try SQLiteStore(configuration)
        try store.transaction { transaction throws(StoreError) in
            for number in 1...count {
                try transaction.append(try typed { try Self.batch(number, text) })
            }
            for number in 0..<rejected {
                try transaction.appendDeadLetter(
                    DeadLetter(
                        batch: try typed { try Self.batch(count + 1 + number, text) },
                        error: HearthError(
                            code: .aborted, message: String(repeating: "m", count: 100_000)),
                        rejectedAt: Self.now, mayHaveBeenApplied: false))
            }
        }
    }

    private func reading() -> FirestoreReading {
        let reading = FirestoreReading()
        reading.readers.use(ReaderPool(configuration))
        return reading
    }

    private func queue(
        _ reading: FirestoreReading, after batch: BatchID = .none
    ) throws -> QueuePage {
        let page = Inquiry.BatchPage(after: batch, withWrites: true)
        guard case .queue(let queue) = try reading.report(on: .queue(page)) else {
            throw HearthError(code: .internalError, message: "No queue was told.")
        }
        return queue
    }

    private func deadLetters(
        _ reading: FirestoreReading, after batch: BatchID = .none, withWrites: Bool = true
    ) throws -> DeadLetterPage {
        let page = Inquiry.BatchPage(after: batch, withWrites: withWrites)
        guard case .deadLetters(let letters) = try reading.report(on: .deadLetters(page)) else {
            throw HearthError(code: .internalError, message: "No dead letters were told.")
        }
        return letters
    }

    private func byteCount(_ report: HearthWire.Report) throws -> Int {
        try WireCodec(database: Self.database).frame(of: .report(report)).body.count
    }

    @Test func `a page of large batches holds few of them, and the next goes on behind`() throws {
        try fill(4, rejected: 3, String(repeating: "x", count: 1_900_000))
        let reading = reading()
        let first = try queue(reading)
        #expect(first.batches.map(\.id.rawValue) == [1, 2] && first.hasMore)
        #expect(try byteCount(.queue(first)) < Frame.bodyByteCountMax)
        let next = try queue(reading, after: BatchID(2))
        #expect(next.batches.map(\.id.rawValue) == [3, 4] && !next.hasMore)
        let letters = try deadLetters(reading)
        #expect(letters.letters.map(\.batch.id.rawValue) == [5, 6] && letters.hasMore)
        let last = try deadLetters(reading, after: BatchID(6))
        #expect(last.letters.map(\.batch.id.rawValue) == [7] && !last.hasMore)
    }

    @Test func `a page of many batches with long reasons fits a frame`() throws {
        try fill(1, rejected: 300, "x")
        let page = try deadLetters(reading(), withWrites: false)
        #expect(page.letters.count == 200 && page.hasMore)
        #expect(try byteCount(.deadLetters(page)) < Frame.bodyByteCountMax / 4)
    }

    @Test func `a document for which many batches wait is described with the oldest of them`()
        throws
    {
        try fill(300, "x")
        let key = try DocumentKey(parsing: "rooms/hall")
        let report = try reading().report(on: .document(key))
        guard case .document(let description)? = report else {
            Issue.record("\(String(describing: report))")
            return
        }
        #expect(description.batches.map(\.id.rawValue) == Array(1...200))
        #expect(description.hasMoreBatches)
    }

    @Test func `a description names no other documents of other users' batches`() throws {
        let (hall, attic) = (
            try DocumentKey(parsing: "rooms/hall"), try DocumentKey(parsing: "rooms/attic")
        )
        func batch(_ number: Int64, uid: UInt32) -> QueuePage.Batch {
            var batch = QueuePage.Batch(
                id: BatchID(number), state: .queued,
                writtenAt: Timestamp(seconds: 1, nanoseconds: 0),
                byteCount: 9, writer: Writer(uid: uid, gid: 7, pid: 7),
                content: .documents([hall, attic], []))
            batch.demands = [.init(hall, .exists(true)), .init(attic, .exists(true))]
            return batch
        }
        let whole = DocumentDescription(
            .unknown, updatedAt: .zero, readAt: .zero, isInTarget: false,
            batches: [batch(1, uid: 7), batch(2, uid: 8)])
        let told = whole.told(of: hall, toUser: 7)
        #expect(told.batches[0] == whole.batches[0])
        #expect(told.batches[1].content == .documents([hall], []))
        #expect(told.batches[1].demands.map(\.key) == [hall])
    }
}
