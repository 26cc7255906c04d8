import NIOCore

/// Where a backend listens.
package enum BackendAddress: Hashable, Sendable, CustomStringConvertible {
    /// A host's name or number, and a port.
    case tcp(host: String, port: Int)
    /// The path of a Unix domain socket.
    case unix(path: String)

    /// Reads `host:port`, `[::1]:port` or `unix:PATH`, the forms of `FIRESTORE_EMULATOR_HOST`.
    ///
    /// Returns `nil` for anything else.
    package init?(parsing text: String) {
        if text.hasPrefix("unix:") {
            var path = text.dropFirst("unix:".count)
            if path.hasPrefix("//") { path = path.dropFirst(2) }
            guard !path.isEmpty else { return nil }
            self = .unix(path: String(path))
            return
        }
        guard let colon = text.lastIndex(of: ":"),
            let port = Int(text[text.index(after: colon)...]), (1...65_535).contains(port)
        else { return nil }
        var host = text[..<colon]
        if host.first == "[", host.last == "]" {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty, !host.contains("/") else { return nil }
        self = .tcp(host: String(host), port: port)
    }

    package var description: String {
        switch self {
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }
}

extension BackendAddress {
    /// The name that a certificate must bear; `nil` for a number or a path.
    var serverName: String? {
        guard case .tcp(let host, _) = self, !host.contains(":"),
            (try? SocketAddress(ipAddress: host, port: 0)) == nil
        else { return nil }
        return host
    }
}
