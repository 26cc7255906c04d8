/// Identifies a Realtime Database by its host and by its name on the host.
package struct InstanceID: Hashable, Sendable, CustomStringConvertible {
    /// The longest name. It becomes the name of a file.
    package static let nameByteCountMax = 100

    /// The host in small letters, with its port if one was given that is not the port of HTTPS.
    package let host: String
    /// The name in small letters: letters, digits, `-` and `_`.
    package let name: String
    /// Whether it is reached with TLS, as the hosted service always is.
    package let isSecure: Bool

    /// Reads an address: `https://NAME.firebaseio.com`, `https://NAME.REGION.firebasedatabase.app`, or any host
    /// with `?ns=NAME`, such as an emulator's.
    ///
    /// The name is the first label of a host of three labels or more, unless `ns` says otherwise; numbers have no
    /// name. TLS follows from the scheme, where there is a port, and is used without one.
    ///
    /// - Returns: `nil` if it has no host or name, or leads further than to the root.
    /// - Source: firebase-js-sdk `core/util/libs/parser.ts`.
    package init?(url: String) {
        guard let (scheme, rest) = Self.split(url, at: "://"), scheme == "http" || scheme == "https"
        else { return nil }
        let parts = rest.utf8Parts("?", splitCountMax: 1)
        let address = parts[0].utf8Parts("/", splitCountMax: 1)
        guard address.count == 1 || address[1].isEmpty else { return nil }
        let host = address[0].lowercased()
        let query = parts.count > 1 ? parts[1].utf8Parts("&") : []
        let given = query.first { $0.utf8HasPrefix("ns=") }.map { String($0.dropFirst(3)) }
        guard let name = given ?? Self.name(inHost: host) else { return nil }
        let hasPort = host.utf8Contains(":")
        self.init(host: host, name: name, isSecure: !hasPort || scheme == "https")
    }

    /// Names an instance; `nil` if the host or the name cannot be one.
    ///
    /// - Parameters:
    ///   - host: The host in small letters, with its port if one was given that is not the port of
    ///     HTTPS.
    ///   - name: The name in small letters: letters, digits, `-` and `_`.
    ///   - isSecure: Whether the instance is reached with TLS, as the hosted service always is.
    package init?(host: String, name: String, isSecure: Bool = true) {
        let hostLetters = Array("-.:[]_".utf8)
        guard !host.isEmpty, host.utf8.allSatisfy({ Self.isPlain($0) || hostLetters.contains($0) }),
            let name = Self.name(name), let host = Self.host(host, isSecure: isSecure)
        else { return nil }
        self.host = host
        self.name = name
        self.isSecure = isSecure
    }

    /// The host without a port that goes without saying; `nil` if the port is none.
    private static func host(_ host: String, isSecure: Bool) -> String? {
        let bytes = Array(host.utf8)
        guard let colon = bytes.lastIndex(of: UInt8(ascii: ":")), bytes.last != UInt8(ascii: "]")
        else { return host }
        let digits = String(decoding: bytes[(colon + 1)...], as: UTF8.self)
        guard colon > 0, let port = UInt16(digits), port > 0, digits == "\(port)" else {
            return nil
        }
        return isSecure && port == 443 ? String(decoding: bytes[..<colon], as: UTF8.self) : host
    }

    /// An instance's name in small letters; `nil` if no instance can have the name.
    package static func name(_ text: String) -> String? {
        let small = text.lowercased()
        let isName =
            1...nameByteCountMax ~= small.utf8.count
            && small.utf8.allSatisfy {
                isPlain($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
            }
        return isName ? small : nil
    }

    /// Whether the host is the hosted service's, and the instance's own there.
    package var isHosted: Bool {
        isSecure && !host.utf8.contains(UInt8(ascii: ":"))
            && Self.name(inHost: host)?.lowercased() == name
            && Self.hostedDomains.contains { host.utf8HasSuffix($0) }
    }

    /// What follows the name in the host of an instance in the standard region.
    package static let standardDomain = ".firebaseio.com"

    private static let hostedDomains = [standardDomain, ".firebasedatabase.app"]

    /// The instance that a project has if nobody said otherwise; `nil` if the project cannot have one.
    package init?(project: String) {
        let name = project + Self.standardSuffix
        self.init(host: name.lowercased() + Self.standardDomain, name: name)
    }

    /// The project in the instance's name; `nil` if the name tells none.
    package var project: String? {
        guard name.utf8HasSuffix(Self.standardSuffix), name != Self.standardSuffix else {
            return nil
        }
        return String(name.dropLast(Self.standardSuffix.count))
    }

    /// What follows a project's name in the name of its first instance.
    private static let standardSuffix = "-default-rtdb"

    /// The address; reading the address gives the same instance.
    package var description: String {
        let address = (isSecure ? "https://" : "http://") + host
        return Self.name(inHost: host) == name ? address : address + "/?ns=" + name
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: false
        }
    }

    private static func name(inHost host: String) -> String? {
        let labels = host.utf8Parts(":", splitCountMax: 1)[0].utf8Parts(".")
        guard labels.count >= 3, labels.contains(where: { Int($0) == nil }) else { return nil }
        return labels[0]
    }

    private static func split(_ text: String, at separator: String) -> (String, String)? {
        let bytes = Array(text.utf8)
        let mark = Array(separator.utf8)
        let start = bytes.indices.first { bytes[$0...].starts(with: mark) }
        guard let start else { return nil }
        return (
            String(decoding: bytes[..<start], as: UTF8.self),
            String(decoding: bytes[(start + mark.count)...], as: UTF8.self)
        )
    }
}
