import HearthModel

/// An endpoint of OAuth 2.0 that gives access tokens, and the meaning of the answers.
///
/// - Source: RFC 6749, sections 5.1 and 5.2.
struct TokenEndpoint: Sendable {
    let http: HTTPClient
    let clock: any RemoteClock

    /// Asks for a token.
    ///
    /// - Parameters:
    ///   - secrets: The secrets in the request, which are removed from the words of a refusal.
    ///   - cure: The advice in the error if the endpoint refuses.
    func token(
        _ request: HTTPRequest, secrets: [Secret], quotaProject: String? = nil, cure: String
    ) async throws(HearthError) -> AccessToken {
        let askedAt = clock.now()
        let answer = try await http.send(request)
        let json = try? JSONReader.read(answer.body)
        guard answer.isSuccess else {
            throw Self.refusal(answer, json, from: request, secrets: secrets, cure: cure)
        }
        guard let token = AccessToken(in: json, askedAt: askedAt, quotaProject: quotaProject) else {
            throw HearthError(
                code: .unavailable,
                message: "\(request.address) answered without a token. Check that it is the right "
                    + "address.")
        }
        return token
    }

    /// The error for a refusal: the endpoint's own words, shortened, without any secret.
    static func refusal(
        _ answer: HTTPAnswer, _ json: JSONValue?, from request: HTTPRequest, secrets: [Secret],
        cure: String
    ) -> HearthError {
        let error = json?["error"]
        let words = [
            error?.string ?? error?["message"]?.string, json?["error_description"]?.string,
        ].compactMap { $0 }.joined(separator: ", ")
        let told = secrets.reduce(words) { $1.removed(from: $0) }.prefix(200)
        let reason = told.isEmpty ? "" : " (\(told))"
        guard (400..<500).contains(answer.status), answer.status != 429, answer.status != 408
        else {
            return HearthError(
                code: .unavailable,
                message: "\(request.address) answered \(answer.status)\(reason). It is asked again."
            )
        }
        return HearthError(
            code: .unauthenticated,
            message: "\(request.address) refused with \(answer.status)\(reason). \(cure)")
    }
}

extension JSONValue {
    /// A number of seconds, which some endpoints write as a text.
    ///
    /// The number is bounded to ten years, so that adding the seconds to a time cannot overflow.
    var seconds: Int64? {
        (integer ?? string.flatMap { Int64($0) }).map { min(max($0, 0), 10 * 365 * 86_400) }
    }
}
