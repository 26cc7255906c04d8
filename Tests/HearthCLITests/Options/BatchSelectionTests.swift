import ArgumentParser
import HearthEngine
import HearthModel
import HearthWire
import Testing

@testable import Hearth
@testable import HearthCLI

struct BatchSelectionTests {
    @Test(arguments: [
        ("12", 12...12), ("3-9", 3...9), ("7-7", 7...7), ("40-", 40...Int64.max),
    ])
    func `numbers and ranges are read`(text: String, range: ClosedRange<Int64>) throws {
        let read = try #require(BatchRange(text))
        #expect(read.first == range.lowerBound)
        #expect(read.last == range.upperBound)
        #expect(read.contains(range.lowerBound))
        #expect(!read.contains(range.lowerBound - 1))
    }

    @Test(arguments: ["", "-", "-3", "0", "9-3", "a", "1-2-3", "１", "99999999999999999999"])
    func `what is no range is refused`(text: String) {
        #expect(BatchRange(text) == nil)
    }

    private func batch(_ id: Int64, uid: UInt32 = 7, _ documents: String...) -> BatchText {
        let batch = QueuePage.Batch(
            id: BatchID(id), state: .queued,
            writtenAt: HearthModel.Timestamp(seconds: 97, nanoseconds: 0), byteCount: 10,
            writer: Writer(uid: uid, gid: 8, pid: 9, unit: nil, program: "till"),
            content: .documents(
                documents.compactMap { id in
                    (try? ResourcePath(segments: ["rooms", id])).flatMap { DocumentKey($0) }
                }, []))
        return BatchText(
            PendingBatch(batch), now: Hearth.Timestamp(seconds: 100, nanoseconds: 0))
    }

    /// A batch without documents that was rejected.
    private func rejected(_ error: HearthError, isInDoubt: Bool) -> BatchText {
        let time = HearthModel.Timestamp(seconds: 1, nanoseconds: 0)
        let batch = QueuePage.Batch(
            id: BatchID(1), state: .queued, writtenAt: time, byteCount: 1,
            writer: Writer(uid: 1, gid: 1, pid: 1, unit: nil, program: nil),
            content: .documents([], []))
        let letter = DeadLetterPage.Letter(
            batch: batch, error: error, rejectedAt: time, mayHaveBeenApplied: isInDoubt)
        return BatchText(DeadLetter(letter), now: Hearth.Timestamp(seconds: 1, nanoseconds: 0))
    }

    private func selection(_ arguments: String...) throws -> BatchSelection {
        try BatchSelection.parse(arguments)
    }

    @Test func `ranges and conditions narrow each other`() throws {
        let chosen = try selection("3-9", "20", "--where", "uid == 7")
        #expect(chosen.contains(batch(3)))
        #expect(chosen.contains(batch(20)))
        #expect(!chosen.contains(batch(10)))
        #expect(!chosen.contains(batch(4, uid: 8)))
        #expect(chosen.numbers == nil)
        let documents = try selection("--where", "documents array-contains rooms/hall")
        #expect(documents.contains(batch(1, "hall", "attic")))
        #expect(!documents.contains(batch(1, "attic")))
        #expect(try selection("--all").contains(batch(1)))
    }

    @Test func `a number that is typed twice is meant once`() throws {
        #expect(try selection("58-58", "58", "3", "58").numbers == [58, 3])
    }

    @Test func `a field that no batch has is refused, and all that one has are known`() throws {
        #expect(throws: (any Error).self) { try selection("--where", "bogus == 1") }
        let text = rejected(HearthError(code: .notFound, message: "No."), isInDoubt: false)
        #expect(text.report.value.fields?.map(\.name) == BatchText.fields)
    }

    @Test(arguments: [true, false])
    func `people are told whether a rejected batch may have been applied`(isInDoubt: Bool) {
        let text = rejected(
            HearthError(code: .alreadyExists, message: "It exists."), isInDoubt: isInDoubt)
        #expect(text.line.hasPrefix(isInDoubt ? "1  rejected, in doubt  " : "1  rejected  "))
        #expect(text.isInDoubt == isInDoubt)
        let state = BatchText.columns.first { $0.title == "STATE" }
        #expect(state?.text(text) == (isInDoubt ? "rejected, in doubt" : "rejected"))
    }

    @Test func `numbers alone need no list`() throws {
        #expect(try selection("3", "5").numbers == [3, 5])
        #expect(try selection("3-5").numbers == nil)
        #expect(try selection("3", "--where", "uid == 7").numbers == nil)
    }

    @Test(arguments: [
        ["cancel"], ["cancel", "--all", "3"], ["list", "--limit", "0"], ["hold", "x"],
    ])
    func `an order for nothing in particular is refused as usage`(arguments: [String]) throws {
        let error = try #require(throws: (any Error).self) {
            try HearthCommand.parseAsRoot(["queue"] + arguments)
        }
        #expect(HearthCommand.exitCode(for: error).rawValue == CommandStatus.usage.rawValue)
    }

    @Test func `dead letters are grouped by cause, whatever documents they name`() {
        func letter(_ id: Int64, _ error: HearthError) -> BatchText {
            let writer = Writer(
                uid: 1, gid: 1, pid: 1, unit: "till.service", program: nil)
            let batch = QueuePage.Batch(
                id: BatchID(id), state: .queued,
                writtenAt: HearthModel.Timestamp(seconds: 40, nanoseconds: 0), byteCount: 10,
                writer: writer, content: .documents([], []))
            let letter = DeadLetterPage.Letter(
                batch: batch, error: error,
                rejectedAt: HearthModel.Timestamp(seconds: 98, nanoseconds: 0),
                mayHaveBeenApplied: false)
            return BatchText(
                DeadLetter(letter), now: Hearth.Timestamp(seconds: 100, nanoseconds: 0))
        }
        let denied = HearthError(code: .permissionDenied, message: "Not allowed.")
        let groups = BatchGroup.groups(of: [
            letter(1, denied),
            letter(2, HearthError(code: .notFound, message: "No document rooms/a at 12.")),
            letter(4, HearthError(code: .notFound, message: "No document rooms/b at 13.")),
            letter(9, HearthError(code: .notFound, message: "No document rooms/c at 14.")),
        ])
        #expect(
            ListFormat.table.lines(of: groups) == [
                "BATCHES  FIRST  LAST  SIZE  OLDEST  WRITERS         CAUSE",
                "      3      2     9  30 B    60 s  till.service 3  NOT_FOUND: No document … at #",
                "      1      1     1  10 B    60 s  till.service 1  PERMISSION_DENIED: Not allowed.",
            ])
        let cancelled = letter(5, HearthError(code: .cancelled, message: "An administrator."))
        #expect(cancelled.line.hasPrefix("5  cancelled  "))
        #expect(cancelled.report.value["cause"] == .string("CANCELLED"))
    }
}
