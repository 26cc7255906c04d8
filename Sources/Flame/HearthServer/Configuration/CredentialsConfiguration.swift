import HearthModel

/// Who we are to the backend, as configured, and where the machine keeps such things.
package struct CredentialsConfiguration: Hashable, Sendable {
    /// Where credentials come from.
    package enum Source: String, CaseIterable, Sendable {
        /// The first that there is: an emulator's user, the named key, an API key's user, a key of
        /// the folders, then as `applicationDefault`.
        case automatic
        /// From nowhere: nothing is shown.
        case none
        /// In the order of Google's tools.
        case applicationDefault
        /// The named key, or one of the folders.
        case keyFile
        /// The machine itself, if it is Google's.
        case metadataServer
        /// A Firebase user, whom security rules know.
        case firebaseUser
    }

    /// How a Firebase user signs in.
    package enum SignIn: String, CaseIterable, Sendable {
        /// Only when an administrator asks.
        case none
        /// As a user without a name, made once.
        case anonymous
        /// With `email` and `passwordFile`.
        case password
        /// With `customTokenFile`.
        case customToken
    }

    /// Where credentials come from.
    package var source = Source.automatic
    /// The key of a service account or an authorised user.
    package var file: String?
    /// A folder with a key for each project.
    package var folder: String?
    /// Whether a service account fetches tokens rather than sign them itself.
    package var isExchanged = false
    /// The project that pays for the calls, if the called project does not.
    package var quotaProject: String?
    /// The API key of the project, for Firebase users.
    package var apiKey: String?
    /// How a Firebase user signs in.
    package var signIn = SignIn.none
    /// The e-mail address of the account with the password.
    package var email: String?
    /// The file whose first line is the password.
    package var passwordFile: String?
    /// Where the custom token is, on the first line.
    package var customTokenFile: String?

    /// What `GOOGLE_APPLICATION_CREDENTIALS` names.
    package private(set) var applicationCredentials: String?
    /// Where `gcloud` keeps its files.
    package private(set) var gcloudFolder: String?
    /// Where systemd puts what `LoadCredential=key:FOLDER` loads.
    package private(set) var systemdFolder: String?
    /// Another metadata server than Google's.
    package private(set) var metadataHost: String?
    /// An emulator of Firebase Auth.
    package private(set) var authEmulator: String?

    /// The defaults in these surroundings.
    package init(_ surroundings: Surroundings = Surroundings(environment: [:], isRoot: false)) {
        folder = surroundings.keysFolder
        applicationCredentials = surroundings.applicationCredentials
        gcloudFolder = surroundings.gcloudFolder
        systemdFolder = surroundings.credentialsFolder
        metadataHost = surroundings.metadataHost
        authEmulator = surroundings.authEmulator
    }

    /// Where a project's key may be, in the order in which it counts; an empty project has only the
    /// key of all.
    ///
    /// systemd names a file of a loaded folder `ID_FILE`; the unit's id is `key`.
    package func keyPaths(project: String) -> [String] {
        guard !project.utf8Contains("/") else { return [] }
        let names = project.isEmpty ? ["default"] : [project, "default"]
        let loaded = systemdFolder.map { folder in names.map { "\(folder)/key_\($0).json" } }
        let kept = folder.map { folder in names.map { "\(folder)/\($0).json" } }
        return (loaded ?? []) + (kept ?? [])
    }
}
