import HearthEngine
import HearthFirestore
import HearthModel
import HearthTestSupport
import Testing

@testable import HearthSQLite
@testable import HearthStore

/// How answered writes are forgotten, and what is still known of them.
struct ForgettingTests {
    private static let first = ClientID(high: 1, low: 2)
    private static let second = ClientID(high: .max, low: .max)
    private static let longAgo = Timestamp(seconds: 0, nanoseconds: 0)

    private let folder = TemporaryFolder()
    private let store: SQLiteStore

    init() throws {
        store = try SQLiteStore(StoreBench.configuration(in: folder))
    }

    private func write<Result>(
        _ body: (any FirestoreTransaction) throws(StoreError) -> Result
    ) throws -> Result {
        try store.transaction(body)
    }

    private func identity(_ number: Int64, of client: ClientID) -> WriteIdentity {
        WriteIdentity(uid: 1, client: client, sequence: UInt64(number))
    }

    /// Notes writes under the numbers of their batches; each write is answered a second after the
    /// write before, except some, which wait.
    private func note(
        _ numbers: ClosedRange<Int64>, of client: ClientID,
        waiting isWaiting: (Int64) -> Bool = { _ in false }
    ) throws {
        try write { transaction throws(StoreError) in
            for number in numbers {
                try transaction.append(batch(number, set("a/\(number)")))
                let outcome =
                    isWaiting(number) ? WriteOutcome.pending : .committed(at: version(number))
                try transaction.setRecord(
                    WriteRecord(batch: BatchID(number), outcome: outcome),
                    of: identity(number, of: client))
            }
        }
    }

    private func kept(
        _ numbers: ClosedRange<Int64>, of client: ClientID, in store: SQLiteStore? = nil
    ) throws -> [Int64] {
        try (store ?? self.store).transaction { transaction throws(StoreError) in
            var kept: [Int64] = []
            for number in numbers
            where try transaction.record(of: identity(number, of: client)) != nil {
                kept.append(number)
            }
            return kept
        }
    }

    private func forgottenBelow(_ client: ClientID, in store: SQLiteStore? = nil) throws
        -> UInt64
    {
        try (store ?? self.store).transaction { transaction throws(StoreError) in
            try transaction.forgottenBelow(of: client, uid: 1)
        }
    }

    /// Forgets in slices that end with their first step.
    ///
    /// - Parameter between: Called after each slice but the last, with its number.
    /// - Returns: How many slices it took.
    @discardableResult
    private func forget(
        keeping countMax: Int = 1_000_000, before time: Timestamp = longAgo,
        clients clientCountMax: Int = 1_000, between: (Int) throws -> Void = { _ in }
    ) throws -> Int {
        var count = 1
        while try store.pruneRecords(
            keeping: countMax, notedBefore: time, clientCountMax: clientCountMax,
            sliceDuration: .zero)
        {
            try between(count)
            count += 1
            try #require(count < 10_000)
        }
        return count
    }

    @Test func `answered writes are forgotten by age and by count, waiting ones never`() throws {
        for number in Int64(1)...6 {
            try note(number...number, of: Self.first) { $0 == 1 }
        }
        try forget(keeping: 100, before: Timestamp(seconds: 1_003, nanoseconds: 7))
        #expect(try kept(1...6, of: Self.first) == [1, 3, 4, 5, 6])
        try forget(keeping: 2)
        #expect(try kept(1...6, of: Self.first) == [1, 5, 6])
        #expect(try forgottenBelow(Self.first) == 5)
        #expect(try forgottenBelow(ClientID(high: 77, low: 0)) == 0)
        try forget(keeping: 0)
        #expect(try kept(1...6, of: Self.first) == [1])
        #expect(try forgottenBelow(Self.first) == 7)
    }

    @Test func `many are forgotten in slices, between which nothing is taken for new`() throws {
        for start in stride(from: Int64(1), to: 3_000, by: 100) {
            // Of one time each hundred, as when answers come and nobody writes.
            let client = start % 200 == 1 ? Self.first : Self.second
            try note(start...(start + 99), of: client) { $0 % 7 == 0 }
        }
        func knows(_ number: Int64) throws -> Bool {
            let client = (number - 1) % 200 < 100 ? Self.first : Self.second
            return try kept(number...number, of: client) == [number]
                || UInt64(number) < forgottenBelow(client)
        }
        let sliceCount = try forget(keeping: 500) { slice in
            for number in Int64(1)...3_000 where slice % 16 == 0 && number % 11 == 0 {
                let isKnown = try knows(number)
                #expect(isKnown, "\(number) after slice \(slice)")
            }
        }
        #expect(sliceCount > 3_000 / MaintenanceLimits.recordCount / 2)
        let left = try kept(1...3_000, of: Self.first) + kept(1...3_000, of: Self.second)
        let answered = left.filter { $0 % 7 != 0 }
        #expect(answered.count == 500)
        #expect(answered.min() ?? 0 > 2_400)
        #expect(left.count == 500 + 3_000 / 7)
        let unknown = try (Int64(1)...3_001).filter { try !knows($0) }
        #expect(unknown == [3_001])
    }

    @Test func `a crash between slices forgets no write without keeping that it is forgotten`()
        throws
    {
        try note(1...200, of: Self.first) { $0 % 3 == 0 }
        var crashes = 0
        try forget(keeping: 20) { _ in
            let (again, _) = try StoreBench.crashed(folder)
            let known = try Set(kept(1...200, of: Self.first, in: again))
            let below = try forgottenBelow(Self.first, in: again)
            for number in Int64(1)...200 where !known.contains(number) {
                #expect(UInt64(number) < below)
            }
            #expect(known.isSuperset(of: (1...66).map { $0 * 3 }))
            crashes += known.count < 200 ? 1 : 0
        }
        #expect(crashes > 0)
        #expect(try kept(1...200, of: Self.first).count == 20 + 66)
    }

    @Test func `what is answered while others are forgotten is kept`() throws {
        for number in Int64(1)...200 { try note(number...number, of: Self.first) }
        var next: Int64 = 201
        try forget(keeping: 50) { _ in
            try note(next...next, of: Self.second)
            next += 1
        }
        #expect(next > 203)
        #expect(try kept(201...next, of: Self.second) == Array(201..<next))
        #expect(try kept(1...150, of: Self.first) == [])
        // Some more than were asked for are counted when they may be a sixteenth more.
        try forget(keeping: 50)
        let count = try kept(1...next, of: Self.first).count + Int(next - 201)
        #expect((50...53).contains(count))
    }

    @Test func `a turn that fails has forgotten nothing`() throws {
        for number in Int64(1)...100 { try note(number...number, of: Self.first) }
        try store.maintain(
            """
            CREATE TRIGGER fail BEFORE DELETE ON write_records WHEN old.batch % 50 = 40
            BEGIN SELECT RAISE(ABORT, 'planted'); END
            """)
        let before = try kept(1...100, of: Self.first)
        #expect(throws: StoreError.self) { try forget(keeping: 0) }
        let below = try forgottenBelow(Self.first)
        let after = try kept(1...100, of: Self.first)
        #expect(Set(after).isSubset(of: before))
        #expect(before.filter { !after.contains($0) }.allSatisfy { UInt64($0) < below })
        try store.maintain("DROP TRIGGER fail")
        try forget(keeping: 0)
        #expect(try kept(1...100, of: Self.first) == [])
        #expect(try forgottenBelow(Self.first) == 101)
    }

    @Test func `of too many clients the oldest are let go`() throws {
        let clients = (0..<3_000).map { number in
            ClientID(high: UInt64(number) &* 0x9E37_79B9_7F4A_7C15, low: 1)
        }
        try write { transaction throws(StoreError) in
            for (number, client) in clients.enumerated() {
                try transaction.append(batch(Int64(number + 1), set("a/1")))
                try transaction.setRecord(
                    WriteRecord(
                        batch: BatchID(Int64(number + 1)), outcome: .committed(at: version(1))),
                    of: identity(1, of: client))
                if number % 100 == 0 {  // So that the next time is told.
                    try transaction.removeBatch(batch(Int64(number + 1), set("a/1")))
                }
            }
        }
        try forget(keeping: 0, clients: 3_000)
        #expect(try clients.allSatisfy { try forgottenBelow($0) == 2 })
        try forget(keeping: 0, clients: 2_000)
        let gone = try clients.prefix { try forgottenBelow($0) == 0 }.count
        #expect(gone == 1_000)
        #expect(try clients[1_000...].allSatisfy { try forgottenBelow($0) == 2 })
        // One more asks for no new count.
        try note(5_000...5_000, of: Self.second)
        try forget(keeping: 0, clients: 2_000)
        #expect(try forgottenBelow(Self.second) == 5_001)
        #expect(try forgottenBelow(clients[1_000]) == 2)
    }

    @Test func `the greatest number a client can give is forgotten like any other`() throws {
        let last = WriteIdentity(uid: 1, client: Self.first, sequence: .max)
        try write { transaction throws(StoreError) in
            try transaction.append(batch(1, set("a/1")))
            try transaction.setRecord(
                WriteRecord(batch: BatchID(1), outcome: .committed(at: version(1))), of: last)
        }
        try forget(keeping: 0)
        let record = try write { transaction throws(StoreError) in
            try transaction.record(of: last)
        }
        #expect(record == nil)
        #expect(try forgottenBelow(Self.first) == .max)
    }
}
