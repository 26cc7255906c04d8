import HearthConsole
import NIOHTTP1
import Testing

/// Which requests a console answers.
struct ConsoleGuardTests {
    private var gate: ConsoleGuard
    private let secret: ConsoleSecret
    private let cookie: String

    init() {
        var random = SystemRandomNumberGenerator()
        secret = ConsoleSecret(using: &random)
        gate = ConsoleGuard(port: 4711, secret: secret, session: ConsoleSecret(using: &random))
        cookie = String(gate.setCookie.prefix { $0 != ";" })
    }

    private func head(
        _ method: HTTPMethod, _ uri: String, host: String? = "127.0.0.1:4711",
        cookie: String? = nil,
        _ more: HTTPHeaders = [:]
    ) -> HTTPRequestHead {
        var headers = more
        if let host { headers.add(name: "host", value: host) }
        if let cookie { headers.add(name: "cookie", value: cookie) }
        return HTTPRequestHead(version: .http1_1, method: method, uri: uri, headers: headers)
    }

    private func status(_ head: HTTPRequestHead) -> Int? {
        switch gate.verdict(on: head) {
        case .refused(let status, _): status
        case .admitted: 200
        case .entry: nil
        }
    }

    @Test(arguments: ["127.0.0.1:4711", "localhost:4711", "LOCALHOST:4711", "[::1]:4711"])
    func `the console answers to its own hosts`(host: String) {
        #expect(status(head(.GET, "/", host: host, cookie: cookie)) == 200)
    }

    @Test(arguments: [
        "127.0.0.1", "127.0.0.1:4712", "evil.example:4711", "localhost.evil.example:4711", "0:4711",
        "",
    ])
    func `the console answers to no other host, even with the cookie`(host: String) {
        #expect(status(head(.GET, "/", host: host, cookie: cookie)) == 421)
        #expect(status(head(.POST, "/enter", host: host)) == 421)
    }

    @Test func `a request with two hosts, or with none, is refused`() {
        #expect(status(head(.GET, "/", host: nil, cookie: cookie)) == 421)
        #expect(status(head(.GET, "/", cookie: cookie, ["host": "evil.example"])) == 421)
    }

    @Test func `who has no cookie, a wrong one or another console's gets nothing`() {
        #expect(status(head(.GET, "/")) == 401)
        #expect(status(head(.GET, "/api/session")) == 401)
        #expect(status(head(.GET, "/", cookie: cookie + "0")) == 401)
        #expect(status(head(.GET, "/", cookie: cookie.replacing("4711", with: "4712"))) == 401)
        #expect(status(head(.GET, "/", cookie: "hearth-console-4711=\(secret.text)")) == 401)
        #expect(status(head(.GET, "/", cookie: "other=1; \(cookie); more=2")) == 200)
    }

    @Test func `a page of another origin is refused, whatever it sends`() {
        let own = "http://127.0.0.1:4711"
        let json: HTTPHeaders = ["content-type": "application/json"]
        func ask(_ method: HTTPMethod, _ more: HTTPHeaders) -> Int? {
            var headers = json
            headers.add(contentsOf: more)
            return status(head(method, "/api/write", cookie: cookie, headers))
        }
        #expect(ask(.POST, ["origin": own]) == 200)
        #expect(ask(.POST, ["origin": "http://localhost:4711"]) == 403)
        #expect(ask(.POST, ["origin": "http://127.0.0.1:4712"]) == 403)
        #expect(ask(.POST, ["origin": "https://127.0.0.1:4711"]) == 403)
        #expect(ask(.POST, ["origin": "null"]) == 403)
        #expect(ask(.POST, [:]) == 403)
        #expect(ask(.GET, ["origin": "https://evil.example"]) == 403)
        for site in ["cross-site", "same-site"] {
            #expect(ask(.GET, ["sec-fetch-site": site]) == 403)
            #expect(ask(.POST, ["origin": own, "sec-fetch-site": site]) == 403)
        }
        #expect(ask(.GET, ["sec-fetch-site": "same-origin"]) == 200)
        #expect(ask(.GET, ["sec-fetch-site": "none"]) == 200)
    }

    @Test func `a body is JSON, and the methods are few`() {
        let origin = ("origin", "http://127.0.0.1:4711")
        for type in ["text/plain", "application/x-www-form-urlencoded", "application/jsonp"] {
            let headers = HTTPHeaders([origin, ("content-type", type)])
            #expect(status(head(.POST, "/api/write", cookie: cookie, headers)) == 415)
        }
        let charset = HTTPHeaders([origin, ("content-type", "application/json; charset=utf-8")])
        #expect(status(head(.POST, "/api/write", cookie: cookie, charset)) == 200)
        for method in [HTTPMethod.PUT, .DELETE, .OPTIONS, .TRACE, .CONNECT] {
            #expect(status(head(method, "/api/write", cookie: cookie)) == 405)
        }
    }

    @Test func `headers that are too long are refused`() {
        let long = String(repeating: "x", count: 17 * 1_024)
        #expect(status(head(.GET, "/", cookie: cookie, ["x": long])) == 431)
    }

    @Test func `the secret comes by a form of a file or of ours, and from no other page`() {
        func enter(_ more: HTTPHeaders) -> Int? {
            var headers: HTTPHeaders = ["content-type": "application/x-www-form-urlencoded"]
            headers.add(contentsOf: more)
            return status(head(.POST, "/enter", headers))
        }
        #expect(enter([:]) == nil)
        #expect(enter(["origin": "null", "sec-fetch-site": "cross-site"]) == nil)
        #expect(enter(["origin": "http://127.0.0.1:4711"]) == nil)
        #expect(enter(["origin": "https://evil.example"]) == 403)
        #expect(status(head(.GET, "/enter?secret=\(secret.text)")) == 405)
        #expect(status(head(.POST, "/enter", ["content-type": "application/json"])) == 415)
    }

    @Test func `the secret opens once`() {
        var gate = gate
        let tries = ["", String(secret.text.dropLast()), secret.text, secret.text]
        let answers = tries.map { gate.enter(with: $0) }
        #expect(answers == [false, false, true, false])
    }

    @Test func `two consoles have cookies of different names, for this site alone`() {
        var random = SystemRandomNumberGenerator()
        let other = ConsoleGuard(
            port: 4712, secret: secret, session: ConsoleSecret(using: &random))
        #expect(gate.cookieName != other.cookieName)
        #expect(gate.setCookie.hasSuffix("; Path=/; HttpOnly; SameSite=Strict"))
        #expect(secret.text.utf8.count == 64)
        #expect(ConsoleSecret(using: &random).text != ConsoleSecret(using: &random).text)
    }
}
