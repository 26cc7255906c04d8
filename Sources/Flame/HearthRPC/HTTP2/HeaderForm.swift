import HearthModel

/// What a block of headers can be, by its fields alone.
///
/// Source: RFC 9113, 8.1.1, 8.2 and 8.3.
enum HeaderForm: Equatable {
    /// Fields of HTTP/2 itself, such as `:path`, stand before all others: a request begins.
    ///
    /// `byteCount` is how many bytes of data follow, if the client says so.
    case request(byteCount: Int?)
    /// There are no fields of HTTP/2 itself, so these may be trailers.
    case plain
    /// No peer may send these.
    case malformed

    /// The fields of HTTP/2 itself that a request may have.
    private struct Pseudo: OptionSet {
        let rawValue: UInt8

        static let path = Pseudo(rawValue: 1)
        static let method = Pseudo(rawValue: 2)
        static let scheme = Pseudo(rawValue: 4)
        static let authority = Pseudo(rawValue: 8)

        /// The fields that each request has.
        static let needed: Pseudo = [.path, .method, .scheme]
        /// The fields of a request for a tunnel.
        static let tunnel: Pseudo = [.method, .authority]

        init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The field of a name; none for a name that no request has.
        init(named name: String) {
            self =
                if utf8Equals(name, ":path") {
                    .path
                } else if utf8Equals(name, ":method") {
                    .method
                } else if utf8Equals(name, ":scheme") {
                    .scheme
                } else if utf8Equals(name, ":authority") {
                    .authority
                } else {
                    []
                }
        }
    }

    /// Judges fields in one pass.
    init(_ fields: HeaderFields) {
        self = Self.sound(fields) ?? .malformed
    }

    /// The form of fields that a peer may send; `nil` for others.
    private static func sound(_ fields: HeaderFields) -> HeaderForm? {
        var seen: Pseudo = []
        var hasOrdinary = false
        var isTunnel = false
        var byteCount: Int?
        for field in fields {
            guard isValue(field.value) else { return nil }
            if field.name.utf8.first == UInt8(ascii: ":") {
                let pseudo = Pseudo(named: field.name)
                guard !hasOrdinary, !pseudo.isEmpty, seen.isDisjoint(with: pseudo) else {
                    return nil
                }
                if pseudo != .authority, field.value.isEmpty { return nil }
                if pseudo == .method { isTunnel = utf8Equals(field.value, "CONNECT") }
                seen.formUnion(pseudo)
                continue
            }
            hasOrdinary = true
            guard isName(field.name), !isOfOneConnection(field) else { return nil }
            guard utf8Equals(field.name, "content-length") else { continue }
            guard let count = number(field.value), byteCount ?? count == count else { return nil }
            byteCount = count
        }
        if seen.isEmpty { return .plain }
        let isWhole = isTunnel ? seen == .tunnel : seen.isSuperset(of: .needed)
        return isWhole ? .request(byteCount: byteCount) : nil
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

    /// Whether a value has neither an end of a line nor a byte 0.
    ///
    /// The check lets space around a value through, though RFC 9113 forbids such space: programs
    /// may give gRPC metadata with space, and some clients send the metadata unchanged.
    private static func isValue(_ value: String) -> Bool {
        value.utf8.allSatisfy { byte in
            byte != 0 && byte != UInt8(ascii: "\n") && byte != UInt8(ascii: "\r")
        }
    }

    /// Reads a number of digits alone; `nil` for anything else.
    private static func number(_ value: String) -> Int? {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        return value.utf8.allSatisfy(digits.contains) ? Int(value) : nil
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
