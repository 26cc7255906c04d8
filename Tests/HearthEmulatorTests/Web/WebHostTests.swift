import Testing

@testable import HearthEmulator

struct WebHostTests {
    @Test(arguments: [
        "localhost", "LOCALHOST:8080", "localhost.", "app.localhost:3000", "127.0.0.1:1",
        "127.8.9.10", "[::1]:8080", "[::1]", "[::ffff:127.0.0.1]:80",
    ])
    func `what can only be this machine is loopback`(authority: String) {
        #expect(WebHost(authority: authority)?.isLoopback == true)
    }

    @Test(arguments: [
        "evil.example", "localhost.evil.example", "notlocalhost", "127.0.0.1.evil.example",
        "128.0.0.1", "[::2]:80", "10.0.0.1", "0.0.0.0", "127.1",
    ])
    func `what can be led elsewhere is not`(authority: String) {
        #expect(WebHost(authority: authority)?.isLoopback == false)
    }

    @Test(arguments: [
        "", ":80", "a b", "localhost:80:80", "localhost@evil", "evil/localhost", "[::1", "[::1]x",
        "localhost:8o", "\u{212A}localhost", "localhost\u{301}", "a?localhost", "[]",
    ])
    func `what is no host is none`(authority: String) {
        #expect(WebHost(authority: authority) == nil)
    }

    @Test(arguments: [
        ("http://localhost:3000", "localhost"), ("https://App.Example", "app.example"),
        ("null", nil), ("", nil), ("file://", nil), ("http:/localhost", nil),
        ("evil.example", nil), ("http://localhost/", nil),
    ])
    func `an origin names its page's host`(origin: String, host: String?) {
        #expect(WebHost(origin: origin) == host.flatMap { WebHost($0) })
    }

    @Test func `one host is the same in all its forms`() {
        #expect(WebHost(authority: "[0:0::1]:80") == WebHost("::1"))
        #expect(WebHost(authority: "[::ffff:10.0.0.1]") == WebHost("10.0.0.1"))
        #expect(WebHost("fe80::1%eth0") == WebHost("[fe80::1]"))
    }
}
