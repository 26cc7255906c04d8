/// What the process finds around it: the environment, and whether it is root.
package struct Surroundings: Sendable {
    /// The variable by which Firestore's tools name an emulator.
    package static let emulatorVariable = "FIRESTORE_EMULATOR_HOST"

    private let environment: [String: String]
    private let isRoot: Bool

    /// Takes what is around.
    package init(environment: [String: String], isRoot: Bool) {
        self.environment = environment
        self.isRoot = isRoot
    }

    /// The emulator that the environment names.
    package var emulator: String? { value(Self.emulatorVariable) }

    /// Where what must last is kept: systemd's word first, then the habits of system and user.
    package var stateFolder: String? {
        if let folder = first(of: "STATE_DIRECTORY") { return folder }
        if isRoot { return "/var/lib/hearth" }
        if let home = value("XDG_STATE_HOME") { return home + "/hearth" }
        return value("HOME").map { $0 + "/.local/state/hearth" }
    }

    /// Where the configuration is: systemd's word first, then the habits of system and user.
    package var configurationFolder: String? {
        if let folder = first(of: "CONFIGURATION_DIRECTORY") { return folder }
        if isRoot { return "/etc/hearth" }
        if let home = value("XDG_CONFIG_HOME") { return home + "/hearth" }
        return value("HOME").map { $0 + "/.config/hearth" }
    }

    /// Where sockets are made if systemd has not.
    package var socketFolder: String? {
        if let folder = first(of: "RUNTIME_DIRECTORY") { return folder }
        if isRoot { return "/run/hearth" }
        return value("XDG_RUNTIME_DIR").map { $0 + "/hearth" }
    }

    /// The key that Google's tools are told to use.
    package var applicationCredentials: String? { value("GOOGLE_APPLICATION_CREDENTIALS") }

    /// Where `gcloud` keeps what its user signed in with.
    package var gcloudFolder: String? {
        value("CLOUDSDK_CONFIG") ?? value("HOME").map { $0 + "/.config/gcloud" }
    }

    /// Where systemd puts the credentials of the unit.
    package var credentialsFolder: String? { value("CREDENTIALS_DIRECTORY") }

    /// Where keys are kept: beside the configuration. Where systemd hands over copies of them, the
    /// folder itself is root's alone, and nothing to look into.
    package var keysFolder: String? {
        if credentialsFolder != nil { return nil }
        if let folder = first(of: "CONFIGURATION_DIRECTORY") { return folder + "/keys" }
        if isRoot { return "/etc/hearth/keys" }
        if let home = value("XDG_CONFIG_HOME") { return home + "/hearth/keys" }
        return value("HOME").map { $0 + "/.config/hearth/keys" }
    }

    /// Another metadata server than Google's.
    package var metadataHost: String? { value("GCE_METADATA_HOST") }

    /// The emulator of Firebase Auth that the environment names.
    package var authEmulator: String? { value("FIREBASE_AUTH_EMULATOR_HOST") }

    private func value(_ name: String) -> String? {
        environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// systemd joins several folders by colons.
    private func first(of name: String) -> String? {
        value(name)?.split(separator: ":").first.map(String.init)
    }
}
