import CLinux
import Glibc
import HearthTestSupport
import NIOPosix
import Synchronization
import Testing

@testable import HearthServer

/// A thread accepts, whatever many others do to the same socket.
@Suite(.timeLimit(.minutes(1)))
struct AcceptThreadTests {
    /// The path of a socket in a folder that is gone with the value.
    private let folder = TemporaryFolder()
    private var path: String { folder.path + "/socket" }

    /// Connects; the client is not blocked by a socket that accepts nobody.
    private func connect() -> Int32? {
        let client = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(client, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        if result != 0 { close(client) }
        return result == 0 ? client : nil
    }

    /// Whether the other end has closed the connection.
    private func isClosed(_ client: Int32) -> Bool {
        var byte: UInt8 = 0
        return recv(client, &byte, 1, 0) == 0
    }

    private func listening() throws -> Int32 {
        try SocketFile.listen(at: path, mode: 0o600, backlog: 1_024)
    }

    @Test func `who is turned away is disconnected, and others come in behind a crowd`()
        async throws
    {
        let held = Mutex<[AcceptedSocket]>([])
        let count = Atomic(0)
        let thread = try AcceptThread(listening(), tell: { _ in }) { socket in
            let number = count.add(1, ordering: .relaxed).newValue
            guard number > 500 else { return .turnedAway }
            held.withLock { $0.append(socket) }
            return .taken
        }
        for _ in 0..<500 {
            let client = try #require(connect())
            #expect(isClosed(client))
            close(client)
        }
        let client = try #require(connect())
        _ = try await eventually {
            held.withLock { $0.count }
        } is: {
            $0 == 1
        }
        let found = held.withLock { $0[0].credentials }
        #expect(found?.uid == geteuid())
        #expect(found?.pid == getpid())
        held.withLock { $0 = [] }
        #expect(isClosed(client), "Nobody has taken the connection.")
        close(client)
        await thread.stop()
    }

    @Test func `who finds no room is disconnected, and operators are told why`() async throws {
        let told = Mutex<[AcceptTrouble.News]>([])
        let thread = try AcceptThread(
            listening(), tell: { news in told.withLock { $0.append(news) } }
        ) { _ in .findsNoRoom }
        for _ in 0..<50 {
            let client = try #require(connect())
            #expect(isClosed(client))
            close(client)
        }
        await thread.stop()
        #expect(told.withLock { $0 } == [.failing(.noDescriptor)])
    }

    @Test func `a stopped thread has closed the socket`() async throws {
        let descriptor = try listening()
        let thread = try AcceptThread(descriptor, tell: { _ in }) { _ in .taken }
        await thread.stop()
        #expect(connect() == nil)
    }

    @Test func `what is no listening socket is refused, and closed`() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { close(ends[1]) }
        #expect(throws: (any Error).self) {
            _ = try AcceptThread(ends[0], tell: { _ in }) { _ in .taken }
        }
        #expect(fcntl(ends[0], F_GETFD) == -1)
    }

    @Test func `a socket that can accept nobody any more is told once, however often it is tried`()
        async throws
    {
        // Of TCP: a Unix socket that is shut down looks as if nobody came.
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let told = Mutex<[AcceptTrouble.News]>([])
        let thread = try AcceptThread(
            descriptor, tell: { news in told.withLock { $0.append(news) } }
        ) { _ in .turnedAway }
        try #require(shutdown(descriptor, Int32(SHUT_RD)) == 0)
        _ = try await eventually {
            told.withLock { $0 }
        } is: {
            $0 == [.failing(.broken(EINVAL))]
        }
        await thread.stop()
        #expect(told.withLock { $0.count } == 1)
    }

    @Test(arguments: [("", true), ("x", false)])
    func `who has left without a word is known`(said: String, hasLeft: Bool) throws {
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let socket = AcceptedSocket(ends[0])
        #expect(!socket.hasLeft)
        #expect(write(ends[1], said, said.utf8.count) == said.utf8.count)
        close(ends[1])
        #expect(socket.hasLeft == hasLeft)
    }
}
