import Glibc
import HearthTestSupport
import Testing

@testable import HearthDaemon

/// The folder of a fork that is being made, and what killed runs left.
struct ForkStagingTests {
    private let folder = TemporaryFolder()

    private var target: String { folder.path + "/fork" }

    private func makeFolder(_ name: String, mode: mode_t) throws {
        try #require(mkdir(folder.path + "/" + name, mode) == 0)
        try #require(chmod(folder.path + "/" + name, mode) == 0)
        try folder.write("x", to: name + "/file")
    }

    @Test func `a folder that others may use is no leftover, nor is what a link leads to`() throws {
        try makeFolder("fork.part-abcdef", mode: 0o755)
        try makeFolder("mine", mode: 0o700)
        try #require(symlink(folder.path + "/mine", target + ".part-123456") == 0)
        try makeFolder("fork.part-ABCDEF", mode: 0o700)
        _ = try ForkStaging(for: target)
        #expect(folder.files.sorted() == ["fork.part-123456", "fork.part-abcdef", "mine"])
        #expect(folder.byteCount(of: "fork.part-abcdef/file") == 1)
        #expect(folder.byteCount(of: "mine/file") == 1)
    }

    @Test func `a run leaves the folder of another run, and takes its own files along`() throws {
        let first = try ForkStaging(for: target)
        do {
            let second = try ForkStaging(for: target)
            defer { withExtendedLifetime(second) {} }
            #expect(second.path != first.path)
            #expect(access(first.path, F_OK) == 0)
            let name = String(second.path.dropFirst(folder.path.utf8.count + 1))
            try folder.write("x", to: name + "/file")
        }
        #expect(folder.files.count == 1)
        try first.finish()
        #expect(folder.files == ["fork"])
    }
}
