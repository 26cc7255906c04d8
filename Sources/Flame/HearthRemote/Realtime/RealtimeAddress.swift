package import HearthModel
import HearthRealtime

/// Where a Realtime Database listens.
package struct RealtimeAddress: Hashable, Sendable, CustomStringConvertible {
    /// The database.
    package let instance: InstanceID
    /// An emulator, which is reached in plaintext instead of the database's own host.
    package let emulator: BackendAddress?

    /// Names a database.
    ///
    /// - Parameter emulator: The value of `FIREBASE_DATABASE_EMULATOR_HOST`, read.
    package init(_ instance: InstanceID, emulator: BackendAddress? = nil) {
        self.instance = instance
        self.emulator = emulator
    }

    /// Whether TLS protects the connection.
    package var isSecure: Bool { emulator == nil && instance.isSecure }

    /// The configured host, with its port if one was given.
    package var host: String { emulator?.description ?? instance.host }

    package var description: String { emulator.map { "\(instance) at \($0)" } ?? "\(instance)" }

    /// Where REST asks: scheme and host. The host of a socket of this machine has no meaning.
    var webOrigin: String {
        switch emulator {
        case .tcp?: "http://\(host)"
        case .unix?: "http://localhost"
        case nil: "\(isSecure ? "https" : "http")://\(host)"
        }
    }

    /// Whether the host alone tells the database.
    var isNamedByHost: Bool { emulator == nil && instance.isSecure }

    /// The path of the emulator's socket, if the emulator listens at one.
    var socketPath: String? {
        guard case .unix(let path)? = emulator else { return nil }
        return path
    }

    /// What a WebSocket to a link's address connects to.
    func backend(of link: LinkAddress) -> BackendAddress {
        if let emulator { return emulator }
        return BackendAddress(parsing: link.host) ?? BackendAddress(parsing: "\(link.host):443")
            ?? .tcp(host: link.host, port: 443)
    }

    /// The value of the `host` header. A path is no host.
    func authority(of link: LinkAddress) -> String {
        if case .unix? = emulator { return "localhost" }
        return link.host
    }

    /// The path and query of the service's WebSocket.
    ///
    /// The name of the database is always sent, because most hosts do not tell it.
    func target(of link: LinkAddress) -> String {
        let path = "/.ws?v=\(RealtimeHello.version)&ns=\(FormEncoding.escaped(instance.name))"
        guard let session = link.lastSession else { return path }
        return path + "&ls=\(FormEncoding.escaped(session))"
    }
}
