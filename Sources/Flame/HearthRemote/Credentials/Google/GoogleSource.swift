package import HearthModel

/// Tokens of Google's own kinds of credentials, from the first place where there are any.
///
/// The places are looked at anew for each token, so that a key that is put there or mended counts
/// without a restart.
package struct GoogleSource: TokenSource {
    /// A place where credentials may be.
    package enum Place: Hashable, Sendable {
        /// A file that must be there: it was named.
        case file(String)
        /// A file that may be there.
        case fileIfAny(String)
        /// The machine, if it is one of Google's.
        case metadataServer
    }

    private let places: [Place]
    private let purpose: TokenPurpose
    private let quotaProject: String?
    private let metadata: MetadataServer
    private let endpoint: TokenEndpoint

    /// Looks at places in order.
    ///
    /// - Parameters:
    ///   - places: Where credentials may be, the first place first.
    ///   - purpose: What the tokens are for.
    ///   - quotaProject: The project that pays for the calls, over what a key says; `nil` for what
    ///     the key says.
    ///   - metadataHost: The metadata server instead of Google's; `nil` for Google's.
    ///   - http: Makes the calls.
    ///   - clock: Gives the time from which a token's life counts.
    package init(
        _ places: [Place], for purpose: TokenPurpose = .firestore(isExchanged: false),
        quotaProject: String? = nil, metadataHost: String? = nil,
        http: HTTPClient = HTTPClient(),
        clock: any RemoteClock = SystemRemoteClock()
    ) {
        self.places = places
        self.purpose = purpose
        self.quotaProject = quotaProject
        metadata = MetadataServer(host: metadataHost, http: http, clock: clock)
        endpoint = TokenEndpoint(http: http, clock: clock)
    }

    /// The order in which Google's tools look for credentials.
    ///
    /// - Parameters:
    ///   - named: What `GOOGLE_APPLICATION_CREDENTIALS` holds.
    ///   - folder: `gcloud`'s, as `CLOUDSDK_CONFIG` or the home folder has it.
    package static func applicationDefault(named: String?, folder: String?) -> [Place] {
        if let named { return [.file(named)] }
        let wellKnown = folder.map { Place.fileIfAny("\($0)/application_default_credentials.json") }
        return [wellKnown, .metadataServer].compactMap { $0 }
    }

    package func fetch() async throws(HearthError) -> AccessToken {
        switch try Self.first(of: places) {
        case .file(let path), .fileIfAny(let path): try await fetch(KeyFile(path: path))
        case .metadataServer: try await metadata.token(for: purpose, quotaProject: quotaProject)
        }
    }

    /// The first place that counts: a file that was named or is there, or the metadata server.
    ///
    /// - Throws: `unauthenticated` if there is none.
    package static func first(of places: [Place]) throws(HearthError) -> Place {
        let first = places.first { place in
            switch place {
            case .file, .metadataServer: true
            case .fileIfAny(let path): KeyFile.exists(path)
            }
        }
        if let first { return first }
        throw HearthError(
            code: .unauthenticated,
            message: "There are no credentials in \(names(places)). Put a key there.")
    }

    /// The project of the first credentials that there are.
    ///
    /// - Throws: Why none is known.
    package func project() async throws(HearthError) -> String {
        switch try Self.first(of: places) {
        case .file(let path), .fileIfAny(let path): try Self.project(of: path)
        case .metadataServer: try await metadata.project()
        }
    }

    /// The project that the key in a file names. Blocks on the disk.
    ///
    /// - Throws: Why none is known.
    package static func project(of path: String) throws(HearthError) -> String {
        if case .serviceAccount(let key) = try KeyFile(path: path), let project = key.project {
            return project
        }
        throw HearthError(
            code: .failedPrecondition, message: "The key in \(path) names no project.")
    }

    private func fetch(_ file: KeyFile) async throws(HearthError) -> AccessToken {
        switch file {
        case .serviceAccount(let key):
            try await ServiceAccountSource(
                key: key, purpose: purpose, quotaProject: quotaProject, endpoint: endpoint
            ).fetch()
        case .authorizedUser(let key):
            try await AuthorizedUserSource(
                key: key, quotaProject: quotaProject, endpoint: endpoint
            ).fetch()
        }
    }

    private static func names(_ places: [Place]) -> String {
        let names = places.map { place in
            switch place {
            case .file(let path), .fileIfAny(let path): path
            case .metadataServer: "the metadata server"
            }
        }
        return names.isEmpty ? "any known place" : names.joined(separator: ", ")
    }
}
