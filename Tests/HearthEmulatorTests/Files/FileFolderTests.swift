import Glibc
import HearthModel
import HearthTestSupport
import Testing

@testable import HearthEmulator

/// A folder `inside`, beside it a file that nobody may reach.
struct FileFolderTests {
    private static let secret = Array("secret".utf8)

    private static func with(_ body: (FileFolder, String) throws -> Void) throws {
        let folder = TemporaryFolder()
        defer { folder.remove() }
        let inside = "\(folder.path)/inside"
        mkdir(inside, 0o755)
        mkdir("\(inside)/sub", 0o755)
        try WholeFile.write(secret, to: "\(folder.path)/secret.json")
        try body(try FileFolder(inside), folder.path)
    }

    @Test func `files of the folder are written and read, by either way to name them`() throws {
        try Self.with { files, root in
            try files.write([1, 2], to: "a.json")
            #expect(try files.read("\(root)/inside/a.json") == [1, 2])
            try files.write([3], to: "\(root)/inside/sub/b.json")
            #expect(try files.read("sub//b.json") == [3])
            try files.write([4], to: "a.json")
            #expect(try files.read("a.json") == [4])
            #expect(try WholeFile.read("\(root)/inside/a.json") == [4])
            let error = #expect(throws: HearthError.self) { try files.read("none.json") }
            #expect(error?.code == .notFound)
        }
    }

    @Test(arguments: [
        "../secret.json", "sub/../../secret.json", "ROOT/secret.json", "ROOT/inside/../secret.json",
        "/etc/passwd", "ROOT/insider/x.json", "./a.json", "a\u{0}b.json", "", "/", "ROOT/inside",
    ])
    func `what is not below the folder is refused`(path: String) throws {
        try Self.with { files, root in
            var path = path
            if path.hasPrefix("ROOT") { path = root + path.dropFirst(4) }
            let read = #expect(throws: HearthError.self) { try files.read(path) }
            #expect(read?.code == .permissionDenied)
            let write = #expect(throws: HearthError.self) { try files.write([1], to: path) }
            #expect(write?.code == .permissionDenied)
            let left = try WholeFile.read("\(root)/secret.json")
            #expect(left == Self.secret)
        }
    }

    @Test func `no link leads out, as a file or on the way`() throws {
        try Self.with { files, root in
            symlink("\(root)/secret.json", "\(root)/inside/link.json")
            symlink(root, "\(root)/inside/way")
            symlink("../secret.json", "\(root)/inside/sub/back.json")
            for path in ["link.json", "way/secret.json", "sub/back.json"] {
                #expect(throws: HearthError.self, "\(path)") { try files.read(path) }
            }
            #expect(throws: HearthError.self) { try files.write([1], to: "way/new.json") }
            #expect(access("\(root)/new.json", F_OK) != 0)
            // A link in the place of the file is replaced, and what it led to stays.
            try files.write([1], to: "link.json")
            #expect(try files.read("link.json") == [1])
            #expect(try WholeFile.read("\(root)/secret.json") == Self.secret)
        }
    }

    @Test func `what is no file is refused at once`() throws {
        try Self.with { files, root in
            mkfifo("\(root)/inside/pipe.json", 0o644)
            for path in ["pipe.json", "sub"] {
                let error = #expect(throws: HearthError.self) { try files.read(path) }
                #expect(error?.code == .permissionDenied)
            }
            #expect(throws: HearthError.self) { try FileFolder("\(root)/nowhere") }
        }
    }

    @Test func `the folder stays the one that it was at the start`() throws {
        try Self.with { files, root in
            try files.write([1], to: "a.json")
            rename("\(root)/inside", "\(root)/moved")
            symlink(root, "\(root)/inside")
            #expect(try files.read("a.json") == [1])
            #expect(throws: HearthError.self) { try files.read("secret.json") }
        }
    }
}
