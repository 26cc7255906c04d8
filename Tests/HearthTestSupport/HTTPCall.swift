/// One call by HTTP/1.1 to a server of this machine, for what its library does not offer.
package enum HTTPCall {
    /// Sends a request on a connection of its own and waits for the whole answer.
    ///
    /// - Parameters:
    ///   - address: `HOST:PORT`, the host as a number, or `unix:PATH`.
    ///   - authorization: The value of that header, if any.
    /// - Throws: What was waited for, if the server is silent for 20 s.
    package static func send(
        _ method: String, _ path: String, at address: String, authorization: String? = nil,
        body: String = ""
    ) throws -> HTTPConnection.Answer {
        try HTTPConnection(to: address).send(
            method, path, headers: authorization.map { ["authorization: \($0)"] } ?? [],
            body: body)
    }
}
