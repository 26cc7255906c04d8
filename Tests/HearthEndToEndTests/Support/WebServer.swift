import Foundation

/// A web server of this machine that answers every request with one file, packed by gzip whether or
/// not the client has asked for that.
final class WebServer: Sendable {
    private struct Failed: Error {
        let reason: String
    }

    /// Where it listens.
    let port: UInt16
    private let listener: Int32

    /// Begins to serve.
    ///
    /// - Parameter packed: The file as `gzip` made it.
    init(serving packed: [UInt8]) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, size) | listen(listener, 8)
                    | getsockname(listener, pointer, &size)
            }
        }
        guard status == 0 else { throw Failed(reason: String(cString: strerror(errno))) }
        port = UInt16(bigEndian: address.sin_port)
        let head =
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: gzip\r\n"
            + "Content-Length: \(packed.count)\r\nConnection: close\r\n\r\n"
        let answer = Array(head.utf8) + packed
        Thread.detachNewThread { Self.serve(answer, to: listener) }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }  // Whoever accepts closes it.

    /// Answers one client after another until the listener is shut down.
    private static func serve(_ answer: [UInt8], to listener: Int32) {
        defer { close(listener) }
        while case let client = accept(listener, nil, nil), client >= 0 {
            defer { close(client) }
            var request: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 4_096)
            while !String(decoding: request, as: UTF8.self).hasSuffix("\r\n\r\n") {
                let count = read(client, &chunk, chunk.count)
                guard count > 0 else { break }
                request += chunk[..<count]
            }
            var sent = 0
            while sent < answer.count {
                let count = answer.withUnsafeBytes { bytes in
                    send(
                        client, bytes.baseAddress?.advanced(by: sent), answer.count - sent,
                        Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { break }
                sent += count
            }
        }
    }
}
