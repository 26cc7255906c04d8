import Testing

@testable import HearthCLI

struct Base64Tests {
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
        ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ])
    func `the vectors of RFC 4648 hold both ways`(plain: String, encoded: String) {
        #expect(Base64.encode(Array(plain.utf8)) == encoded)
        #expect(Base64.decode(encoded) == Array(plain.utf8))
    }

    @Test func `all bytes come back`() {
        let bytes = Array(UInt8.min...UInt8.max)
        for count in 250...256 {
            #expect(Base64.decode(Base64.encode(Array(bytes[..<count]))) == Array(bytes[..<count]))
        }
    }

    @Test(arguments: ["Z", "Zg=", "Zg===", "Zm 9", "Zm9-", "Zh==", "=", "===="])
    func `a text that nobody would write is refused`(text: String) {
        #expect(Base64.decode(text) == nil)
    }
}
