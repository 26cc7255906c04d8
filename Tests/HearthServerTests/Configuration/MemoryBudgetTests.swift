import Glibc
import HearthEngine
import HearthModel
import HearthServer
import Testing

/// What the daemon takes when every limit is full.
struct MemoryBudgetTests {
    /// The settings of a unit that is shipped.
    private func unit(_ kind: String) throws -> [String: String] {
        let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let file = try #require(fopen("/\(root)/systemd/\(kind)/hearthd.service", "re"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = fread(&bytes, 1, bytes.count, file)
        var settings: [String: String] = [:]
        for line in String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { settings[String(parts[0])] = String(parts[1]) }
        }
        return settings
    }

    private func byteCount(_ text: String?) throws -> Int {
        let text = try #require(text)
        let shift = try #require(["M": 20, "G": 30][String(text.suffix(1))])
        return try #require(Int(text.dropLast())) << shift
    }

    @Test(arguments: ["system", "user"])
    func `the defaults, all full, stay below what the unit allows`(kind: String) throws {
        let unit = try unit(kind)
        var configuration = ServerConfiguration()
        configuration.database = DatabaseID(project: "demo")
        let budget = MemoryBudget(configuration)
        let high = try byteCount(unit["MemoryHigh"])
        #expect(budget.byteCount < high)
        #expect(budget.complaint(below: high) == nil)
        #expect(try high < byteCount(unit["MemoryMax"]))
        #expect(unit["LimitCORE"] == "0")
        #expect(unit["OOMScoreAdjust"] == nil)
        // A thread for each database and its log, the loops, and the pools.
        let threads = try #require(unit["TasksMax"].flatMap { Int($0) })
        #expect(threads > 2 * configuration.databaseCountMax + configuration.loopCount + 64)
    }

    @Test func `limits that allow more than the control group are told by name`() throws {
        var configuration = ServerConfiguration()
        configuration.limits.memory.byteCountMax = 4 << 30
        let budget = MemoryBudget(configuration)
        let complaint = try #require(budget.complaint(below: 1 << 30))
        #expect(complaint.contains("4096 MiB for clients (limits.heldByteCountMax)"))
        #expect(complaint.contains("allows 1024 MiB"))
        let queue = "for waiting writes of the Realtime Database (realtime.queueByteCountMax)"
        #expect(complaint.contains("384 MiB \(queue)"))
        #expect(complaint.contains("128 MiB for long looks at the cache"))
        #expect(budget.complaint(below: nil) == nil)
        #expect(budget.complaint(below: budget.byteCount) != nil)
        #expect(budget.complaint(below: budget.byteCount + 1) == nil)
    }

    @Test func `each part counts what its key allows`() {
        var small = ServerConfiguration()
        small.databaseCountMax = 1
        var large = small
        large.databaseCountMax = 11
        large.limits.memory.byteCountMax += 5 << 20
        var queueing = small
        queueing.realtime.memory.byteCountMax += 7 << 20
        #expect(
            MemoryBudget(queueing).byteCount - MemoryBudget(small).byteCount == 7 << 20)
        let growth = MemoryBudget(large).byteCount - MemoryBudget(small).byteCount
        #expect((5 << 20) + 10 * (8 << 20) < growth && growth < (5 << 20) + 10 * (16 << 20))
    }
}
