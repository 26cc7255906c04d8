/// The kernel's messages about links, addresses and routes, in one datagram of a route socket.
///
/// - Source: `netlink(7)`, `rtnetlink(7)`.
struct RouteMessages {
    private enum Kind {
        static let newLink: UInt16 = 16
        static let newAddress: UInt16 = 20
        static let newRoute: UInt16 = 24
    }

    private static let headerByteCount = 16
    /// Where the flags of a link are, behind the header.
    private static let linkFlagsOffset = 8
    /// The flag of a link whose other end is there.
    private static let lowerUp: UInt32 = 1 << 16

    private let bytes: ArraySlice<UInt8>

    /// The messages of one datagram.
    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
    }

    /// Whether a message reports a new or changed address or route, or a link that is up.
    var tellOfNetwork: Bool {
        var rest = bytes
        while rest.count >= Self.headerByteCount {
            let length = Int(Self.number(rest, at: 0, UInt32.self))
            guard length >= Self.headerByteCount, length <= rest.count else { return false }
            let message = rest.prefix(length)
            switch Self.number(message, at: 4, UInt16.self) {
            case Kind.newAddress, Kind.newRoute: return true
            case Kind.newLink: if Self.isUp(message) { return true }
            default: break  // Something that is gone, or that does not concern us.
            }
            rest = rest.dropFirst((length + 3) & ~3)
        }
        return false
    }

    private static func isUp(_ message: ArraySlice<UInt8>) -> Bool {
        let offset = headerByteCount + linkFlagsOffset
        guard message.count >= offset + MemoryLayout<UInt32>.size else { return false }
        return number(message, at: offset, UInt32.self) & lowerUp != 0
    }

    /// A number in the machine's own order.
    private static func number<Number: FixedWidthInteger>(
        _ bytes: ArraySlice<UInt8>, at offset: Int, _: Number.Type
    ) -> Number {
        bytes.dropFirst(offset).prefix(MemoryLayout<Number>.size).withUnsafeBytes {
            $0.loadUnaligned(as: Number.self)
        }
    }
}
