import HearthWire
import Testing

struct HelloTests {
    @Test func `two sides speak the newest version that both know`() {
        #expect(Hello.commonVersion(1...1, 1...1) == 1)
        #expect(Hello.commonVersion(1...3, 2...7) == 3)
        #expect(Hello.commonVersion(4...7, 1...5) == 5)
        #expect(Hello.commonVersion(1...2, 3...4) == nil)
    }

    @Test func `a program's name is cut to its limit`() throws {
        let codec = WireCodec()
        let long = String(repeating: "x", count: 1_000)
        let frame = try codec.frame(
            of: .session(.hello(Hello(client: .anonymous, program: long))), number: 1)
        guard case .session(.hello(let hello)) = try codec.request(frame) else {
            Issue.record("Another request came out")
            return
        }
        #expect(hello.program.utf8.count == WireLimits.programByteCountMax)
    }
}
