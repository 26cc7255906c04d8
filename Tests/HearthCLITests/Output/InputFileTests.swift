import Glibc
import HearthTestSupport
import Testing

@testable import HearthCLI

/// What commands read as a whole, and what they write as a whole.
struct InputFileTests {
    private let folder = TemporaryFolder()

    @Test(arguments: ["/dev/zero", "/"])
    func `a device and a folder are refused before a byte is read`(path: String) {
        let failure = #expect(throws: Failure.self) { try InputFile.read(path) }
        #expect(failure?.message?.contains("Cannot read \(path)") == true)
    }

    @Test func `the null device reads as an empty file`() throws {
        #expect(try InputFile.read("/dev/null") == [])
    }

    @Test func `a byte order mark at the start is left out`() throws {
        let path = try folder.write("\u{FEFF}{}\u{FEFF}", to: "data.json")
        #expect(try InputFile.read(path) == Array("{}\u{FEFF}".utf8))
    }

    @Test func `a file and a pipe are read up to the limit, and no further`() throws {
        let path = try folder.write("12345", to: "data")
        #expect(try InputFile.read(path, byteCountMax: 5) == Array("12345".utf8))
        let failure = #expect(throws: Failure.self) {
            try InputFile.read(path, byteCountMax: 4)
        }
        #expect(failure?.message?.contains("more than") == true)
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        #expect(write(ends[1], "abc", 3) == 3)
        close(ends[1])
        #expect(try InputFile.read("/proc/self/fd/\(ends[0])") == Array("abc".utf8))
    }

    @Test func `a file appears when it is whole, and a run that ends before leaves nothing`() throws
    {
        let path = folder.path + "/saved"
        _ = try folder.write("of a killed run", to: "saved.part")
        do {
            let file = try PrivateFile(path)
            try file.append([1, 2])
            #expect(names == [])  // A kill here leaves nothing.
        }
        #expect(names == [])
        let file = try PrivateFile(path)
        try file.append([1, 2])
        try file.finish()
        #expect(names == ["saved"])
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(try InputFile.read(path) == [1, 2])
        let lines = try LineFile(path)
        try lines.put("a")
        try lines.finish()
        #expect(try InputFile.read(path) == Array("a\n".utf8))
        #expect(names == ["saved"])
    }

    @Test func `a part that another run writes stays, and so does what is no file`() throws {
        let path = folder.path + "/saved"
        let part = try folder.write("of a run that goes on", to: "saved.part")
        let own = open(part, O_RDONLY | O_CLOEXEC)
        try #require(own >= 0 && flock(own, LOCK_EX | LOCK_NB) == 0)
        #expect(throws: Failure.self) { try PrivateFile(path) }
        #expect(names == ["saved.part"])
        close(own)
        try #require(unlink(part) == 0)
        try #require(symlink(folder.path + "/elsewhere", part) == 0)
        #expect(throws: Failure.self) { try PrivateFile(path) }
        #expect(names == ["saved.part"])
    }

    @Test func `a finished file leaves the next run's part alone`() throws {
        let path = folder.path + "/saved"
        do {
            let file = try PrivateFile(path)
            defer { withExtendedLifetime(file) {} }
            try file.finish()
            try folder.write("of the next run", to: "saved.part")
        }
        #expect(names.sorted() == ["saved", "saved.part"])
    }

    private var names: [String] {
        guard let stream = opendir(folder.path) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }
}
