import Glibc
import HearthConsole
import HearthModel
import HearthTestSupport
import Testing

/// The file that lets a browser in.
struct EntryFileTests {
    private let folder = TemporaryFolder()
    private let secret: ConsoleSecret

    init() {
        var random = SystemRandomNumberGenerator()
        secret = ConsoleSecret(using: &random)
    }

    private func entry(in path: String) throws -> EntryFile {
        try EntryFile(in: path, address: "http://127.0.0.1:4711", secret: secret)
    }

    private func mode(_ path: String) -> mode_t {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    @Test func `its owner alone can read it, and it goes when it was used`() throws {
        let entry = try entry(in: folder.path + "/hearth")
        #expect(mode(entry.path) == 0o600)
        #expect(mode(folder.path + "/hearth") == 0o700)
        entry.remove()
        #expect(mode(entry.path) == 0)
    }

    @Test func `what lies at its place is replaced, and a link is not followed`() throws {
        let other = folder.path + "/other"
        close(open(other, O_CREAT | O_WRONLY, 0o666))
        mkdir(folder.path + "/hearth", 0o700)
        symlink(other, folder.path + "/hearth/console-\(getpid()).html")
        let entry = try entry(in: folder.path + "/hearth")
        var status = stat()
        #expect(lstat(entry.path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG)
        #expect(lstat(other, &status) == 0 && status.st_size == 0)
    }

    @Test func `a folder that others may write to is refused, and so is a link to a folder`() throws
    {
        let open = folder.path + "/open"
        mkdir(open, 0o700)
        chmod(open, 0o777)
        #expect(throws: HearthError.self) { try entry(in: open) }
        chmod(open, 0o700)
        symlink(open, folder.path + "/link")
        #expect(throws: HearthError.self) { try entry(in: folder.path + "/link") }
        #expect(throws: HearthError.self) { try entry(in: folder.path + "/none/hearth") }
    }

    @Test func `the session's runtime folder is taken if there is one`() {
        #expect(EntryFile.folder { _ in "/run/user/7" } == "/run/user/7/hearth")
        #expect(EntryFile.folder { _ in "relative" }.hasPrefix("/"))
        #expect(EntryFile.folder { _ in nil }.hasPrefix("/"))
    }
}
