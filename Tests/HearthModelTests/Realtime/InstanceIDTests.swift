import HearthModel
import Testing

struct InstanceIDTests {
    @Test(arguments: [
        ("https://shop.firebaseio.com", "shop", "https://shop.firebaseio.com"),
        ("https://Shop.FirebaseIO.com/", "shop", "https://shop.firebaseio.com"),
        (
            "https://shop.europe-west1.firebasedatabase.app", "shop",
            "https://shop.europe-west1.firebasedatabase.app"
        ),
        ("http://localhost:9000/?ns=shop", "shop", "http://localhost:9000/?ns=shop"),
        ("http://127.0.0.1:9000?ns=Shop_1&x=y", "shop_1", "http://127.0.0.1:9000/?ns=shop_1"),
        ("https://a.b.example:443/?ns=c", "c", "https://a.b.example/?ns=c"),
        ("https://shop.firebaseio.com:443", "shop", "https://shop.firebaseio.com"),
        ("https://shop.firebaseio.com:8443", "shop", "https://shop.firebaseio.com:8443"),
        ("http://h:443/?ns=shop", "shop", "http://h:443/?ns=shop"),
        ("http://[::1]:9000/?ns=shop", "shop", "http://[::1]:9000/?ns=shop"),
        ("https://[::1]/?ns=shop", "shop", "https://[::1]/?ns=shop"),
        // Without a port TLS is used, whatever the scheme says.
        ("http://shop.firebaseio.com", "shop", "https://shop.firebaseio.com"),
    ])
    func `an address names an instance, and is written again`(
        url: String, name: String, again: String
    )
        throws
    {
        let id = try #require(InstanceID(url: url))
        #expect(id.name == name && id.description == again)
        #expect(InstanceID(url: again) == id)
    }

    @Test(arguments: [
        "", "shop.firebaseio.com", "ftp://shop.firebaseio.com", "https://", "https://localhost",
        "http://127.0.0.1:9000", "https://firebaseio.com", "https://shop.firebaseio.com/path",
        "http://h:1/?ns=", "http://h:1/?ns=a/b", "http://h:1/?ns=..", "https://a b.firebaseio.com",
        "https://shop.firebaseio.com:99999", "http://h:0/?ns=shop", "http://h:/?ns=shop",
        "http://h:port/?ns=shop", "http://h:-1/?ns=shop", "http://h:080/?ns=shop",
        "http://h:1/?ns=" + String(repeating: "n", count: 101),
    ])
    func `what names none is refused`(url: String) {
        #expect(InstanceID(url: url) == nil)
    }

    @Test func `a project has one of its own`() {
        #expect(
            InstanceID(project: "Shop")?.description == "https://shop-default-rtdb.firebaseio.com")
        #expect(InstanceID(project: "a/b") == nil)
    }
}
