import Glibc
import HearthModel

/// The places where the gateway listens; an upstream address at one of these places leads back to
/// the daemon.
package struct GatewayPlaces: Sendable {
    private let paths: Set<String>
    private let address: LoopbackAddress?

    /// The places of a configuration.
    ///
    /// - Parameter inherited: Listening sockets made by systemd, by name.
    package init(_ configuration: GatewayConfiguration, inherited: [String: [Int32]] = [:]) {
        let made = GatewayListener.allCases.flatMap { inherited[$0.rawValue] ?? [] }
            .compactMap { BoundAddress(of: $0)?.path }
        let placed = [configuration.socket, configuration.localSocket].compactMap(\.self)
        paths = Set((made + (configuration.isEnabled ? placed : [])).map(Self.resolved))
        address = configuration.isEnabled ? configuration.address : nil
    }

    /// Whether a backend's address is one of the places.
    ///
    /// - Parameter text: `HOST:PORT` or `unix:PATH`.
    package func contain(_ text: String) -> Bool {
        let prefix = "unix:"
        guard text.hasPrefix(prefix) else { return address?.isMeant(by: text) ?? false }
        var path = text.dropFirst(prefix.count)
        if path.hasPrefix("//") { path = path.dropFirst(2) }
        return paths.contains(Self.resolved(String(path)))
    }

    /// The path without links in its folders, which may be there before the socket is.
    private static func resolved(_ path: String) -> String {
        guard let slash = path.utf8LastIndex(of: "/"), slash > path.startIndex,
            let folder = realpath(String(path[..<slash]), nil)
        else { return path }
        defer { free(folder) }
        return String(cString: folder) + path[slash...]
    }
}

extension ServerConfiguration {
    /// Takes no backend that is the daemon itself.
    ///
    /// Programs find the gateway by an environment variable, which is often set for the whole
    /// machine and so for the daemon; then it does not count.
    ///
    /// - Returns: Why the daemon does not connect, if the configuration itself names the daemon.
    package mutating func refuseOwnGateway(_ places: GatewayPlaces) -> String? {
        guard let emulator, places.contain(emulator) else { return nil }
        if upstreamOrigin == Surroundings.emulatorVariable {
            self.emulator = nil
            upstreamOrigin = "upstream.address, as the variable names this daemon itself"
            return nil
        }
        isUpstreamEnabled = false
        return "upstream.emulator is \(emulator), where this daemon itself serves Google's "
            + "clients. Everything works as offline until it names another backend."
    }
}
