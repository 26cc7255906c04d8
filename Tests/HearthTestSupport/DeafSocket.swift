import Glibc

/// A socket at which connections wait and nobody takes one, as that of a daemon that stands still.
package final class DeafSocket: Sendable {
    /// Where the socket lies.
    package let path: String
    private let listening: Int32
    private let waiting: [Int32]

    /// Listens, and lets connections of its own wait until there is no place left.
    ///
    /// - Parameter freePlaceCount: How many places are left to others instead.
    package init(freePlaceCount: Int = 0) throws {
        var random = SystemRandomNumberGenerator()
        let path = "/tmp/hearth-test-\(random.next()).sock"
        guard let address = UnixAddress(path) else { throw Failure(errno: ENAMETOOLONG) }
        let type = Int32(SOCK_STREAM.rawValue) | O_CLOEXEC | O_NONBLOCK
        let listening = socket(AF_UNIX, type, 0)
        // The kernel has one place more than it is asked for.
        let backlog = Int32(max(freePlaceCount, 1) - 1)
        guard address.use({ bind(listening, $0, $1) }) == 0, listen(listening, backlog) == 0 else {
            throw Failure(errno: errno)
        }
        var waiting: [Int32] = []
        var isFull = freePlaceCount > 0
        while !isFull {
            let descriptor = socket(AF_UNIX, type, 0)
            waiting.append(descriptor)
            isFull = address.use { connect(descriptor, $0, $1) } != 0
            guard !isFull || errno == EAGAIN else { throw Failure(errno: errno) }
        }
        (self.path, self.listening, self.waiting) = (path, listening, waiting)
    }

    deinit {
        for descriptor in waiting + [listening] { close(descriptor) }
        unlink(path)
    }

    /// Takes one connection, so that a place becomes free.
    ///
    /// - Returns: Whether a connection waited.
    package func takeOne() -> Bool {
        let descriptor = accept(listening, nil, nil)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }

    private struct Failure: Error {
        let errno: Int32
    }
}
