import HearthModel

/// What a block of headers can be, by its fields alone.
///
/// Source: RFC 9113, 8.2 and 8.3.
enum HeaderForm: Equatable {
    /// Fields of HTTP/2 itself, such as `:path`, stand before all others: a request begins.
    case request
    /// There are no fields of HTTP/2 itself, so these may be trailers.
    case plain
    /// No peer may send these.
    case malformed

    /// Judges fields in one pass.
    init(_ fields: HeaderFields) {
        var seen: UInt8 = 0
        var hasOrdinary = false
        for field in fields {
            let isSound: Bool
            if field.name.utf8.first == UInt8(ascii: ":") {
                let bit = Self.bit(field.name)
                isSound = !hasOrdinary && bit != 0 && seen & bit == 0
                seen |= bit
            } else {
                isSound = Self.isName(field.name) && !Self.isOfOneConnection(field)
                hasOrdinary = true
            }
            if !isSound {
                self = .malformed
                return
            }
        }
        self = seen == 0 ? .plain : .request
    }

    /// A bit for each field of HTTP/2 itself that a request may have; 0 for others.
    private static func bit(_ name: String) -> UInt8 {
        if utf8Equals(name, ":path") { return 1 }
        if utf8Equals(name, ":method") { return 2 }
        if utf8Equals(name, ":scheme") { return 4 }
        if utf8Equals(name, ":authority") { return 8 }
        return 0
    }

    /// Whether a name has neither capitals nor bytes that no name has.
    private static func isName(_ name: String) -> Bool {
        name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: ":"): false
            default: byte > 0x20 && byte < 0x7F
            }
        }
    }

    /// Whether a field belongs to a connection of HTTP/1.1. The name is known to be ASCII.
    private static func isOfOneConnection(_ field: HeaderFields.Field) -> Bool {
        switch field.name {
        case "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade": true
        case "te": !utf8Equals(field.value, "trailers")
        default: false
        }
    }
}
