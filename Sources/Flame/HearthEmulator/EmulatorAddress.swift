package import HearthModel

/// Where the emulator listens.
package enum EmulatorAddress: Hashable, Sendable, CustomStringConvertible {
    /// A port of a numeric address or of `localhost`; port 0 lets the system choose.
    case tcp(host: String, port: Int)
    /// A Unix domain socket. The emulator replaces a socket file on which nobody listens any more.
    case unix(path: String)

    /// The longest path that the system takes for a socket.
    package static let pathByteCountMax = 107

    /// Reads `HOST:PORT`, `[IPV6]:PORT` or `unix:PATH`.
    ///
    /// - Throws: `HearthError` `invalidArgument`; the message says which form is expected.
    package init(_ text: String) throws(HearthError) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst("unix:".count))
            guard !path.isEmpty, path.utf8.count <= Self.pathByteCountMax else {
                throw HearthError(
                    code: .invalidArgument,
                    message: "The socket path \"\(path)\" must have 1 to "
                        + "\(Self.pathByteCountMax) bytes.")
            }
            self = .unix(path: path)
            return
        }
        guard let colon = text.lastIndex(of: ":"),
            let port = Int(text[text.index(after: colon)...]), (0...65_535).contains(port)
        else {
            throw HearthError(
                code: .invalidArgument,
                message: "\"\(text)\" is no address; write HOST:PORT or unix:PATH.")
        }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        self = .tcp(host: host.isEmpty ? "0.0.0.0" : host, port: port)
    }

    package var description: String {
        switch self {
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }
}
