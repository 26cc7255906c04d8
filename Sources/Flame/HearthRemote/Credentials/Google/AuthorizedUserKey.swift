import HearthModel

/// The file of `gcloud auth application-default login`: a person's permission to fetch tokens.
package struct AuthorizedUserKey: Sendable {
    let clientID: String
    let clientSecret: Secret
    let refreshToken: Secret
    let tokenAddress: WebAddress
    /// The project that pays for the calls, if the file names one.
    package let quotaProject: String?

    /// Google's endpoint.
    private static let defaultTokenAddress = "https://oauth2.googleapis.com/token"

    /// Reads the file's members.
    init(_ json: JSONValue, path: String) throws(HearthError) {
        clientID = try json.required("client_id", in: path)
        clientSecret = Secret(try json.required("client_secret", in: path))
        refreshToken = Secret(try json.required("refresh_token", in: path))
        quotaProject = json["quota_project_id"]?.string
        guard
            let address = WebAddress(json["token_uri"]?.string ?? Self.defaultTokenAddress)
        else {
            throw .key(path, "\"token_uri\" is no address of HTTP.")
        }
        tokenAddress = address
    }
}
