import NIOHTTP1

/// What a request's head means for the connection itself.
extension HTTPRequestHead {
    /// What a client waits for before the client sends a body.
    enum Expectation: Equatable {
        /// The client sends the body without waiting.
        case none
        /// The client waits for `100 Continue`, or for a final answer.
        case goAhead
        /// Something that HTTP does not know.
        case unknown(String)
    }

    /// The content of the header `Expect`. HTTP/1.0 has no expectations.
    ///
    /// - Source: RFC 9110, 10.1.1.
    var expectation: Expectation {
        guard (version.major, version.minor) >= (1, 1) else { return .none }
        let wishes = headers[canonicalForm: "expect"].filter { !$0.isEmpty }
        if let other = wishes.first(where: { $0.lowercased() != "100-continue" }) {
            return .unknown(String(other.prefix(100)))
        }
        return wishes.isEmpty ? .none : .goAhead
    }

    /// The bytes of the body, if the client says before the body comes.
    var contentLength: Int? { headers.first(name: "content-length").flatMap { Int($0) } }

    /// The same request with only a path in the first line.
    ///
    /// A first line may hold a whole URI, `GET http://host/path HTTP/1.1`. The host in the URI then
    /// counts, and the header `Host` does not.
    /// - Source: RFC 9112, 3.2.2.
    var inOriginForm: HTTPRequestHead {
        let bytes = uri.utf8
        guard
            let scheme = ["http://", "https://"].first(where: {
                bytes.count >= $0.utf8.count && uri.prefix($0.count).lowercased() == $0
            })
        else { return self }
        let rest = bytes.dropFirst(scheme.utf8.count)
        let end =
            rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
            ?? rest.endIndex
        let path = String(Substring(rest[end...]))
        var result = self
        result.uri = path.utf8.first == UInt8(ascii: "/") ? path : "/" + path
        result.headers.replaceOrAdd(name: "host", value: String(Substring(rest[..<end])))
        return result
    }
}
