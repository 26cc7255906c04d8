import Glibc
import HearthSQLite
import HearthTestSupport
import Testing

struct FileIdentityTests {
    private let folder = TemporaryFolder()

    private func path(_ name: String) -> String { folder.path + "/" + name }

    @Test func `a file is the same by each of its names and by its descriptor`() throws {
        try folder.write("x", to: "file")
        let identity = try #require(FileIdentity(at: path("file"), followsLink: true))
        try #require(link(path("file"), path("second")) == 0)
        #expect(FileIdentity(at: path("second"), followsLink: false) == identity)
        let descriptor = open(path("file"), O_RDONLY | O_CLOEXEC)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        try #require(rename(path("file"), path("moved")) == 0)
        #expect(FileIdentity(of: descriptor) == identity)
        #expect(FileIdentity(at: path("moved"), followsLink: false) == identity)
    }

    @Test func `a file that took the name of another file has another identity`() throws {
        try folder.write("x", to: "file")
        try folder.write("x", to: "other")
        let identity = try #require(FileIdentity(at: path("file"), followsLink: true))
        try #require(rename(path("file"), path("moved")) == 0)
        try #require(rename(path("other"), path("file")) == 0)
        let found = try #require(FileIdentity(at: path("file"), followsLink: true))
        #expect(found != identity)
    }

    @Test func `a link counts as its file only where links are followed`() throws {
        try folder.write("x", to: "file")
        try #require(symlink(path("file"), path("link")) == 0)
        let identity = try #require(FileIdentity(at: path("file"), followsLink: false))
        #expect(FileIdentity(at: path("link"), followsLink: true) == identity)
        let link = try #require(FileIdentity(at: path("link"), followsLink: false))
        #expect(link != identity)
    }

    @Test func `what is not there has no identity, and the system's error can be read`() {
        #expect(FileIdentity(of: -1) == nil)
        #expect(FileIdentity(at: path("file"), followsLink: true) == nil)
        #expect(FileIdentity(at: path("file"), followsLink: false) == nil)
        errno = 0
        let isFound = FileIdentity(at: path("file"), followsLink: true) != nil
        let reason = errno
        #expect(!isFound && reason == ENOENT)
    }
}
