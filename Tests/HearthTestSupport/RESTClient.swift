import Glibc

/// Asks over HTTP/1.1 on a Unix socket, one connection a request.
package struct RESTClient: Sendable {
    /// The socket's path.
    package let path: String

    /// Asks at a socket.
    package init(path: String) {
        self.path = path
    }

    /// What came back.
    package struct Answer: Equatable, Sendable {
        /// The status.
        package let status: Int
        /// The headers, their names in small letters.
        package let headers: [String: String]
        /// The whole body.
        package let body: String
    }

    /// Sends a request and waits for the whole answer.
    package func ask(
        _ verb: String, _ target: String, _ body: String? = nil, _ headers: [String: String] = [:]
    ) async throws -> Answer {
        var text = "\(verb) \(target) HTTP/1.1\r\nhost: emulator\r\nconnection: close\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        if let body { text += "content-length: \(body.utf8.count)\r\n" }
        text += "\r\n" + (body ?? "")
        let bytes = Array(text.utf8)
        let path = path
        return try await withCheckedThrowingContinuation { continuation in
            Task.detached {
                continuation.resume(with: Result { try Self.parsed(Self.exchange(bytes, path)) })
            }
        }
    }

    /// Sends bytes as they are, and reads until the other side closes.
    package static func exchange(_ bytes: [UInt8], _ path: String) throws -> [UInt8] {
        let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { target in
            for (index, byte) in path.utf8.enumerated() { target[index] = byte }
        }
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0 else { throw Failure.notConnected(errno) }
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { break }  // The other side has heard enough.
            sent += count
        }
        shutdown(socket, Int32(SHUT_WR))
        var answer: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = recv(socket, &chunk, chunk.count, 0)
            if count <= 0 { return answer }
            answer += chunk[..<count]
        }
    }

    private enum Failure: Error {
        case notConnected(Int32)
        case noAnswer
    }

    private static func parsed(_ bytes: [UInt8]) throws -> Answer {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n") else { throw Failure.noAnswer }
        let lines = text[..<end.lowerBound].split(separator: "\r\n")
        guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { throw Failure.noAnswer }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ": ", maxSplits: 1)
            if parts.count == 2 { headers[parts[0].lowercased()] = String(parts[1]) }
        }
        var body = String(text[end.upperBound...])
        if headers["transfer-encoding"] == "chunked" { body = unchunked(body) }
        return Answer(status: status, headers: headers, body: body)
    }

    private static func unchunked(_ body: String) -> String {
        var rest = Array(body.utf8)[...]
        var result: [UInt8] = []
        while let end = rest.firstIndex(of: UInt8(ascii: "\r")),
            let count = Int(String(decoding: rest[..<end], as: UTF8.self), radix: 16), count > 0
        {
            result += rest.dropFirst(end - rest.startIndex + 2).prefix(count)
            rest = rest.dropFirst(end - rest.startIndex + 2 + count + 2)
        }
        return String(decoding: result, as: UTF8.self)
    }
}

extension String {
    /// The first place of a text.
    fileprivate func range(of text: String) -> Range<Index>? { ranges(of: text).first }
}
