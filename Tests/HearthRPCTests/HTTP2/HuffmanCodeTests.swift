import HearthTestSupport
import Testing

@testable import HearthRPC

/// The code by which HPACK shortens text.
struct HuffmanCodeTests {
    private func text(_ bytes: [UInt8]) -> [UInt8]? {
        var text: [UInt8] = []
        let isText = bytes.withUnsafeBytes { HuffmanCode.decode($0, into: &text) }
        return isText ? text : nil
    }

    @Test(
        arguments: [
            (
                "www.example.com",
                [0xF1, 0xE3, 0xC2, 0xE5, 0xF2, 0x3A, 0x6B, 0xA0, 0xAB, 0x90, 0xF4, 0xFF]
            ),
            ("no-cache", [0xA8, 0xEB, 0x10, 0x64, 0x9C, 0xBF]),
            ("custom-value", [0x25, 0xA8, 0x49, 0xE9, 0x5B, 0xB8, 0xE8, 0xB4, 0xBF]),
            ("", []),
        ] as [(String, [UInt8])])
    func `the standard's examples are read`(expected: String, bytes: [UInt8]) {
        #expect(text(bytes) == Array(expected.utf8))
    }

    @Test func `every byte is read, alone and beside any other`() {
        for first in UInt8.min...UInt8.max {
            #expect(text(HuffmanText.encode([first])) == [first])
            for second in UInt8.min...UInt8.max {
                #expect(
                    text(HuffmanText.encode([first, second, first])) == [first, second, first])
            }
        }
    }

    @Test(
        arguments: [
            [0xFF], [0xFF, 0xFF, 0xFF, 0xFF], [0x00], [0x1F, 0xFF],
            [0xF1, 0xE3, 0xC2, 0xE5, 0xF2, 0x00],
        ] as [[UInt8]])
    func `what ends within a byte's code, with more than padding or with the end is no text`(
        bytes: [UInt8]
    ) {
        #expect(text(bytes) == nil)
    }

    @Test func `bytes by chance are no text or the text that is written so`() {
        var random = SeededGenerator(seed: 5)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0..<12, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            guard let text = text(bytes) else { continue }
            #expect(HuffmanText.encode(text) == bytes)
        }
    }
}
