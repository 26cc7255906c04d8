/// One call by HTTP/1.1 to a server of this machine, for calls without a function in the library.
package enum HTTPCall {
    /// Sends a request on a connection of its own and waits for the whole answer.
    ///
    /// - Parameters:
    ///   - address: `HOST:PORT`, the host as a number, or `unix:PATH`.
    ///   - authorization: The value of that header, if any.
    ///   - headers: Further headers, beside the headers of every request.
    /// - Throws: What was waited for, if the server is silent for 20 s.
    package static func send(
        _ method: String, _ path: String, at address: String, authorization: String? = nil,
        headers: [String: String] = [:], body: String = ""
    ) throws -> HTTPConnection.Answer {
        var lines = headers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        if let authorization { lines.append("authorization: \(authorization)") }
        return try HTTPConnection(to: address).send(method, path, headers: lines, body: body)
    }
}
