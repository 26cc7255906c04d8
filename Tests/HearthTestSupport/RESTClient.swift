/// Asks over HTTP/1.1 on a Unix socket, without holding up other tasks.
package struct RESTClient: Sendable {
    /// The socket's path.
    package let path: String

    /// Asks at a socket.
    package init(path: String) {
        self.path = path
    }

    /// Sends a request and waits for the whole answer.
    package func ask(
        _ verb: String, _ target: String, _ body: String? = nil, _ headers: [String: String] = [:]
    ) async throws -> HTTPConnection.Answer {
        let address = "unix:\(path)"
        return try await Task.detached {
            try HTTPCall.send(verb, target, at: address, headers: headers, body: body ?? "")
        }.value
    }
}
