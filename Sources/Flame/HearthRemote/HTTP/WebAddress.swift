/// An address of HTTP, taken apart: `https://host:port/path?query`.
package struct WebAddress: Hashable, Sendable, CustomStringConvertible {
    /// Whether TLS protects it.
    package let isSecure: Bool
    /// The host's name or number, without brackets.
    package let host: String
    /// The port, named or implied.
    package let port: Int
    /// The path with its slash at the front, and the query, which may hold a key.
    package private(set) var target: String

    /// Reads an address; `nil` if the scheme is not `https` or `http`, or the text is no address.
    package init?(_ text: String) {
        let rest: Substring
        if text.hasPrefix("https://") {
            isSecure = true
            rest = text.dropFirst("https://".count)
        } else if text.hasPrefix("http://") {
            isSecure = false
            rest = text.dropFirst("http://".count)
        } else {
            return nil
        }
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        let place = rest[..<end]
        let path = rest[end...].prefix { $0 != "#" }
        let isPlain: (UInt8) -> Bool = { (0x21...0x7E).contains($0) }
        guard !place.contains("@"), place.utf8.allSatisfy(isPlain), path.utf8.allSatisfy(isPlain)
        else { return nil }
        let hasPort = place.hasPrefix("[") ? place.contains("]:") : place.contains(":")
        let full = hasPort ? String(place) : "\(place):\(isSecure ? 443 : 80)"
        guard case .tcp(let host, let port)? = BackendAddress(parsing: full) else { return nil }
        self.host = host
        self.port = port
        target = path.hasPrefix("/") ? String(path) : "/\(path)"
    }

    /// The value of the `host` header.
    var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    /// The same place with a field more in its query.
    func adding(_ name: String, _ value: String) -> WebAddress {
        var copy = self
        copy.target += "\(target.contains("?") ? "&" : "?")\(name)=\(FormEncoding.escaped(value))"
        return copy
    }

    /// Everything but the query.
    package var description: String {
        "\(isSecure ? "https" : "http")://\(authority)\(target.prefix { $0 != "?" })"
    }
}

/// `application/x-www-form-urlencoded`.
enum FormEncoding {
    /// Joins fields.
    static func encode(_ fields: KeyValuePairs<String, String>) -> [UInt8] {
        let pairs = fields.map { "\(escaped($0.key))=\(escaped($0.value))" }
        return Array(pairs.joined(separator: "&").utf8)
    }

    /// Percent-encodes all but letters, digits and `-._~`.
    static func escaped(_ text: String) -> String {
        CallHeaders.escaped(text).replacing("/", with: "%2F")
    }
}
