import HearthEngine
import HearthFirestore
import HearthModel
import Synchronization
import Testing

/// What a survey counts of what it holds.
struct SurveyRoomTests {
    /// A room with a limit.
    private final class Room: SurveyRoom {
        private struct State {
            var held = 0
            var most = 0
        }

        private let byteCountMax: Int
        private let state = Mutex(State())

        init(_ byteCountMax: Int = .max) { self.byteCountMax = byteCountMax }

        var heldByteCount: Int { state.withLock { $0.held } }

        /// The most bytes that were held at once.
        var mostByteCount: Int { state.withLock { $0.most } }

        func hold(_ byteCount: Int) -> Bool {
            state.withLock { state in
                guard state.held + byteCount <= byteCountMax else { return false }
                state.held += byteCount
                state.most = max(state.most, state.held)
                return true
            }
        }

        func letGo(_ byteCount: Int) { state.withLock { $0.held -= byteCount } }
    }

    private let n = FieldPath(["n"])
    private let query = Query(path: path("rooms"))
    private let count = Aggregation(alias: "c", operation: .count(upTo: nil))

    private func fields(_ number: Int) -> MapValue {
        ["n": .integer(Int64(number)), "text": .string(String(repeating: "x", count: 1_000))]
    }

    /// A hundred rooms, whose numbers rise with their names.
    private func bench(_ kind: StoreKind) throws -> StoreBench {
        let bench = try StoreBench(kind)
        try bench.write {
            for number in 0..<100 {
                try $0.setRemoteDocument(
                    found("rooms/r\(100 + number)", fields(number), at: Int64(number + 1)))
            }
        }
        return bench
    }

    private func answer(
        _ bench: StoreBench, _ query: Query, _ wanted: SurveyQuestion.Wanted, in room: Room
    ) throws -> SurveyOutcome {
        let order = SurveyOrder(
            id: SurveyID(1), question: SurveyQuestion(query, wanted), user: .unauthenticated)
        return try bench.write { transaction in try order.answer(from: transaction, in: room) }
    }

    private func isTooLarge(_ outcome: SurveyOutcome) -> Bool {
        if case .tooLarge = outcome { true } else { false }
    }

    /// Bytes of some of the rooms.
    private func byteCount(of count: Int) -> Int {
        let room = found("rooms/r100", fields(0))
        return count * room.surveyByteCount
    }

    @Test(arguments: StoreKind.allCases)
    func `a survey holds as many bytes as its documents have, and needs room for all`(
        kind: StoreKind
    ) throws {
        let bench = try bench(kind)
        let room = Room()
        let outcome = try answer(bench, query, .documents(having: []), in: room)
        guard case .documents(let findings) = outcome else {
            Issue.record("no documents came")
            return
        }
        let sum = findings.documents.values.reduce(0) { $0 + $1.surveyByteCount }
        #expect(sum > 100 * 1_000)
        #expect(room.heldByteCount == sum)
        #expect(room.mostByteCount == sum)
        let narrow = Room(sum - 1)
        let again = try answer(bench, query, .documents(having: []), in: narrow)
        #expect(isTooLarge(again))
        #expect(narrow.mostByteCount <= sum - 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `a picture counts the lists of its documents besides`(kind: StoreKind) throws {
        let bench = try bench(kind)
        let room = Room()
        let outcome = try answer(bench, query, .picture(of: .unauthenticated), in: room)
        guard case .picture(let picture) = outcome else {
            Issue.record("no picture came")
            return
        }
        let sum = picture.snapshot.documents.documents.reduce(0) {
            $0 + $1.surveyByteCount + SurveyBytes.pictured
        }
        #expect(room.heldByteCount == sum)
        let narrow = Room(sum - 1)
        let again = try answer(bench, query, .picture(of: .unauthenticated), in: narrow)
        #expect(isTooLarge(again))
    }

    @Test(arguments: StoreKind.allCases)
    func `numbers over many documents need no room`(kind: StoreKind) throws {
        let bench = try bench(kind)
        let outcome = try answer(
            bench, query, .numbers([count], of: .unauthenticated), in: Room(0))
        guard case .numbers(let numbers) = outcome else {
            Issue.record("no numbers came")
            return
        }
        #expect(numbers.values == ["c": .integer(100)])
    }

    @Test(arguments: [Query.Limit.End.first, .last])
    func `what a limit leaves out does not count, however many documents were better for a while`(
        end: Query.Limit.End
    ) throws {
        let bench = try bench(.sqlite)
        var limited = query
        // Each document is better than those before, or all are worse.
        limited.explicitOrderBys = [OrderBy(n)]
        limited.limit = Query.Limit(3, end)
        let room = Room()
        let outcome = try answer(bench, limited, .picture(of: .unauthenticated), in: room)
        guard case .picture(let picture) = outcome else {
            Issue.record("no picture came")
            return
        }
        #expect(picture.snapshot.documents.count == 3)
        // The excerpts of the first, one more, and the documents.
        #expect(room.mostByteCount < byteCount(of: 8) + 3 * SurveyBytes.pictured)
        let sum = picture.snapshot.documents.documents.reduce(0) {
            $0 + $1.surveyByteCount + SurveyBytes.pictured
        }
        #expect(room.heldByteCount == sum)
    }

    @Test(arguments: StoreKind.allCases)
    func `written documents count too, and their effects`(kind: StoreKind) throws {
        let bench = try bench(kind)
        let text = Value.string(String(repeating: "y", count: 100_000))
        try bench.write {
            try $0.setOverlays(
                (0..<10).map {
                    Overlay(
                        largestBatchID: BatchID(1),
                        mutation: set("rooms/w\($0)", ["n": .integer(1), "text": text]))
                }, of: .unauthenticated)
        }
        let room = Room()
        let picture = try answer(bench, query, .picture(of: .unauthenticated), in: room)
        #expect(!isTooLarge(picture))
        #expect(room.mostByteCount > 10 * 100_000 + byteCount(of: 100))
        // The effects alone are more.
        let narrow = Room(byteCount(of: 200))
        let again = try answer(bench, query, .picture(of: .unauthenticated), in: narrow)
        #expect(isTooLarge(again))
        let numbers = try answer(
            bench, query, .numbers([count], of: .unauthenticated), in: Room(byteCount(of: 200)))
        #expect(isTooLarge(numbers))
        #expect(narrow.mostByteCount <= byteCount(of: 200))
    }

    @Test func `a way that led nowhere leaves nothing held`() throws {
        let bench = try bench(.sqlite)
        var filtered = query
        filtered.filters = [.field(n, .lessThan, .integer(50))]
        filtered.limit = Query.Limit(40)
        filtered.explicitOrderBys = [OrderBy(n)]
        let target = TargetData(
            id: TargetID(1_000), target: filtered.target, sequenceNumber: 1,
            snapshotVersion: SnapshotVersion(Timestamp(microseconds: 1_000)),
            limboFreeVersion: SnapshotVersion(Timestamp(microseconds: 1_000)))
        try bench.write {
            try $0.setTargetData(target)
            // One of the named documents matches no more, so the limit may have lost one.
            try $0.addKeys(
                (0..<39).map { key("rooms/r\(100 + $0)") } + [key("rooms/r199")], to: target.id,
                at: 1)
        }
        let room = Room()
        let outcome = try answer(bench, filtered, .picture(of: .unauthenticated), in: room)
        guard case .picture(let picture) = outcome else {
            Issue.record("no picture came")
            return
        }
        #expect(picture.plan.plan == .fullScan)
        let sum = picture.snapshot.documents.documents.reduce(0) {
            $0 + $1.surveyByteCount + SurveyBytes.pictured
        }
        #expect(room.heldByteCount >= sum)
        // What was read by name is not in it.
        #expect(room.heldByteCount < sum + byteCount(of: 45))
        #expect(room.mostByteCount < sum + byteCount(of: 45))
    }
}
