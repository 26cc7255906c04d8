import HearthTestSupport
import Testing

/// What the fuzzer of tokens starts from, and what it found, is read in every run of the tests.
struct TokenCorpusTests {
    private static let inputs = FuzzCorpus.inputs(of: "GatewayTokens")

    @Test func `every token of the corpus is refused, or is what was made here`() {
        #expect(Self.inputs.count > 5)
        for (name, bytes) in Self.inputs {
            #expect(TokenReading.complaint(about: bytes) == nil, "\(name)")
        }
    }

    @Test func `tokens of the corpus that are changed by chance are refused or right`() {
        var generator = SeededGenerator(seed: 12)
        for (name, bytes) in Self.inputs where !bytes.isEmpty {
            for _ in 0..<500 {
                let changed = generator.damaged(bytes)
                #expect(TokenReading.complaint(about: changed) == nil, "\(name): \(changed)")
            }
        }
    }
}
