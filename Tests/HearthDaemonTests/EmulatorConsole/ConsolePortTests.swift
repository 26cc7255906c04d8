import HearthModel
import Testing

@testable import HearthDaemon

/// Where an emulator's console may listen.
struct ConsolePortTests {
    @Test(arguments: [("127.0.0.1:4000", 4_000), ("localhost:0", 0), ("LOCALHOST:65535", 65_535)])
    func `the loopback is taken`(text: String, port: Int) throws {
        #expect(try ConsolePort(text).number == port)
    }

    @Test(arguments: [
        "0.0.0.0:4000", "[::1]:4000", "::1:4000", "192.168.0.1:4000", "localhost", ":4000",
        "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1", "unix:/tmp/x",
        "127.0.0.1.evil.example:80", "4000", "",
    ])
    func `every other address is refused with what to write`(text: String) {
        let error = #expect(throws: HearthError.self) { try ConsolePort(text) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains("127.0.0.1:PORT") == true)
    }
}
