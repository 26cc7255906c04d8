import Glibc
import HearthModel

/// A loopback address with a port; no other machine can reach it.
package struct LoopbackAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address in numbers: of 127.0.0.0/8, or `::1`.
    package let host: String
    /// The port; 0 lets the system choose.
    package let port: Int

    /// Reads `HOST:PORT`, `localhost:PORT` or `[::1]:PORT`; `nil` for anything else.
    package init?(_ text: String) {
        guard let (host, port) = Self.parts(of: text), let host = Self.numbers(of: host) else {
            return nil
        }
        self.init(host: host, port: port)
    }

    private init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// The same address with the port that the system chose.
    func with(port: Int?) -> LoopbackAddress {
        LoopbackAddress(host: host, port: port ?? self.port)
    }

    /// Whether an address of a backend leads here.
    ///
    /// - Parameter text: `HOST:PORT`. A host that stands for all addresses leads here, too.
    package func isMeant(by text: String) -> Bool {
        guard let (host, port) = Self.parts(of: text), port == self.port else { return false }
        return host == "0.0.0.0" || host == "::" || Self.numbers(of: host) != nil
    }

    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    private static func parts(of text: String) -> (host: String, port: Int)? {
        guard let colon = text.utf8LastIndex(of: ":"),
            let port = Int(text[text.index(after: colon)...]), (0...65_535).contains(port)
        else { return nil }
        let host = text[..<colon]
        guard host.first == "[", host.last == "]" else {
            return host.contains(":") ? nil : (String(host), port)
        }
        return (String(host.dropFirst().dropLast()), port)
    }

    /// The loopback address that a host is; `nil` for any other host.
    private static func numbers(of host: String) -> String? {
        if host == "localhost" { return "127.0.0.1" }
        var bytes = in6_addr()
        if inet_pton(AF_INET6, host, &bytes) == 1 {
            let isLoopback = withUnsafeBytes(of: &bytes) { bytes in
                bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1
            }
            return isLoopback ? "::1" : nil
        }
        var number = in_addr()
        guard inet_pton(AF_INET, host, &number) == 1 else { return nil }
        return number.s_addr.bigEndian >> 24 == 127 ? host : nil
    }
}
