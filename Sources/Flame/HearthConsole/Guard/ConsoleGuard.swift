package import HearthModel
package import NIOHTTP1

/// Decides which requests a console answers: the requests of the console's page in the browser that
/// was let in.
///
/// Every page and every user of the machine can send requests to a port of the loopback. A browser sends
/// `Host`, `Origin` and `Sec-Fetch-Site`, which no page can change, and the cookie to no page but ours.
///
///     waiting for the secret --the secret came--> open, as long as the process lives
///
/// The secret lets one browser in, once.
package struct ConsoleGuard: Sendable {
    /// What becomes of a request.
    package enum Verdict: Equatable, Sendable {
        /// The request brings the secret; `enter` looks at the secret.
        case entry
        /// The request is answered.
        case admitted
        /// The request is refused with this status of HTTP.
        case refused(Int, HearthError)
    }

    /// The port that the console listens on.
    package let port: Int
    private var secret: ConsoleSecret?
    private let session: ConsoleSecret

    /// The path that takes the secret.
    package static let entryPath = "/enter"

    /// A guard that waits for the secret.
    ///
    /// - Parameters:
    ///   - port: The port that the console listens on.
    ///   - secret: The secret that the first request must bring.
    ///   - session: What the cookie will hold.
    package init(port: Int, secret: ConsoleSecret, session: ConsoleSecret) {
        self.port = port
        self.secret = secret
        self.session = session
    }

    /// The name of the cookie. The port in the name keeps the cookies of two consoles apart.
    package var cookieName: String { "hearth-console-\(port)" }

    /// The header that gives a browser the cookie.
    package var setCookie: String {
        "\(cookieName)=\(session.text); Path=/; HttpOnly; SameSite=Strict"
    }

    /// Takes the secret that a browser brings. The right secret opens once.
    ///
    /// - Returns: Whether the browser may have the cookie.
    package mutating func enter(with text: String) -> Bool {
        guard let secret, secret.matches(text) else { return false }
        self.secret = nil
        return true
    }

    /// Judges a request by its first line and headers.
    package func verdict(on head: HTTPRequestHead) -> Verdict {
        guard let host = head.headers.only("host"), hosts.contains(host.lowercased()) else {
            return .refused(421, Self.unknownHost)
        }
        guard head.byteCount <= ConsoleLimits.headerByteCountMax else {
            return .refused(431, Self.tooLongHead)
        }
        let path = head.uri.utf8.prefix { $0 != UInt8(ascii: "?") }
        return path.elementsEqual(Self.entryPath.utf8)
            ? entryVerdict(on: head, host) : verdict(on: head, host)
    }

    /// A file of the user's has no origin, and its form is a navigation from elsewhere: the secret alone
    /// decides, and no page with an origin of its own may try one.
    private func entryVerdict(on head: HTTPRequestHead, _ host: String) -> Verdict {
        guard head.method == .POST else { return .refused(405, Self.entryIsPosted) }
        let origins = head.headers["origin"]
        guard origins.allSatisfy({ $0 == "null" || isOurs($0, host) }) else {
            return .refused(403, Self.foreignOrigin)
        }
        guard head.mediaType == "application/x-www-form-urlencoded" else {
            return .refused(415, Self.entryIsForm)
        }
        return .entry
    }

    private func verdict(on head: HTTPRequestHead, _ host: String) -> Verdict {
        let sites = head.headers["sec-fetch-site"]
        let origins = head.headers["origin"]
        guard sites.allSatisfy({ $0 == "same-origin" || $0 == "none" }),
            origins.allSatisfy({ isOurs($0, host) })
        else { return .refused(403, Self.foreignOrigin) }
        guard hasCookie(head.headers) else { return .refused(401, Self.noCookie) }
        switch head.method {
        case .GET, .HEAD: return .admitted
        case .POST:
            guard origins.count == 1 else { return .refused(403, Self.noOrigin) }
            guard head.mediaType == "application/json" else { return .refused(415, Self.notJSON) }
            return .admitted
        default: return .refused(405, Self.unknownMethod)
        }
    }

    private var hosts: [String] { ["127.0.0.1:\(port)", "localhost:\(port)", "[::1]:\(port)"] }

    private func isOurs(_ origin: String, _ host: String) -> Bool {
        origin.lowercased() == "http://" + host.lowercased()
    }

    private func hasCookie(_ headers: HTTPHeaders) -> Bool {
        let pairs = headers["cookie"].flatMap { $0.split(separator: ";") }
        return pairs.contains { pair in
            let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
            return parts.count == 2 && parts[0] == cookieName && session.matches(String(parts[1]))
        }
    }
}

/// The reasons of refusals.
extension ConsoleGuard {
    private static let unknownHost = HearthError(
        code: .permissionDenied,
        message: "The console answers to 127.0.0.1, localhost and [::1] with its port alone.")
    private static let tooLongHead = HearthError(
        code: .resourceExhausted,
        message: "The headers have more than \(ConsoleLimits.headerByteCountMax) bytes.")
    private static let entryIsPosted = HearthError(
        code: .unimplemented,
        message: "The secret comes by POST, from the file that the console names.")
    private static let entryIsForm = HearthError(
        code: .invalidArgument, message: "The secret comes as application/x-www-form-urlencoded.")
    private static let foreignOrigin = HearthError(
        code: .permissionDenied, message: "Only the console's own page may ask.")
    private static let noOrigin = HearthError(
        code: .permissionDenied,
        message: "A request that may change something needs the header Origin.")
    private static let noCookie = HearthError(
        code: .unauthenticated,
        message:
            "This browser was not let in. Open the file that the console named, or start it again."
    )
    private static let notJSON = HearthError(
        code: .invalidArgument,
        message: "A request with a body needs the content type application/json.")
    private static let unknownMethod = HearthError(
        code: .unimplemented, message: "The console knows GET, HEAD and POST.")
    /// The reason for a wrong or used secret.
    static let wrongSecret = HearthError(
        code: .permissionDenied,
        message:
            "The secret is wrong, or was used: it lets one browser in, once. Start the console again."
    )
}

extension HTTPHeaders {
    /// The value of a header that is there exactly once; `nil` otherwise.
    fileprivate func only(_ name: String) -> String? {
        let values = self[name]
        return values.count == 1 ? values[0] : nil
    }
}

extension HTTPRequestHead {
    /// The bytes of the first line and the headers, about as they came.
    fileprivate var byteCount: Int {
        headers.reduce(uri.utf8.count) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
    }

    /// The type of the body without parameters; `nil` unless there is exactly one.
    fileprivate var mediaType: String? {
        headers.only("content-type").map { text in
            text.prefix { $0 != ";" && $0 != " " }.lowercased()
        }
    }
}
