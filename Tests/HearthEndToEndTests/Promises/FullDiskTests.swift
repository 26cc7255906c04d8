import Glibc
import Hearth
import HearthTestSupport
import Testing

/// A daemon that starts on a full disk, whatever way it came there.
@Suite(.serialized, .enabled(if: FullDisk.isAllowed, "file systems may be mounted"))
struct FullDiskTests {
    /// How the daemon ends on the full disk.
    enum End: CaseIterable { case stop, kill }

    private static let size = 100_000

    @Test(arguments: End.allCases)
    func `a daemon that ended on a full disk serves reads when it starts there again`(
        end: End
    ) async throws {
        let disk = try FullDisk(byteCount: 48 << 20)
        let world = try World(isOnline: false)
        let machine = try world.machine("machine", ["--store.folder", disk.folder.path])
        var accepted = try await fill(disk, through: machine)
        // What the daemon gives back for reads, another program takes.
        try disk.fillMore()
        switch end {
        case .stop: machine.stopDaemon()
        case .kill: machine.killDaemon()
        }
        try disk.fillMore()
        try machine.startDaemon()
        for number in accepted {
            let document = try await machine.client().document("full/\(number)")
                .getDocument(source: .cache)
            #expect((document["text"] as? String)?.utf8.count == Self.size)
        }
        await #expect(throws: (any Error).self) { try await write(1_000, through: machine) }
        disk.makeRoom()
        _ = try await eventually {
            (try? await write(1_001, through: machine)) != nil
        } is: {
            $0
        }
        accepted.append(1_001)
        let status = try await machine.client().daemonStatus()
        #expect(status.queueBatchCount == accepted.count)
    }

    @Test func `without a reserve a daemon on a full disk says what helps, wherever one looks`()
        async throws
    {
        let disk = try FullDisk(byteCount: 48 << 20)
        let world = try World(isOnline: false)
        let machine = try world.machine("machine", ["--store.folder", disk.folder.path])
        try await write(1, through: machine)
        machine.stopDaemon()
        let folder = disk.folder.path + "/firestore/demo"
        for end in ["-reserve", "-reserve-start"] {
            unlink("\(folder)/(default).sqlite\(end)")
        }
        try disk.fill()
        try disk.fillMore()
        try machine.startDaemon()
        let status = try await eventually {
            try CommandRun(world, machine, ["status"])
        } is: {
            $0.output.first?.hasSuffix("degraded") == true
        }
        let words = "MiB free on the file system of \(folder), "
        #expect(status.status == 1)
        #expect(status.output.contains { $0.contains(words) }, "\(status.output)")
        #expect(world.log("machine").contains(words))
        let refused = try CommandRun(world, machine, ["set", "full/2", "n=1"])
        #expect(refused.status == CommandRun.tryAgainStatus)
        #expect(refused.complaints.contains { $0.contains(words) }, "\(refused.complaints)")
        disk.makeRoom()
        _ = try await eventually {
            (try? await write(3, through: machine)) != nil
        } is: {
            $0
        }
    }

    /// Writes some documents, fills the disk, and writes until the daemon refuses.
    ///
    /// - Returns: The numbers of the documents whose writes were accepted.
    private func fill(_ disk: FullDisk, through machine: Machine) async throws -> [Int] {
        var accepted: [Int] = []
        for number in 0..<5 {
            try await write(number, through: machine)
            accepted.append(number)
        }
        try disk.fill()
        for number in 5..<500 {
            try disk.fillMore()
            do {
                try await write(number, through: machine)
                accepted.append(number)
            } catch {
                return accepted
            }
        }
        Issue.record("the disk is never full")
        return accepted
    }

    private func write(_ number: Int, through machine: Machine) async throws {
        let text = String(repeating: "x", count: Self.size)
        try await machine.client().document("full/\(number)").setData(
            ["text": text], until: .accepted)
    }
}
