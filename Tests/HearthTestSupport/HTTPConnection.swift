import Glibc

/// A connection to an HTTP/1.1 server of this machine, for one call after another.
///
/// An answer ends where its head says, so a server that never closes does not hold the caller up. A
/// server that says nothing for `patience` fails the call with what was waited for.
package final class HTTPConnection {
    /// What came back.
    package struct Answer: Equatable, Sendable {
        /// The status, such as 200.
        package let status: Int
        /// The headers, their names in small letters; of several of a name, the last.
        package let headers: [String: String]
        /// The whole body, put together if it came in chunks.
        package let body: [UInt8]

        /// The body as text.
        package var text: String { String(decoding: body, as: UTF8.self) }
    }

    /// A call came to nothing.
    package struct Failure: Error, CustomStringConvertible {
        /// What was being done.
        package let action: String
        /// Why it could not be.
        package let reason: String

        package var description: String { "\(action): \(reason)" }
    }

    private let descriptor: Int32
    private let address: String
    /// What was received and not yet taken.
    private var received: [UInt8] = []

    /// Connects.
    ///
    /// - Parameters:
    ///   - address: `HOST:PORT`, the host as a number, or `unix:PATH`.
    ///   - patience: How long the server may be silent.
    ///   - owner: The user whose socket the kernel takes the connection's end for; only root may name
    ///     another user.
    package init(
        to address: String, patience: Duration = .seconds(20), owner: UInt32? = nil
    ) throws {
        self.address = address
        let isLocal = address.hasPrefix("unix:")
        descriptor = socket(
            isLocal ? AF_UNIX : AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var limit = timeval(tv_sec: Int(patience.components.seconds), tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
        guard owner.map({ fchown(descriptor, $0, gid_t.max) == 0 }) ?? true else {
            throw Failure(action: "give a socket away", reason: String(cString: strerror(errno)))
        }
        let status =
            isLocal
            ? Self.connect(descriptor, toPath: String(address.dropFirst(5)))
            : Self.connect(descriptor, toHost: address)
        guard status == 0 else {
            throw Failure(
                action: "connect to \(address)", reason: String(cString: strerror(errno)))
        }
    }

    deinit { close(descriptor) }

    /// Sends a request and waits for the whole answer.
    ///
    /// - Parameter headers: Lines beside those that every request has, as `name: value`.
    package func send(
        _ method: String, _ path: String, headers: [String] = [], body: String = ""
    ) throws -> Answer {
        try send(method, path, headers: headers, bytes: Array(body.utf8))
    }

    /// Sends a request with a body of any bytes; else as above.
    package func send(
        _ method: String, _ path: String, headers: [String] = [], bytes body: [UInt8]
    ) throws -> Answer {
        try ask(method, path, headers, body)
        let action = "read \(address)'s answer to \(method) \(path)"
        return try answer(action, hasBody: method != "HEAD")
    }

    /// Sends a request and waits for the head of its answer, whose body comes in chunks and goes on.
    package func begin(_ method: String, _ path: String, headers: [String] = []) throws -> Answer {
        try ask(method, path, headers, [])
        let head = try head("read the head of \(address)'s answer to \(method) \(path)")
        return Answer(status: head.status, headers: head.headers, body: [])
    }

    /// The next chunk of an answer that goes on; empty at its end.
    package func nextChunk() throws -> [UInt8] {
        try chunk("read a chunk of \(address)'s answer")
    }

    private func ask(
        _ method: String, _ path: String, _ headers: [String], _ body: [UInt8]
    ) throws {
        let type = headers.contains { $0.lowercased().hasPrefix("content-type:") }
        let host = headers.contains { $0.lowercased().hasPrefix("host:") }
        let lines =
            ["\(method) \(path) HTTP/1.1"] + (host ? [] : ["host: localhost"])
            + ["content-length: \(body.count)"]
            + (type ? [] : ["content-type: application/json"]) + headers
        try put(Array("\(lines.joined(separator: "\r\n"))\r\n\r\n".utf8) + body)
    }

    /// Sends bytes as they are, says that no more will come, and reads until the server closes.
    package func exchange(_ bytes: [UInt8]) throws -> [UInt8] {
        try put(bytes)
        shutdown(descriptor, Int32(SHUT_WR))
        return try rest("read from \(address) to the end")
    }

    /// Sends bytes as they are, after the connection has become something else than HTTP.
    package func write(_ bytes: [UInt8]) throws {
        try put(bytes)
    }

    /// Closes with a reset, as a machine does that knows nothing of the connection any more.
    package func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
        shutdown(descriptor, Int32(SHUT_RD))
        var nobody = sockaddr()
        nobody.sa_family = sa_family_t(AF_UNSPEC)
        // Taking the peer's address away from a connected socket resets the connection.
        _ = Glibc.connect(descriptor, &nobody, socklen_t(MemoryLayout<sockaddr>.size))
    }

    /// Whether something comes within some milliseconds, be it the end.
    package func awaitInput(for milliseconds: Int32) -> Bool {
        var place = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return !received.isEmpty || poll(&place, 1, milliseconds) > 0
    }

    /// Reads so many bytes as they are.
    package func read(_ count: Int) throws -> [UInt8] {
        try take(count, "read \(count) bytes from \(address)")
    }

    // MARK: Reading

    private func answer(_ action: String, hasBody: Bool) throws -> Answer {
        let head = try head(action)
        let body: [UInt8]
        if !hasBody || head.status == 204 || head.status == 304 {
            body = []
        } else if head.headers["transfer-encoding"]?.lowercased() == "chunked" {
            body = try chunks(action)
        } else if let length = head.headers["content-length"].flatMap({ Int($0) }) {
            body = try take(length, action)
        } else {
            body = try rest(action)
        }
        return Answer(status: head.status, headers: head.headers, body: body)
    }

    private func head(_ action: String) throws -> (status: Int, headers: [String: String]) {
        let statusLine = try line(action).split(separator: " ")
        guard statusLine.count > 1, let status = Int(statusLine[1]) else {
            throw Failure(action: action, reason: "the first line is no status")
        }
        var headers: [String: String] = [:]
        while true {
            let line = try line(action)
            if line.isEmpty { return (status, headers) }
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            headers[parts[0].lowercased()] = String(parts[1].drop { $0 == " " })
        }
    }

    private func chunks(_ action: String) throws -> [UInt8] {
        var body: [UInt8] = []
        while true {
            let chunk = try chunk(action)
            if chunk.isEmpty { return body }
            body += chunk
        }
    }

    private func chunk(_ action: String) throws -> [UInt8] {
        let size = try line(action).prefix { $0 != ";" }
        guard let count = Int(size, radix: 16) else {
            throw Failure(action: action, reason: "\"\(size)\" is no size of a chunk")
        }
        let chunk = try take(count, action)
        _ = try line(action)  // After the last chunk, the line that ends the answer.
        return chunk
    }

    private func line(_ action: String) throws -> String {
        var searched = 0
        while true {
            if let end = received[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = received[..<end]
                let text = String(decoding: line.last == 13 ? line.dropLast() : line, as: UTF8.self)
                received.removeFirst(end + 1)
                return text
            }
            searched = received.count
            guard try receive(action) else {
                throw Failure(action: action, reason: "the server closed in the middle of a line")
            }
        }
    }

    private func take(_ count: Int, _ action: String) throws -> [UInt8] {
        while received.count < count {
            guard try receive(action) else {
                throw Failure(
                    action: action,
                    reason: "the server closed after \(received.count) of \(count) bytes")
            }
        }
        defer { received.removeFirst(count) }
        return Array(received[..<count])
    }

    private func rest(_ action: String) throws -> [UInt8] {
        while try receive(action) {}
        defer { received = [] }
        return received
    }

    /// Returns whether anything came before the server closed.
    private func receive(_ action: String) throws -> Bool {
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            if count < 0, errno == EINTR { continue }
            // A server that closes before it has read everything resets the connection, behind its
            // last words.
            if count < 0, errno == ECONNRESET, !received.isEmpty { return false }
            guard count >= 0 else {
                let isSilence = errno == EAGAIN || errno == EWOULDBLOCK
                throw Failure(
                    action: action,
                    reason: isSilence
                        ? "the server was silent for too long after \(received.count) bytes"
                        : String(cString: strerror(errno)))
            }
            received += chunk[..<count]
            return count > 0
        }
    }

    private func put(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EPIPE { return }  // It has heard enough, and may say why.
            guard count > 0 else {
                throw Failure(
                    action: "send to \(address)", reason: String(cString: strerror(errno)))
            }
            rest = rest.dropFirst(count)
        }
    }

    // MARK: Connecting

    private static func connect(_ descriptor: Int32, toHost address: String) -> Int32 {
        let parts = address.split(separator: ":")
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        guard parts.count == 2, let port = UInt16(parts[1]),
            inet_pton(AF_INET, String(parts[0]), &place.sin_addr) == 1
        else {
            errno = EINVAL
            return -1
        }
        place.sin_port = port.bigEndian
        return withUnsafePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private static func connect(_ descriptor: Int32, toPath path: String) -> Int32 {
        guard let place = UnixAddress(path) else {
            errno = ENAMETOOLONG
            return -1
        }
        return place.use { Glibc.connect(descriptor, $0, $1) }
    }
}
