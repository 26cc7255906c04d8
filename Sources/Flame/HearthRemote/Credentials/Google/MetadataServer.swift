package import HearthModel

/// The metadata server, which knows the project and the account of a Google machine.
///
/// Another server at the address sends no `Metadata-Flavor`, and we do not believe such a server.
package struct MetadataServer: Sendable {
    private static let flavor = "metadata-flavor"

    private let host: String
    private let endpoint: TokenEndpoint

    /// A metadata server.
    ///
    /// - Parameters:
    ///   - host: Another than Google's, as `GCE_METADATA_HOST` names it, with a port if need be;
    ///     `nil` for Google's.
    ///   - http: Makes the calls.
    ///   - clock: Gives the time from which a token's life counts.
    package init(
        host: String? = nil, http: HTTPClient = HTTPClient(),
        clock: any RemoteClock = SystemRemoteClock()
    ) {
        self.host = host ?? "metadata.google.internal"
        endpoint = TokenEndpoint(http: http, clock: clock)
    }

    /// A token of the machine's own service account.
    ///
    /// Some machines get the scopes that they were made with, even if the daemon asks for other
    /// scopes.
    func token(
        for purpose: TokenPurpose, quotaProject: String?
    ) async throws(HearthError) -> AccessToken {
        let askedAt = endpoint.clock.now()
        let answer = try await ask(
            "instance/service-accounts/default/token", [("scopes", purpose.scopes)])
        let json = try? JSONReader.read(answer.body)
        guard let token = AccessToken(in: json, askedAt: askedAt, quotaProject: quotaProject) else {
            throw HearthError(
                code: .unavailable,
                message: "The metadata server at \(host) gave no token. Give the machine a service "
                    + "account, or name a key in credentials.file.")
        }
        return token
    }

    /// The project that owns this machine.
    ///
    /// - Throws: `unavailable` if no server answers or the answer names no project;
    ///   `failedPrecondition` if the host is no metadata server; otherwise the server's refusal.
    package func project() async throws(HearthError) -> String {
        let answer = try await ask("project/project-id")
        let text = String(decoding: answer.body, as: UTF8.self)
        guard !text.isEmpty, text.utf8.count <= 256, !text.contains(where: \.isWhitespace) else {
            throw HearthError(
                code: .unavailable, message: "The metadata server at \(host) names no project.")
        }
        return text
    }

    private func ask(
        _ path: String, _ fields: [(name: String, values: [String])] = []
    ) async throws(HearthError) -> HTTPAnswer {
        guard let place = WebAddress("http://\(host)/computeMetadata/v1/\(path)") else {
            throw HearthError(
                code: .failedPrecondition,
                message: "\"\(host)\" is no host. Correct GCE_METADATA_HOST, as HOST or HOST:PORT.")
        }
        let address = fields.reduce(place) {
            $0.adding($1.name, $1.values.joined(separator: ","))
        }
        let answer: HTTPAnswer
        do throws(HearthError) {
            answer = try await endpoint.http.send(
                .get(address, headers: [(Self.flavor, "Google")]),
                cure: "Put the key of a service account into credentials.folder, or name its file "
                    + "in credentials.file.")
        } catch {
            throw HearthError(
                code: .unavailable,
                message: "There are no credentials: no key is named, and this is no machine of "
                    + "Google's. \(error.message)")
        }
        guard answer.headers[Self.flavor] == "Google" else {
            throw HearthError(
                code: .failedPrecondition,
                message: "What answers at \(host) is no metadata server, for it has no "
                    + "Metadata-Flavor. Name a key in credentials.file.")
        }
        guard answer.isSuccess else {
            throw TokenEndpoint.refusal(
                answer, nil, from: .get(address), secrets: [],
                cure: "Give the machine a service account.")
        }
        return answer
    }
}
