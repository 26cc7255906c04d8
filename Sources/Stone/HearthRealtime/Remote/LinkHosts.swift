import HearthModel

/// Chooses the host that the next WebSocket leads to.
///
/// The service names the host that serves a database, and it is best to go there at once. We follow
/// only within the domain of the configured host, since we show a token where we go. A host with a
/// port or without a domain, such as an emulator's, is never left.
struct LinkHosts: Hashable, Sendable {
    /// The longest name of DNS.
    private static let byteCountMax = 253

    private let configured: String
    /// The configured host from its first dot; `nil` if it is never left.
    private let domain: String?
    private var named: String?

    init(configured: String) {
        self.configured = configured
        domain = Self.domain(of: configured)
    }

    /// The host of the next WebSocket.
    var current: String { named ?? configured }

    /// The service named a host. A host outside the configured domain does not count.
    mutating func name(_ host: String) {
        let host = host.lowercased()
        guard let domain, host.utf8.count <= Self.byteCountMax, host.utf8HasSuffix(domain),
            host.utf8.count > domain.utf8.count, host.utf8.allSatisfy(Self.isPlain)
        else { return }
        named = host == configured ? nil : host
    }

    /// The current host could not be reached. Returns whether another is left to try.
    mutating func failed() -> Bool {
        defer { named = nil }
        return named != nil
    }

    private static func domain(of host: String) -> String? {
        let labels = host.utf8Parts(".")
        guard labels.count >= 3, !host.utf8Contains(":"), labels.contains(where: { Int($0) == nil })
        else { return nil }
        return String(host.utf8.dropFirst(labels[0].utf8.count))
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
