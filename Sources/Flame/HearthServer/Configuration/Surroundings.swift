/// What the process finds around it: the environment, and whether it is root.
package struct Surroundings: Sendable {
    /// The environment variable in which Firestore's tools find the address of an emulator.
    package static let emulatorVariable = "FIRESTORE_EMULATOR_HOST"

    /// The environment variable in which the Realtime Database's tools find the address of an emulator.
    package static let realtimeEmulatorVariable = "FIREBASE_DATABASE_EMULATOR_HOST"

    private let environment: [String: String]
    private let isRoot: Bool

    /// Takes the environment, and whether the process is root's.
    package init(environment: [String: String], isRoot: Bool) {
        self.environment = environment
        self.isRoot = isRoot
    }

    /// The emulator that the environment names.
    package var emulator: String? { value(Self.emulatorVariable) }

    /// The emulator of the Realtime Database that the environment names.
    package var realtimeEmulator: String? { value(Self.realtimeEmulatorVariable) }

    /// The folder for lasting data: systemd's choice first, then the usual folder.
    package var stateFolder: String? {
        if let folder = first(of: "STATE_DIRECTORY") { return folder }
        if isRoot { return "/var/lib/hearth" }
        if let home = value("XDG_STATE_HOME") { return home + "/hearth" }
        return value("HOME").map { $0 + "/.local/state/hearth" }
    }

    /// The folder of the configuration: systemd's choice first, then the usual folder.
    package var configurationFolder: String? {
        if let folder = first(of: "CONFIGURATION_DIRECTORY") { return folder }
        if isRoot { return "/etc/hearth" }
        if let home = value("XDG_CONFIG_HOME") { return home + "/hearth" }
        return value("HOME").map { $0 + "/.config/hearth" }
    }

    /// The folder for sockets that systemd has not made.
    package var socketFolder: String? {
        if let folder = first(of: "RUNTIME_DIRECTORY") { return folder }
        if isRoot { return "/run/hearth" }
        return value("XDG_RUNTIME_DIR").map { $0 + "/hearth" }
    }

    /// The key that Google's tools are told to use.
    package var applicationCredentials: String? { value("GOOGLE_APPLICATION_CREDENTIALS") }

    /// The folder in which `gcloud` keeps the user's sign-in.
    package var gcloudFolder: String? {
        value("CLOUDSDK_CONFIG") ?? value("HOME").map { $0 + "/.config/gcloud" }
    }

    /// Where systemd puts the credentials of the unit.
    package var credentialsFolder: String? { value("CREDENTIALS_DIRECTORY") }

    /// The folder of the keys, beside the configuration.
    ///
    /// `nil` if systemd hands over copies of the keys, because only root can read the folder then.
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
