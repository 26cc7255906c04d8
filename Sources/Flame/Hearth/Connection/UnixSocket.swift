import CLinux
import Glibc

/// A connected stream socket, which closes when its last reference goes.
final class UnixSocket: Sendable {
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
    struct Failure: Error, Equatable, Sendable, CustomStringConvertible {
        let description: String
    }

    /// The file descriptor.
    let descriptor: Int32

    /// Owns a connected descriptor.
    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Connects to a path.
    static func connect(to path: String) throws(Failure) -> UnixSocket {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard path.utf8.count < capacity else {
            throw Failure(description: "its path is longer than \(capacity - 1) bytes")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { throw Failure(description: errorText()) }
        // A daemon that stands still lets connections wait until there is no room for another.
        var patience = timeval(tv_sec: 1, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience,
            socklen_t(MemoryLayout<timeval>.size))
        let result = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else {
            let isFull = errno == EAGAIN
            let failure = Failure(
                description: isFull
                    ? "as many connections as there may be wait already" : errorText())
            Glibc.close(descriptor)
            throw failure
        }
        return UnixSocket(descriptor: descriptor)
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
