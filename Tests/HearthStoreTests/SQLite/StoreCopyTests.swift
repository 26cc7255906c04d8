import Dispatch
import HearthEngine
import HearthFirestore
import HearthModel
import HearthRealtime
import HearthTestSupport
import Synchronization
import Testing

@testable import HearthSQLite
@testable import HearthStore

/// Copies of stores that are made while a writer works.
struct StoreCopyTests {
    /// A writer on a thread of its own, which accepts numbers from 1 on until it is stopped.
    private final class BusyWriter: Sendable {
        private let accepted = Atomic<Int64>(0)
        private let mustStop = Atomic<Bool>(false)
        private let problem = Mutex<(any Error)?>(nil)
        private let done = DispatchSemaphore(value: 0)

        init(_ write: @escaping @Sendable (Int64) throws -> Void) {
            DispatchQueue(label: "writer").async { [self] in
                do {
                    while !mustStop.load(ordering: .relaxed) {
                        let next = accepted.load(ordering: .relaxed) + 1
                        try write(next)
                        accepted.store(next, ordering: .releasing)
                    }
                } catch {
                    problem.withLock { $0 = error }
                }
                done.signal()
            }
        }

        /// The last number that was accepted for certain.
        var last: Int64 { accepted.load(ordering: .acquiring) }

        func stop() throws {
            mustStop.store(true, ordering: .relaxed)
            done.wait()
            if let problem = problem.withLock({ $0 }) { throw problem }
        }
    }

    private let copies = TemporaryFolder()

    /// Has copies made while numbers come, and expects each to hold a prefix.
    private func expectPrefixes(
        while writer: BusyWriter, _ copy: (String) throws -> StoreCopy,
        numbers: (String) throws -> [Int64]
    ) throws {
        while writer.last < 20 { usleepBriefly() }
        for round in 1...6 {
            let path = "\(copies.path)/copy-\(round)"
            let before = writer.last
            let made = try copy(path)
            let after = writer.last + 1
            let found = try numbers(path)
            #expect(found == Array(1...Int64(found.count)), "a gap in copy \(round)")
            #expect((before...after).contains(Int64(found.count)), "copy \(round)")
            #expect(made.byteCount > 0)
            // The writer goes on between two copies.
            while writer.last < after + 5 { usleepBriefly() }
        }
        try writer.stop()
    }

    private func usleepBriefly() { _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 0.001) }

    @Test func `a copy of a busy Firestore store holds each write up to a number and none above`()
        throws
    {
        let bench = try StoreBench(.sqlite)
        let store = try #require(bench.store as? SQLiteStore)
        let writer = BusyWriter { number in
            try store.transaction { transaction throws(StoreError) in
                try transaction.append(batch(number, set("rooms/r\(number % 50)")))
            }
        }
        try expectPrefixes(while: writer) {
            try store.readers.copy(to: $0)
        } numbers: { path in
            let copy = try SQLiteStore(
                StoreConfiguration(path: path, database: StoreBench.database))
            return try copy.readers.read { reader throws(StoreError) in
                try reader.queuedBatches(count: .max / 2).map(\.id.rawValue)
            }.value
        }
    }

    @Test func `a copy of a busy Realtime store holds each write up to a number and none above`()
        throws
    {
        let bench = try RealtimeBench()
        let store = bench.store
        let writer = BusyWriter { number in
            try store.turnAlone { try $0.append(queuedWrite(number)) }
        }
        try expectPrefixes(while: writer) {
            try store.readers.copy(to: $0)
        } numbers: { path in
            let copy = try RealtimeSQLiteStore(
                RealtimeStoreConfiguration(path: path, instance: RealtimeBench.instance))
            return try copy.readers.read { reader throws(StoreError) in
                try reader.queuedWrites(count: .max / 2).map(\.id.rawValue)
            }.value
        }
    }

    @Test func `a copy has what only the intake log had, and knows no log`() throws {
        let bench = try StoreBench(.sqlite)
        let store = try #require(bench.store as? SQLiteStore)
        for number in Int64(1)...4 {
            try bench.write { try $0.append(batch(number, set("rooms/\(number)"))) }
        }
        try #require(store.intake.pendingCount > 0)
        let path = copies.path + "/copy"
        let made = try store.readers.copy(to: path)
        #expect(made.version == store.version)
        let copy = try Connection(path: path, isReadOnly: true)
        #expect(try copy.number("SELECT count(*) FROM mutations") == 4)
        #expect(try copy.number("SELECT intake_salt FROM store") == 0)
        #expect(copies.files == ["copy"])
    }

    @Test func `while accepted writes cannot be committed there is no copy that lacks them`() throws
    {
        let bench = try StoreBench(.sqlite)
        let store = try #require(bench.store as? SQLiteStore)
        store.readers.setSettler { false }
        #expect(throws: StoreError.self) { try store.readers.copy(to: copies.path + "/copy") }
        #expect(copies.files == [])
    }
}
