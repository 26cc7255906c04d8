import CLinux
import Glibc

/// A connected stream socket, which closes when its last reference goes.
package final class UnixSocket: Sendable {
    /// The outcome of a read or a write.
    enum Outcome: Equatable, Sendable {
        /// How many bytes were read or written, 1 or more.
        case bytes(Int)
        /// Nothing now; wait until the socket is ready.
        case wouldBlock
        /// The peer closed the connection, or it broke, and why.
        case closed(String)
    }

    /// Why there is no connection.
    package struct Failure: Error, Equatable, Sendable, CustomStringConvertible {
        /// What kind of obstacle there is.
        package enum Obstacle: Equatable, Sendable {
            /// The path has more bytes than an address may have.
            case longPath
            /// Nobody listens at the path.
            case absence
            /// The user may not connect.
            case denial
            /// As many connections as there may be wait already, and no place became free in time.
            case crowd
            /// Whatever else the kernel says.
            case other
        }

        /// What kind of obstacle there is.
        package let obstacle: Obstacle
        /// What the obstacle is, in words.
        package let description: String

        init(_ obstacle: Obstacle = .other, description: String) {
            self.obstacle = obstacle
            self.description = description
        }
    }

    /// The file descriptor.
    let descriptor: Int32

    /// Owns a connected descriptor.
    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Connects to a path.
    ///
    /// - Parameter patience: How long a place among the waiting connections is waited for. Others
    ///   may take all places for moments; a daemon that stands still never has room again.
    /// - Throws: `Failure` with the obstacle, such as `absence` if nobody listens at the path.
    package static func connect(
        to path: String, patience: Duration = .seconds(1)
    ) throws(Failure) -> UnixSocket {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard path.utf8.count < capacity else {
            throw Failure(.longPath, description: "its path is longer than \(capacity - 1) bytes")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { throw Failure(description: errorText()) }
        setPatience(patience, of: descriptor)
        let result = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else {
            let failure = connectFailure(errno)
            Glibc.close(descriptor)
            throw failure
        }
        return UnixSocket(descriptor: descriptor)
    }

    private static func setPatience(_ patience: Duration, of descriptor: Int32) {
        // To the kernel, no time is time without end.
        let (seconds, attoseconds) = max(patience, .milliseconds(1)).components
        var time = timeval(
            tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
        setsockopt(
            descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    private static func connectFailure(_ code: Int32) -> Failure {
        switch code {
        case EAGAIN:
            Failure(.crowd, description: "as many connections as there may be wait already")
        case EACCES, EPERM: Failure(.denial, description: errorText())
        case ENOENT, ECONNREFUSED, ENOTDIR: Failure(.absence, description: errorText())
        default: Failure(description: errorText())
        }
    }

    /// Writes as many bytes as the socket takes now.
    func write(_ bytes: ArraySlice<UInt8>) -> Outcome {
        let count = bytes.withUnsafeBytes {
            send(descriptor, $0.baseAddress, $0.count, Self.neverSignal | Self.neverBlock)
        }
        return Self.outcome(count)
    }

    /// Reads the bytes that have come.
    ///
    /// - Parameter received: Gets the descriptor that came with the bytes, if one did; the caller
    ///   closes it.
    func read(into buffer: inout [UInt8], received: inout Int32?) -> Outcome {
        var file: Int32 = -1
        let count = buffer.withUnsafeMutableBytes {
            clinux_receive(descriptor, $0.baseAddress, $0.count, Self.neverBlock, &file)
        }
        received = file >= 0 ? file : nil
        if count == 0 { return .closed("the daemon closed the connection") }
        return Self.outcome(count)
    }

    /// Ends the connection. A thread that reads from the socket then gets `closed`.
    func shutDown() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    private static let neverBlock = Int32(MSG_DONTWAIT)
    private static let neverSignal = Int32(MSG_NOSIGNAL)

    private static func outcome(_ count: Int) -> Outcome {
        if count >= 0 { return .bytes(count) }
        switch errno {
        case EAGAIN, EINTR: return .wouldBlock
        default: return .closed(errorText())
        }
    }

    private static func errorText() -> String {
        var text = [CChar](repeating: 0, count: 128)
        guard strerror_r(errno, &text, text.count) == 0 else { return "error \(errno)" }
        let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
