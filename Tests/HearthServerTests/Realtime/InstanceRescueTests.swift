import HearthEngine
import HearthModel
import HearthRealtime
import HearthTestSupport
import Testing

@testable import HearthSQLite
@testable import HearthServer
@testable import HearthStore

/// The rescue of an instance's store.
struct InstanceRescueTests {
    private let folder = TemporaryFolder()
    private let now = Timestamp(seconds: 5, nanoseconds: 0)

    private func write(_ number: Int64) -> QueuedWrite {
        QueuedWrite(
            id: BatchID(number),
            change: .set(
                WritePath("rooms/n" as RealtimePath), UnresolvedNode(Node(.integer(number)))),
            writtenAt: now, user: UserID("ada"), writer: Writer(uid: 7, gid: 7, pid: 7))
    }

    @Test func `the writes that wait outlive a damaged file`() throws {
        let instance = try #require(InstanceID(project: "demo"))
        let configuration = RealtimeStoreConfiguration(
            path: folder.path + "/x.sqlite", instance: instance)
        do {
            let store = try RealtimeSQLiteStore(configuration)
            try store.transaction { transaction throws(StoreError) in
                for number in Int64(1)...3 { try transaction.append(write(number)) }
            }
            try store.maintain("DELETE FROM store")
        }
        let opened = try StoreRescue(configuration).open(at: now)
        let saved = try opened.store.transaction { transaction throws(StoreError) in
            var (saved, last): ([QueuedWrite], BatchID) = ([], .none)
            while let next = try transaction.nextWrite(after: last, of: UserID("ada")) {
                saved.append(next)
                last = next.id
            }
            return saved
        }
        #expect(saved == (1...3).map(write))
        let isTold = opened.news.contains { news in
            guard case .rebuilt(let text) = news else { return false }
            return text.contains("3 queued batches")
        }
        #expect(isTold)
        #expect(opened.losses.count == 1)
        #expect(opened.losses.first?.account.contains("3 queued batches") == true)
        try opened.finish()
        #expect(LossReports.read(besides: configuration.path) == opened.losses)
    }
}
