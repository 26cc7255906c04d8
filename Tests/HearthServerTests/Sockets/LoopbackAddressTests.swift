import Testing

@testable import HearthServer

/// Only this machine can reach the gateway's port, and the daemon knows its own port again.
struct LoopbackAddressTests {
    @Test(arguments: [
        ("127.0.0.1:8085", "127.0.0.1:8085"), ("127.9.9.9:1", "127.9.9.9:1"),
        ("localhost:8085", "127.0.0.1:8085"), ("[::1]:8085", "[::1]:8085"),
        ("[0:0:0:0:0:0:0:1]:8085", "[::1]:8085"),
    ])
    func `an address of the loopback interface is taken`(text: String, meant: String) {
        #expect(LoopbackAddress(text)?.description == meant)
    }

    @Test(arguments: [
        "0.0.0.0:8085", "192.168.1.2:8085", "[::]:8085", "::1:8085", "example.com:8085",
        "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", ":8085", "127.1:8085",
    ])
    func `an address that others could reach, or that is none, is not taken`(text: String) {
        #expect(LoopbackAddress(text) == nil)
    }

    @Test func `the configuration refuses an address that others could reach`() {
        let layer = ConfigurationLayer(flags: ["gateway.address": "0.0.0.0:8085"])
        let joined = ServerConfiguration.join(
            [layer], in: Surroundings(environment: [:], isRoot: false))
        #expect(joined.configuration.gateway.address == nil)
        #expect(joined.problems.count == 1)
        #expect(joined.problems.first?.message.contains("this machine alone") == true)
    }
}
