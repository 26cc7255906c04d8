import Glibc
import HearthEngine
import HearthModel
import HearthServer
import HearthWire
import Testing

/// What a daemon tells of a store that cannot be opened.
struct UnopenedStoreTests {
    /// The answer to a request; events that answer nothing are passed over.
    private static func answer(
        to request: Request, number: UInt64, _ client: SocketClient
    ) throws -> Event {
        try client.send(request, number: number)
        while true {
            let (answered, event) = try client.receive()
            if answered == number { return event }
        }
    }

    @Test func `nobody counts its batches, and the disk is not blamed`() async throws {
        try await ServerRun.runOffline {
            let path = StoreFolder.path(
                of: .firestore(ServerRun.database), in: $0.storeFolder ?? "")
            for place in path.indices where path[place] == "/" && place != path.startIndex {
                mkdir(String(path[..<place]), 0o700)
            }
            mkdir(path + "-wal", 0o700)
        } _: { path, _ in
            let client = try SocketClient(path: path)
            _ = try client.greet(ServerRun.database)
            let status = try Self.answer(to: .inquiry(.status), number: 2, client)
            guard case .report(.status(let report)) = status else {
                Issue.record("\(status)")
                return
            }
            #expect(report.hasUnknownCounts)
            #expect(report.degradedReasons.contains { $0.contains("-wal is a folder") })
            let queue = try Self.answer(to: .inquiry(.queue(.init())), number: 3, client)
            guard case .failed(let error) = queue else {
                Issue.record("\(queue)")
                return
            }
            #expect(error.message.contains("cannot be opened, so nobody can tell"))
            #expect(error.message.contains("-wal is a folder"))
            let figures = try Self.answer(to: .inquiry(.inspection(.metrics)), number: 4, client)
            guard case .report(.inspection(let told)) = figures else {
                Issue.record("\(figures)")
                return
            }
            let samples = told.metrics.split(separator: "\n").filter { !$0.hasPrefix("#") }
            for name in [
                "targets", "queue_batches", "queue_oldest_age_seconds", "dead_letters",
                "cache_bytes", "cache_documents", "history_entries", "history_bytes",
            ] {
                let own = samples.filter { $0.hasPrefix("hearth_\(name){") }
                #expect(!own.isEmpty && own.allSatisfy { $0.hasSuffix(" NaN") }, "\(name)")
            }
            #expect(samples.contains { $0.hasPrefix("hearth_clients{") && !$0.hasSuffix("NaN") })
        }
    }
}
