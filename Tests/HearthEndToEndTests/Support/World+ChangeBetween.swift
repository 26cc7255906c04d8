import Hearth
import HearthTestSupport
import Testing

extension World {
    /// Changes `rooms/twice` at the backend before the last waiting write of a machine, which names the
    /// write in front, and expects the last write to become a dead letter.
    ///
    /// - Parameter machine: An offline machine, whose last waiting write is one to `rooms/twice`.
    func changeBetween(_ machine: Machine) async throws {
        let waiting = try await machine.client().pendingBatches().batches.map(\.id)
        let last = try #require(waiting.last)
        #expect(try CommandRun(self, machine, ["queue", "hold", "\(last)"]).status == 0)
        // The answers were given; nothing but the disk knows of the writes now.
        machine.killDaemon()
        try machine.startDaemon()
        try startEmulator()
        _ = try await eventually {
            try await machine.client().daemonStatus().queueBatchCount
        } is: {
            $0 == 1
        }
        let other = try self.machine("other").client()
        try await other.document("rooms/twice").setData(["n": 100])
        #expect(try CommandRun(self, machine, ["queue", "release", "\(last)"]).status == 0)
        let status = try await eventually {
            try await machine.client().daemonStatus()
        } is: {
            $0.queueBatchCount == 0
        }
        #expect(status.deadLetterCount == 1)
        let twice = try await other.document("rooms/twice").getDocument(source: .server)
        #expect(twice["n"] as? Int == 100)
    }
}
