import Glibc

/// A socket at which as many connections wait as may wait, and nobody takes one.
final class DeafSocket: Sendable {
    let path: String
    private let descriptors: [Int32]

    init() throws {
        var random = SystemRandomNumberGenerator()
        let path = "/tmp/hearth-test-\(random.next()).sock"
        self.path = path
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let type = Int32(SOCK_STREAM.rawValue) | O_CLOEXEC | O_NONBLOCK
        let listening = socket(AF_UNIX, type, 0)
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        var code = Self.call(bind, listening, &address, length)
        guard code == 0, listen(listening, 0) == 0 else { throw Failure(errno: errno) }
        var descriptors = [listening]
        while code == 0 {
            let waiting = socket(AF_UNIX, type, 0)
            descriptors.append(waiting)
            code = Self.call(connect, waiting, &address, length)
        }
        guard errno == EAGAIN else { throw Failure(errno: errno) }
        self.descriptors = descriptors
    }

    deinit {
        for descriptor in descriptors { close(descriptor) }
        unlink(path)
    }

    private struct Failure: Error {
        let errno: Int32
    }

    private static func call(
        _ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32, _ descriptor: Int32,
        _ address: inout sockaddr_un, _ length: socklen_t
    ) -> Int32 {
        withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                function(descriptor, $0, length)
            }
        }
    }
}
