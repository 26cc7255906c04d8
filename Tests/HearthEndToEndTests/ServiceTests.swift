import Glibc
import Hearth
import HearthTestSupport
import Testing

/// What a service manager hears of the daemon.
@Suite(.timeLimit(.minutes(1)))
struct ServiceTests {
    @Test func `the manager is told when the daemon is ready, how it is, that it lives and stops`()
        async throws
    {
        let world = try World(isOnline: false)
        let manager = try ManagerSocket(path: world.folder.path + "/notify.sock")
        let daemon = try ChildProcess(
            "hearthd",
            [
                "--database.project", "demo", "--store.folder", world.folder.path + "/state",
                "--sockets.client", world.folder.path + "/hearth.sock",
                "--sockets.control", world.folder.path + "/control.sock",
                "--upstream.isEnabled", "false",
            ], log: world.folder.path + "/hearthd.log",
            environment: ["NOTIFY_SOCKET=\(manager.path)", "WATCHDOG_USEC=300000"])
        var first = try manager.receive()
        // However long the store takes to open, the manager is asked for time.
        while first.hasPrefix("EXTEND_TIMEOUT_USEC=") { first = try manager.receive() }
        #expect(first.hasPrefix("READY=1\nSTATUS="))
        #expect(first.contains("0 queued"))
        var heard: [String] = []
        while heard.count(where: { $0 == "WATCHDOG=1" }) < 2 { heard.append(try manager.receive()) }
        daemon.signal(SIGHUP)
        while heard.last?.hasPrefix("RELOADING=1\nMONOTONIC_USEC=") != true {
            heard.append(try manager.receive())
        }
        while heard.last?.hasPrefix("READY=1") != true { heard.append(try manager.receive()) }
        #expect(daemon.terminate() == 0)
        while heard.last?.hasPrefix("STOPPING=1") != true { heard.append(try manager.receive()) }
    }
}

/// What a daemon keeps of the last hour.
@Suite(.timeLimit(.minutes(1)))
struct LastHourTests {
    @Test func `the last hour is kept by the way, and told`() async throws {
        let world = try World(isOnline: false)
        let manager = try ManagerSocket(path: world.folder.path + "/notify.sock")
        let socketPath = world.folder.path + "/hearth.sock"
        let daemon = try ChildProcess(
            "hearthd",
            [
                "--database.project", "demo", "--store.folder", world.folder.path + "/state",
                "--sockets.client", socketPath, "--upstream.isEnabled", "false",
            ], log: world.folder.path + "/hearthd.log",
            environment: ["NOTIFY_SOCKET=\(manager.path)", "WATCHDOG_USEC=3000000"])
        while try manager.receive() != "WATCHDOG=1" {}  // The first step has begun.
        let client = Firestore(
            settings: FirestoreSettings(
                socketPath: socketPath, programName: "test", connectTimeout: .seconds(20)))
        #expect(try await client.daemonHour().isEmpty)
        try await client.document("rooms/hall").setData(["n": 1], until: .accepted)
        let steps = try await eventually {
            _ = try manager.receive()
            return try await client.daemonHour()
        } is: {
            !$0.isEmpty
        }
        #expect(steps.map(\.acceptedCount) == [1])
        #expect(steps.map(\.queueBatchCount) == [1])
        #expect(steps.allSatisfy { $0.seconds >= 10 && $0.storeCommits.count > 0 })
        #expect(daemon.terminate() == 0)
    }

    @Test func `a daemon without a service manager keeps the last hour too`() async throws {
        let world = try World(isOnline: false)
        let client = try world.machine().client()
        let hall = client.document("rooms/hall")
        // Writes may come before the first step begins, so they go on until a step has some.
        let steps = try await eventually {
            try await hall.setData(["n": 1], until: .accepted)
            return try await client.daemonHour()
        } is: {
            $0.contains { $0.acceptedCount > 0 }
        }
        #expect(steps.allSatisfy { $0.seconds >= 10 })
    }
}

/// The datagram socket of a service manager.
private final class ManagerSocket {
    let path: String
    private let descriptor: Int32

    init(path: String) throws {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        let result = UnixAddress(path)?.use { bind(descriptor, $0, $1) }
        guard result == 0 else { throw TooLate(last: String(cString: strerror(errno))) }
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    func receive() throws -> String {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        guard count >= 0 else { throw TooLate(last: String(cString: strerror(errno))) }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
