import HearthModel
import HearthProtocol
import NIOCore
import NIOHTTP1

/// Decides which requests of web pages the emulator answers.
///
/// Every page can make its browser send requests to this machine. The browser sends simple requests
/// without a preflight. If the page's own host name leads here (DNS rebinding), the browser sends
/// every kind of request without a preflight. A program names no page in its headers. A browser
/// sends headers that a page cannot change: `Host`, `Origin` and `Sec-Fetch-Site`.
///
///     Host          must be this machine, for all
///     the database  open to pages of every origin, as Firestore is
///     helpers       for pages of this machine's hosts
///     files         for no page
///
/// gRPC needs no guard, since no browser begins an unencrypted connection with the preface of
/// HTTP/2. A Unix socket needs no guard, since no browser can name the socket.
struct WebGuard: Sendable {
    /// The part of the emulator that a request uses.
    enum Area: Equatable, Sendable {
        /// Endpoints that Firestore or the Realtime Database itself serves.
        case database
        /// Endpoints that manage the emulator: clearing, rules, faults, data in a body.
        case helpers
        /// Files of the machine that the emulator runs on.
        case files
    }

    private let hosts: Set<WebHost>

    /// A guard for an emulator.
    ///
    /// - Parameters:
    ///   - names: Hosts that the emulator's start named, without ports.
    ///   - addresses: The addresses on which the emulator listens.
    /// - Throws: `invalidArgument` for a text that cannot be a host.
    init(names: [String] = [], addresses: [EmulatorAddress] = []) throws(HearthError) {
        var hosts: Set<WebHost> = []
        for name in names {
            guard let host = WebHost(name) else {
                throw .argument("\"\(name)\" is no host; write a name or an address, and no port.")
            }
            hosts.insert(host)
        }
        for case .tcp(let host, _) in addresses {
            if let host = WebHost(host) { hosts.insert(host) }
        }
        self.hosts = hosts
    }

    /// The error that refuses a request; `nil` for a request that may come.
    ///
    /// - Parameters:
    ///   - area: The part of the emulator that the request uses.
    ///   - local: The address of the connection's own end; `nil` if there is no address.
    func refusal(
        of headers: HTTPHeaders, for area: Area, at local: SocketAddress?
    ) -> HearthError? {
        // A request without a `Host` header comes from no browser.
        if local?.protocol != .unix {
            for host in headers["host"] where !isOurs(WebHost(authority: host), at: local) {
                return Self.unknownHost(host)
            }
        }
        let origins = headers["origin"]
        let site = headers.first(name: "sec-fetch-site")
        switch area {
        case .database:
            return nil
        case .helpers:
            if !origins.isEmpty {
                let areOurs = origins.allSatisfy { isOurs(WebHost(origin: $0), at: local) }
                return areOurs ? nil : Self.foreignPage
            }
            return ["none", "same-origin", "same-site", nil].contains(site) ? nil : Self.foreignPage
        case .files:
            let isPage = !origins.isEmpty || !["none", nil].contains(site)
            return isPage ? Self.filesOfPages : nil
        }
    }

    private func isOurs(_ host: WebHost?, at local: SocketAddress?) -> Bool {
        guard let host else { return false }
        if host.isLoopback || hosts.contains(host) { return true }
        return local?.ipAddress.flatMap { WebHost($0) } == host
    }

    private static func unknownHost(_ host: String) -> HearthError {
        HearthError(
            code: .permissionDenied,
            message:
                "The emulator does not answer to the host \"\(host.prefix(300))\". If it is meant, "
                + "start it with --web-host NAME; without, a web page could let its own name lead here."
        )
    }

    private static let foreignPage = HearthError(
        code: .permissionDenied,
        message:
            "Only pages of this machine's hosts may look after the emulator. Ask from a program, "
            + "or start the emulator with --web-host and the host of the page.")

    private static let filesOfPages = HearthError(
        code: .permissionDenied,
        message: "No web page may have files written or read. Ask from a program, or send the data "
            + "itself: GET /emulator/v1/hearth/export, POST /emulator/v1/hearth/import.")
}
