import HearthTestSupport

/// Requests for the Realtime Database of one emulator.
struct RealtimeClient {
    let address: String
    /// Lines that every request has.
    var headers: [String] = []

    /// The same client as an admin.
    var admin: RealtimeClient {
        RealtimeClient(address: address, headers: ["authorization: Bearer owner"])
    }

    /// Sends a request for a path such as `/a`, of the tree `demo`.
    func send(
        _ method: String, _ path: String, _ parameters: [String] = [], _ body: String = "",
        headers: [String] = []
    ) async throws -> HTTPConnection.Answer {
        let (address, all) = (address, self.headers + headers)
        let target = "\(path).json?" + (["ns=demo"] + parameters).joined(separator: "&")
        return try await Task.detached {
            try HTTPConnection(to: address).send(method, target, headers: all, body: body)
        }.value
    }

    /// The text of an answer, which must be of status 200.
    func text(
        _ method: String, _ path: String, _ parameters: [String] = [], _ body: String = ""
    ) async throws -> String {
        let answer = try await send(method, path, parameters, body)
        return answer.status == 200 ? answer.text : "\(answer.status) \(answer.text)"
    }
}
