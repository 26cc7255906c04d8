import NIOCore
import Testing

@testable import HearthRPC

struct ProtocolGuessTests {
    private func guess(_ text: String) -> ProtocolGuess {
        ProtocolGuess(ByteBuffer(string: text).readableBytesView)
    }

    @Test func `a connection is known by its first bytes`() {
        let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
        for count in 0..<preface.utf8.count {
            #expect(guess(String(decoding: preface.utf8.prefix(count), as: UTF8.self)) == .unknown)
        }
        #expect(guess(preface) == .http2)
        #expect(guess(preface + "more") == .http2)
    }

    @Test(arguments: ["G", "GET / HTTP/1.1\r\n", "PR ", "PRI * HTTP/1.1", "\u{16}\u{3}\u{1}"])
    func `anything else is HTTP 1`(text: String) {
        #expect(guess(text) == .http1)
    }
}
