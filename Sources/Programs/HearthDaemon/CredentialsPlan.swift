import HearthModel
import HearthRemote
import HearthServer

/// The source of our credentials for one project's backend.
///
/// The configuration decides the source once. Whether the source has credentials is seen when a
/// token is needed.
enum CredentialsPlan: Hashable, Sendable {
    /// No credentials are shown.
    case none
    /// An emulator's administrator.
    case owner
    /// A user before an emulator, without any proof.
    case emulatorUser(UserID)
    /// A key or the machine itself, from the first place where there is one.
    case google([GoogleSource.Place])
    /// A Firebase user, who signs in with an API key.
    case firebaseUser
    /// The configured credentials cannot work; the error says why.
    case impossible(HearthError)

    /// The plan for a project's Firestore.
    init(_ configuration: ServerConfiguration, project: String) {
        self.init(configuration, project: project, isEmulator: configuration.emulator != nil)
    }

    /// The plan for a project's backend, which is an emulator or Google's.
    init(_ configuration: ServerConfiguration, project: String, isEmulator: Bool) {
        let credentials = configuration.credentials
        let keys = credentials.keyPaths(project: project).map(GoogleSource.Place.fileIfAny)
        switch credentials.source {
        case .none:
            self = .none
        case .automatic where isEmulator:
            self =
                configuration.user == .unauthenticated ? .owner : .emulatorUser(configuration.user)
        case .automatic where credentials.file != nil:
            self = .google(credentials.file.map { [.file($0)] } ?? [])
        case .automatic where credentials.apiKey != nil:
            self = .firebaseUser
        case .automatic:
            self = .google(keys + Self.applicationDefault(credentials))
        case .keyFile:
            self = .google(credentials.file.map { [.file($0)] } ?? keys)
        case .applicationDefault:
            self = .google(Self.applicationDefault(credentials))
        case .metadataServer:
            self = .google([.metadataServer])
        case .firebaseUser:
            self = credentials.apiKey == nil ? .impossible(.apiKeyMissing) : .firebaseUser
        }
    }

    private static func applicationDefault(
        _ credentials: CredentialsConfiguration
    ) -> [GoogleSource.Place] {
        GoogleSource.applicationDefault(
            named: credentials.applicationCredentials, folder: credentials.gcloudFolder)
    }
}

extension HearthError {
    fileprivate static let apiKeyMissing = HearthError(
        code: .failedPrecondition,
        message: "A Firebase user cannot sign in without an API key. Set credentials.apiKey.")
}

extension FirebaseUser.Configured {
    /// How the configured user signs in.
    ///
    /// Each sign-in reads the files anew, so that a corrected file takes effect.
    init(_ credentials: CredentialsConfiguration) {
        switch credentials.signIn {
        case .none:
            self = .nothing
        case .anonymous:
            self = .anonymous
        case .password:
            self = .account { () throws(HearthError) in
                .password(
                    email: try Self.set(credentials.email, "credentials.email"),
                    password: try KeyFile.secret(
                        try Self.set(credentials.passwordFile, "credentials.passwordFile")))
            }
        case .customToken:
            self = .account { () throws(HearthError) in
                .customToken(
                    try KeyFile.secret(
                        try Self.set(credentials.customTokenFile, "credentials.customTokenFile")))
            }
        }
    }

    private static func set(_ value: String?, _ key: String) throws(HearthError) -> String {
        guard let value else {
            throw HearthError(
                code: .failedPrecondition,
                message: "The Firebase user cannot sign in. Set \(key).")
        }
        return value
    }
}
