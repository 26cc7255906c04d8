import Glibc
import HearthTestSupport
import Testing

@testable import HearthServer

/// What a socket that somebody else has made is bound to.
struct BoundAddressTests {
    private let folder = TemporaryFolder()

    @Test(arguments: ["socket", "Größe", String(repeating: "x", count: 20)])
    func `a Unix socket with a file has the file's path, and no port`(name: String) throws {
        let path = "\(folder.path)/\(name)"
        let descriptor = try SocketFile.listen(at: path, mode: 0o600, backlog: 1)
        defer { close(descriptor) }
        let address = try #require(BoundAddress(of: descriptor))
        #expect(address.path == path)
        #expect(address.port == nil)
    }

    @Test func `a Unix socket without a file has no path`() throws {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        let address = try #require(BoundAddress(of: descriptor))
        #expect(address.path == nil)
    }

    @Test func `a socket of TCP has the port that the system chose, and no path`() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        #expect(BoundAddress(of: descriptor)?.port == 0)
        try #require(Glibc.listen(descriptor, 1) == 0)
        let address = try #require(BoundAddress(of: descriptor))
        let port = try #require(address.port)
        #expect((1...65_535).contains(port))
        #expect(address.path == nil)
    }

    @Test func `what is no socket is bound nowhere`() throws {
        let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        #expect(BoundAddress(of: descriptor) == nil)
    }
}
