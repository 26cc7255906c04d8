import HearthModel
import Testing

@testable import HearthRemote

struct WebAddressTests {
    @Test(arguments: [
        ("https://oauth2.googleapis.com/token", true, "oauth2.googleapis.com", 443, "/token"),
        ("http://127.0.0.1:8080", false, "127.0.0.1", 8_080, "/"),
        ("http://[::1]:80/a/b?c=d#e", false, "::1", 80, "/a/b?c=d"),
        ("https://host?x", true, "host", 443, "/?x"),
    ])
    func `an address is taken apart`(
        _ text: String, _ isSecure: Bool, _ host: String, _ port: Int, _ target: String
    ) throws {
        let address = try #require(WebAddress(text))
        #expect(address.isSecure == isSecure)
        #expect(address.host == host)
        #expect(address.port == port)
        #expect(address.target == target)
    }

    @Test(arguments: [
        "", "ftp://host/", "https://", "http://host:0/", "https://me:secret@host/", "http://a b/",
        "http://host/a\r\nb", "host/path",
    ])
    func `what is no address is none`(_ text: String) {
        #expect(WebAddress(text) == nil)
    }

    @Test func `the query is never printed`() throws {
        let address = try #require(WebAddress("https://host:444/a")).adding("key", "a/b&c")
        #expect(address.target == "/a?key=a%2Fb%26c")
        #expect("\(address)" == "https://host:444/a")
        #expect("\(HTTPRequest.get(address))" == "GET https://host:444/a")
    }

    @Test func `JSON is written so that it can be read again`() throws {
        let value = JSONValue.object([
            .init(name: "a\"\\\n\u{1}é", value: .array([.null, .boolean(true), .integer(-7)])),
            .init(name: "", value: .object([])), .init(name: "d", value: .double(0.5)),
        ])
        #expect(try JSONReader.read(JSONWriter.bytes(of: value)) == value)
        #expect(
            String(decoding: JSONWriter.bytes(of: .string("a\u{1f}")), as: UTF8.self)
                == #""a\u001f""#)
    }

    @Test(arguments: ["", "f", "fo", "foo", "foob", "fooba", "foobar", "\u{0}\u{7f}~?>"])
    func `Base64 for addresses comes back`(_ text: String) {
        let encoded = Base64.encodeForLinks(Array(text.utf8))
        #expect(Base64.decode(encoded) == Array(text.utf8))
        #expect(!encoded.contains { "+/=".contains($0) })
    }
}
