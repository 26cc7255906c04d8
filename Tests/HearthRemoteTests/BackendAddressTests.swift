import HearthRemote
import Testing

struct BackendAddressTests {
    @Test(arguments: [
        ("localhost:8080", BackendAddress.tcp(host: "localhost", port: 8_080)),
        ("[::1]:8080", .tcp(host: "::1", port: 8_080)),
        ("unix:/run/x.sock", .unix(path: "/run/x.sock")),
        ("unix:///run/x.sock", .unix(path: "/run/x.sock")),
    ])
    func `an address in the forms of the emulator's variable is read`(
        text: String, address: BackendAddress
    ) {
        #expect(BackendAddress(parsing: text) == address)
        #expect(BackendAddress(parsing: address.description) == address)
    }

    @Test(arguments: [
        "", "localhost", ":8080", "localhost:0", "localhost:x", "::1:80", "unix:", "a/b:1",
    ])
    func `anything else is refused`(text: String) {
        #expect(BackendAddress(parsing: text) == nil)
    }
}
