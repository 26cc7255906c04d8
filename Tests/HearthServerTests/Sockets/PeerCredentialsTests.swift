import Glibc
import HearthServer
import Testing

struct PeerCredentialsTests {
    @Test func `the groups of a peer are those of its process`() throws {
        var sockets: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &sockets) == 0)
        defer { for socket in sockets { close(socket) } }
        var own = [gid_t](repeating: 0, count: 65_536)
        let count = getgroups(Int32(own.count), &own)
        #expect(count >= 0)
        #expect(Set(PeerCredentials.groups(of: sockets[0])) == Set(own.prefix(Int(count))))
        #expect(PeerCredentials.groups(of: -1) == [])
    }

    /// One end of a pair of connected sockets.
    private func withPair<Result>(_ body: (Int32) throws -> Result) throws -> Result {
        var sockets: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &sockets) == 0)
        defer { for socket in sockets { close(socket) } }
        return try body(sockets[0])
    }

    @Test(arguments: [true, false])
    func `the units of a peer that runs are known`(usesHandle: Bool) throws {
        try withPair { socket in
            let process = PeerProcess(socket, pid: getpid(), usesHandle: usesHandle)
            #expect(process?.place != nil)
            let peer = PeerCredentials.complete(Peer(uid: 1, gid: 1, pid: getpid()), on: socket)
            #expect(peer.isUnitKnown)
        }
    }

    @Test func `of a peer that is gone no unit is known`() throws {
        try withPair { socket in
            // A number above what the kernel gives, and one of nobody's.
            for pid: Int32 in [1 << 30, 0, -1] {
                let peer = PeerCredentials.complete(Peer(uid: 1, gid: 1, pid: pid), on: socket)
                #expect(!peer.isUnitKnown)
            }
        }
    }

    @Test(arguments: [
        ("7 (a) S 1 1 1 0 -1 4 1 0 0 0 0 0 0 0 20 0 1 0 4242 9 9", "4242"),
        ("7 (a) b) 1 (x) R 1 1 1 0 -1 4 1 0 0 0 0 0 0 0 20 0 1 0 17 9", "17"),
        ("7 (a) Z 1 1 1 0 -1 4 1 0 0 0 0 0 0 0 20 0 1 0 4242 9 9", nil),
        ("7 (a) X 1 1 1 0 -1 4 1 0 0 0 0 0 0 0 20 0 1 0 4242 9 9", nil),
        ("7 (a) S 1", nil), ("", nil),
    ])
    func `a process that has ended has no start`(text: String, time: String?) {
        #expect(PeerProcess.startTime(in: text) == time)
    }

    @Test(arguments: [0, 1, 1_023, 1_024, 1_025, 10_000])
    func `a file of the kernel's is read whole in parts`(byteCount: Int) throws {
        let text = String(repeating: "a", count: byteCount)
        try withFile(text) { #expect(PeerProcess.read($0) == text) }
    }

    @Test func `a file that is too long to be the kernel's word is not read`() throws {
        try withFile(String(repeating: "a", count: 100_000)) {
            #expect(PeerProcess.read($0) == nil)
        }
    }

    private func withFile(_ text: String, _ body: (String) throws -> Void) throws {
        var path = Array("/tmp/hearth-peer.XXXXXX".utf8CString)
        let file = mkstemp(&path)
        #expect(file >= 0)
        let name = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer {
            close(file)
            unlink(name)
        }
        #expect(write(file, text, text.utf8.count) == text.utf8.count)
        try body(name)
    }
}
