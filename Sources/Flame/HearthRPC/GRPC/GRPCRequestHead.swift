import NIOCore

/// The headers of a call, read.
struct GRPCRequestHead: Equatable {
    /// The service and the method.
    var path = ""
    /// The HTTP method: `POST` for every call.
    var verb = ""
    /// `application/grpc`, with or without a suffix such as `+proto`.
    var contentType = ""
    /// When the client stops waiting; `nil` for never.
    var timeout: TimeAmount?
    /// Whether the client sent a timeout that cannot be read.
    var hasBadTimeout = false
    /// How the client packs messages; `nil` for a coding that is not understood.
    var coding: ContentCoding? = .identity
    /// The header `authorization`, which names the caller; `nil` if the header is absent.
    var authorization: String?
    /// All headers, for a service that asks for metadata.
    let headers: HeaderFields

    /// Reads the headers of gRPC in one pass.
    init(_ headers: HeaderFields) {
        self.headers = headers
        for field in headers {
            let value = field.value
            switch field.name {
            case ":path": path = value
            case ":method": verb = value
            case "content-type": contentType = value
            case "authorization": authorization = value
            case "grpc-encoding": coding = ContentCoding(name: value)
            case "grpc-timeout":
                timeout = Self.timeout(value)
                hasBadTimeout = timeout == nil
            default: break
            }
        }
    }

    /// Whether the request is a call of gRPC.
    var isGRPC: Bool { contentType.utf8.starts(with: "application/grpc".utf8) }

    /// Reads a timeout: up to eight digits and a unit.
    ///
    /// - Returns: `nil` for anything else.
    static func timeout(_ text: String) -> TimeAmount? {
        var digits = Array(text.utf8)
        guard let unit = digits.popLast(), (1...8).contains(digits.count) else { return nil }
        var amount: Int64 = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            amount = amount * 10 + Int64(digit - UInt8(ascii: "0"))
        }
        // The largest number of hours would overflow `TimeAmount`; nobody waits longer than a year.
        let longest = TimeAmount.hours(24 * 365)
        switch unit {
        case UInt8(ascii: "H"): return min(.hours(min(amount, 24 * 365)), longest)
        case UInt8(ascii: "M"): return min(.minutes(amount), longest)
        case UInt8(ascii: "S"): return min(.seconds(amount), longest)
        case UInt8(ascii: "m"): return .milliseconds(amount)
        case UInt8(ascii: "u"): return .microseconds(amount)
        case UInt8(ascii: "n"): return .nanoseconds(amount)
        default: return nil
        }
    }
}
