import Glibc
import Synchronization

/// A server of this machine that answers as Firebase Auth does to a few users of a test, and as the
/// metadata server of a machine of Google's.
package final class StubAuth: Sendable {
    /// The password of every account.
    package static let password = "correct horse battery staple"
    /// The only custom token that it believes.
    package static let customToken = "custom.token.of-the-server"
    /// The project's API key.
    package static let apiKey = "AIza-key-of-the-project"

    /// The project whose machine this is.
    package static let project = "of-the-machine"

    private let listener: Int32
    private let users = Mutex<[String: String]>([:])
    /// `HOST:PORT`.
    package let address: String

    /// Serves at a port of this machine until `close`.
    package init() throws {
        let listener = socket(
            AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                let isBound = bind(listener, pointer, length) == 0 && listen(listener, 16) == 0
                return isBound ? getsockname(listener, pointer, &length) : -1
            }
        }
        guard status == 0 else { throw NotListening(code: errno) }
        self.listener = listener
        address = "127.0.0.1:\(UInt16(bigEndian: place.sin_port))"
        let thread = Thread(stub: self)
        thread.start()
    }

    /// Ends the server; the thread that accepts notices.
    package func close() { shutdown(listener, Int32(SHUT_RDWR)) }

    /// All that is secret in its answers and questions.
    package static func secrets(of users: [String]) -> [String] {
        [password, customToken, apiKey] + users.flatMap { [refreshToken(of: $0), idToken(of: $0)] }
    }

    private struct NotListening: Error {
        let code: Int32
    }

    /// The thread that takes the connections in turn.
    private struct Thread {
        let stub: StubAuth

        func start() {
            let box = Unmanaged.passRetained(stub)
            var thread = pthread_t()
            pthread_create(
                &thread, nil,
                { raw in
                    guard let raw else { return nil }
                    let stub = Unmanaged<StubAuth>.fromOpaque(raw).takeRetainedValue()
                    stub.serve()
                    return nil
                }, box.toOpaque())
            pthread_detach(thread)
        }
    }

    private func serve() {
        defer { Glibc.close(listener) }
        while true {
            let connection = accept(listener, nil, nil)
            if connection < 0, errno == EINTR { continue }
            guard connection >= 0 else { return }
            var patience = timeval(tv_sec: 10, tv_usec: 0)
            setsockopt(
                connection, SOL_SOCKET, SO_RCVTIMEO, &patience,
                socklen_t(MemoryLayout<timeval>.size))
            if let (target, body) = question(connection) {
                let (status, text) = answer(target, body)
                let head =
                    "HTTP/1.1 \(status) x\r\nmetadata-flavor: Google\r\n"
                    + "content-length: \(text.utf8.count)\r\nconnection: close\r\n\r\n"
                let bytes = Array((head + text).utf8)
                _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            }
            Glibc.close(connection)
        }
    }

    /// The target and the body of a connection's request.
    private func question(_ connection: Int32) -> (target: String, body: String)? {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while true {
            let text = String(decoding: bytes, as: UTF8.self)
            let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
            // The line that ends the head has something behind it, if only an empty body.
            if let end = lines.firstIndex(of: ""), end > 0, end < lines.count - 1 {
                let length = lines[..<end].compactMap { line -> Int? in
                    let parts = line.lowercased().split(separator: ": ")
                    return parts.first == "content-length" ? Int(parts[1]) : nil
                }
                let body = lines[(end + 1)...].joined(separator: "\r\n")
                if body.utf8.count >= length.first ?? 0 {
                    let words = lines[0].split(separator: " ")
                    return words.count > 1 ? (String(words[1]), body) : nil
                }
            }
            let count = recv(connection, &chunk, chunk.count, 0)
            guard count > 0 else { return nil }
            bytes += chunk[..<count]
        }
    }

    private func answer(_ target: String, _ body: String) -> (status: Int, text: String) {
        if target == "/computeMetadata/v1/project/project-id" { return (200, Self.project) }
        guard target.hasSuffix("?key=\(Self.apiKey)") else {
            return Self.refusal("API_KEY_INVALID")
        }
        if target.contains("accounts:signInWithPassword") {
            guard body.contains("\"\(Self.password)\""), let name = name(in: body) else {
                return Self.refusal("INVALID_LOGIN_CREDENTIALS")
            }
            return signedIn(name, camelled: true)
        }
        if target.contains("accounts:signInWithCustomToken") {
            guard body.contains("\"\(Self.customToken)\"") else {
                return Self.refusal("INVALID_CUSTOM_TOKEN")
            }
            return signedIn("custom", camelled: true)
        }
        if target.contains("accounts:signUp") {
            return signedIn(name(in: body) ?? "nameless", camelled: true)
        }
        if target.contains("securetoken.googleapis.com/v1/token") {
            let user = users.withLock { users in users.first { body.contains($0.key) }?.value }
            return user.map { signedIn($0, camelled: false) } ?? Self.refusal("TOKEN_EXPIRED")
        }
        return (404, "{}")
    }

    /// The name before the `@` of an address.
    private func name(in body: String) -> String? {
        body.split(separator: "\"").first { $0.contains("@") }.map {
            String($0.prefix { $0 != "@" })
        }
    }

    private func signedIn(_ user: String, camelled: Bool) -> (status: Int, text: String) {
        let token = Self.refreshToken(of: user)
        users.withLock { $0[token] = user }
        let id = Self.idToken(of: user)
        return (
            200,
            camelled
                ? #"{"idToken":"\#(id)","refreshToken":"\#(token)","expiresIn":"3600","localId":"\#(user)"}"#
                : #"{"id_token":"\#(id)","refresh_token":"\#(token)","expires_in":"3600","user_id":"\#(user)"}"#
        )
    }

    private static func refusal(_ message: String) -> (status: Int, text: String) {
        (400, #"{"error":{"code":400,"message":"\#(message)"}}"#)
    }

    private static func refreshToken(of user: String) -> String { "refresh-token-of-\(user)" }

    /// An unsigned token, which an emulator believes.
    private static func idToken(of user: String) -> String {
        let claims =
            #"{"sub":"\#(user)","user_id":"\#(user)","aud":"demo","iat":1700000000,"#
            + #""exp":4000000000,"iss":"https://securetoken.google.com/demo"}"#
        return "\(encoded(#"{"alg":"none","typ":"JWT"}"#)).\(encoded(claims))."
    }

    private static func encoded(_ text: String) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        var result = ""
        var (bits, count) = (0, 0)
        for byte in text.utf8 {
            (bits, count) = (bits << 8 | Int(byte), count + 8)
            while count >= 6 {
                count -= 6
                result.append(alphabet[bits >> count & 63])
            }
        }
        if count > 0 { result.append(alphabet[bits << (6 - count) & 63]) }
        return result
    }
}
