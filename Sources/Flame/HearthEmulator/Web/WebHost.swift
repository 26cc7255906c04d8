import Glibc

/// A host in a browser's header, in the same form for all spellings of the host.
enum WebHost: Hashable {
    /// In small letters, without a dot at the end.
    case name(String)
    /// Four or sixteen bytes; an IPv4 address mapped into IPv6 counts as the IPv4 address.
    case address([UInt8])

    /// Reads a host without a port; `nil` for a text that cannot be a host.
    init?(_ text: String) {
        var bytes = text.utf8.map { byte in
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
        }
        if bytes.first == UInt8(ascii: "["), bytes.last == UInt8(ascii: "]") {
            bytes = Array(bytes.dropFirst().dropLast())
        }
        if let zone = bytes.firstIndex(of: UInt8(ascii: "%")) { bytes.removeSubrange(zone...) }
        if bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
        let isPlain = bytes.allSatisfy { byte in
            (0x21...0x7E).contains(byte) && !"/@?#\\[]".utf8.contains(byte)
        }
        guard !bytes.isEmpty, isPlain else { return nil }
        let host = String(decoding: bytes, as: UTF8.self)
        self = Self.address(host).map { .address($0) } ?? .name(host)
    }

    /// Reads a host with or without a port, as in the header `Host`.
    init?(authority: String) {
        let bytes = Array(authority.utf8)
        let end: Int
        if bytes.first == UInt8(ascii: "[") {
            guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            end = bracket + 1
        } else {
            end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.count
        }
        let isPort = bytes[end...].dropFirst().allSatisfy {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        }
        guard end == bytes.count || (bytes[end] == UInt8(ascii: ":") && isPort) else { return nil }
        self.init(String(decoding: bytes[..<end], as: UTF8.self))
    }

    /// Reads a page's origin, such as `http://localhost:3000`; `nil` for an origin without a host.
    ///
    /// Pages in a sandbox and pages from files have an origin without a host.
    init?(origin: String) {
        let bytes = Array(origin.utf8)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            bytes[colon...].starts(with: "://".utf8)
        else { return nil }
        self.init(authority: String(decoding: bytes[(colon + 3)...], as: UTF8.self))
    }

    /// Whether the host can only mean this machine.
    var isLoopback: Bool {
        switch self {
        // Browsers keep all of `.localhost` on the machine, and nobody can register a name below it.
        case .name(let name):
            name.utf8.elementsEqual("localhost".utf8) || name.hasSuffix(".localhost")
        case .address(let bytes):
            bytes.count == 4
                ? bytes[0] == 127 : bytes.last == 1 && bytes.dropLast().allSatisfy { $0 == 0 }
        }
    }

    private static func address(_ text: String) -> [UInt8]? {
        var four = [UInt8](repeating: 0, count: 4)
        if inet_pton(AF_INET, text, &four) == 1 { return four }
        var sixteen = [UInt8](repeating: 0, count: 16)
        guard inet_pton(AF_INET6, text, &sixteen) == 1 else { return nil }
        let mapped = [UInt8](repeating: 0, count: 10) + [255, 255]
        return sixteen.starts(with: mapped) ? Array(sixteen[mapped.count...]) : sixteen
    }
}
