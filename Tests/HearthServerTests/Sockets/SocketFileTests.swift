import Glibc
import HearthModel
import HearthServer
import HearthTestSupport
import Testing

struct SocketFileTests {
    private let folder = TemporaryFolder()

    private func mode(_ path: String) -> UInt32? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : nil
    }

    @Test func `a socket gets its mode and its folder, and is removed`() throws {
        let path = folder.path + "/run/hearth.sock"
        let (file, descriptor) = try SocketFile.bind(path: path, mode: 0o640)
        defer { close(descriptor) }
        #expect(mode(path) == 0o640)
        _ = try SocketClient(path: path)
        file.remove()
        #expect(mode(path) == nil)
    }

    @Test func `a socket that nobody serves any more is replaced`() throws {
        let path = folder.path + "/hearth.sock"
        close(try SocketFile.bind(path: path, mode: 0o600).descriptor)
        let (_, descriptor) = try SocketFile.bind(path: path, mode: 0o660)
        defer { close(descriptor) }
        #expect(mode(path) == 0o660)
        _ = try SocketClient(path: path)
    }

    @Test func `a path that the kernel takes is enough, whatever the process's number`() throws {
        let room = 107 - folder.path.utf8.count - "/".utf8.count
        for count in (room - 12)...room {
            let path = folder.path + "/" + String(repeating: "s", count: count)
            let (file, descriptor) = try SocketFile.bind(path: path, mode: 0o600)
            defer { close(descriptor) }
            #expect(mode(path) == 0o600)
            #expect(folder.files.count == 1)
            file.remove()
        }
        let path = folder.path + "/" + String(repeating: "s", count: room + 1)
        let error = #expect(throws: HearthError.self) {
            try SocketFile.bind(path: path, mode: 0o600)
        }
        #expect(error?.message == "\(path) has 108 bytes; a socket's path may have 107.")
    }

    @Test func `a socket that another process serves stays its own`() throws {
        let path = folder.path + "/hearth.sock"
        let descriptor = try SocketFile.bind(path: path, mode: 0o600).descriptor
        defer { close(descriptor) }
        let error = #expect(throws: HearthError.self) {
            try SocketFile.bind(path: path, mode: 0o600)
        }
        #expect(error?.code == .failedPrecondition)
    }

    @Test func `what is no socket is left alone`() throws {
        let path = folder.path + "/hearth.sock"
        close(open(path, O_CREAT | O_WRONLY, 0o600))
        let error = #expect(throws: HearthError.self) {
            try SocketFile.bind(path: path, mode: 0o600)
        }
        #expect(error?.message.contains("is no socket") == true)
    }

    @Test func `a file that is not ours any more is not removed`() throws {
        let path = folder.path + "/hearth.sock"
        let (first, descriptor) = try SocketFile.bind(path: path, mode: 0o600)
        close(descriptor)
        let second = try SocketFile.bind(path: path, mode: 0o600).descriptor
        defer { close(second) }
        first.remove()
        #expect(mode(path) == 0o600)
    }

    @Test func `a path too long for a socket is refused`() {
        let path = folder.path + "/" + String(repeating: "x", count: 120)
        let error = #expect(throws: HearthError.self) {
            try SocketFile.bind(path: path, mode: 0o600)
        }
        #expect(error?.code == .invalidArgument)
    }
}
