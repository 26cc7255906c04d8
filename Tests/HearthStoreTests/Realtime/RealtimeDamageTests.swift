import HearthEngine
import HearthModel
import HearthRealtime
import Testing

@testable import HearthSQLite
@testable import HearthStore

struct RealtimeDamageTests {
    private let bench: RealtimeBench

    init() throws {
        bench = try RealtimeBench()
    }

    private func expectDamage(_ body: () throws -> Void) {
        do {
            try body()
            Issue.record("Damage was passed over")
        } catch let error as StoreError {
            guard case .damaged = error else {
                Issue.record("\(error)")
                return
            }
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test(arguments: [
        "INSERT INTO server_nodes VALUES (x'026100', x'FF')",
        "INSERT INTO server_nodes VALUES (x'026100', x'00')",
        "INSERT INTO server_nodes VALUES (x'026100', '')",
        "INSERT INTO server_nodes VALUES (x'026100', x'0601')",
        "INSERT INTO server_nodes VALUES (x'0261', x'02')",
        "INSERT INTO server_nodes VALUES (x'07', x'02')",
        "INSERT INTO server_nodes VALUES (x'0100000000', x'02')",
        // A place twice, and a priority of nothing, of a flag, and one that comes twice.
        "INSERT INTO server_nodes VALUES (x'026100', x'02'), (x'026100026200', x'02')",
        "INSERT INTO server_nodes VALUES (x'02610000', x'02')",
        "INSERT INTO server_nodes VALUES (x'00', x'0302')",
        "INSERT INTO server_nodes VALUES (x'00', x'02'), (x'026100', x'02')",
        "INSERT INTO server_nodes VALUES (x'0000', x'0302'), (x'026100', x'02')",
    ])
    func `rows of the tree that nobody writes are damage`(sql: String) throws {
        try bench.store.maintain(sql)
        expectDamage { _ = try bench.store.node() }
    }

    @Test func `no row of chance is a trap`() throws {
        var chance = RealtimeChance(seed: 11)
        for _ in 0..<400 {
            func hex(_ count: Int, _ bytes: [UInt8]) -> String {
                let digits = (0..<chance.chance(count)).map { _ -> String in
                    let byte = bytes[chance.chance(bytes.count)]
                    return (byte < 16 ? "0" : "") + String(byte, radix: 16)
                }
                return "x'" + digits.joined() + "'"
            }
            let place = hex(14, [0, 0, 1, 2, 2, 3, 0x61, 0x62, 0x80, 0xF5])
            let node = hex(10, [0, 1, 2, 3, 5, 6, 7, 0x61, 0xFF])
            try bench.store.maintain(
                "INSERT OR REPLACE INTO server_nodes VALUES (\(place), \(node))")
            for path in [RealtimePath.root, "a", "a/b", chance.path()] {
                do {
                    _ = try bench.store.node(path)
                    _ = try bench.store.turnAlone {
                        try $0.serverNode(at: path, children: ["a", "b"])
                    }
                    let child = WritePath(path.appending(RealtimePath(["new"])))
                    try bench.store.set(child, Node(.integer(1)))
                    try bench.store.set(child, .empty)
                } catch let error as StoreError {
                    guard case .damaged = error else {
                        Issue.record("\(place) \(node) was \(error)")
                        continue
                    }
                }
            }
            if chance.chance(3) == 0 { try bench.store.maintain("DELETE FROM server_nodes") }
        }
    }

    @Test(arguments: [
        "UPDATE mutations SET change = x'01'", "UPDATE mutations SET state = 7",
        "UPDATE mutations SET written_at = x'01'",
    ])
    func `rows of the queue that nobody writes are damage`(sql: String) throws {
        try bench.write { try $0.append(queuedWrite(1)) }
        try bench.store.maintain(sql)
        expectDamage { _ = try bench.write { try $0.write(BatchID(1), of: .unauthenticated) } }
    }

    @Test(arguments: [
        "UPDATE tracked_queries SET place = x'09'", "UPDATE tracked_queries SET query = 'x'",
        "UPDATE tracked_queries SET query = '{\"i\":5}'",
        "UPDATE tracked_queries SET last_use = x''",
        "INSERT INTO tracked_keys VALUES (1, x'0261')",
    ])
    func `rows of tracked queries that nobody writes are damage`(sql: String) throws {
        let query = TrackedQuery(
            id: TrackedQueryID(1), target: ListenTarget(.root, .all),
            lastUse: Timestamp(seconds: 1, nanoseconds: 0))
        try bench.write { try $0.setTrackedQuery(query) }
        try bench.store.maintain(sql)
        expectDamage {
            try bench.write { transaction in
                _ = try transaction.leastUsedQueries(count: 9)
                _ = try transaction.keys(of: query.id)
            }
        }
    }

    @Test(arguments: [
        "UPDATE dead_letters SET change = x'02'", "UPDATE dead_letters SET code = 99",
        "UPDATE dead_letters SET state = 5", "UPDATE write_records SET outcome = 9",
    ])
    func `rows of answers that nobody writes are damage`(sql: String) throws {
        try bench.write { transaction in
            try transaction.appendDeadLetter(
                RealtimeDeadLetter(
                    write: queuedWrite(1), error: HearthError(code: .aborted, message: "No."),
                    rejectedAt: Timestamp(seconds: 1, nanoseconds: 0), mayHaveBeenApplied: false))
            try transaction.setRecord(
                WriteRecord(batch: BatchID(1), outcome: .committed), of: RealtimeActs.identity(1))
        }
        try bench.store.maintain(sql)
        expectDamage {
            try bench.write { transaction in
                _ = try transaction.deadLetter(BatchID(1))
                _ = try transaction.record(of: RealtimeActs.identity(1))
            }
        }
    }
}
