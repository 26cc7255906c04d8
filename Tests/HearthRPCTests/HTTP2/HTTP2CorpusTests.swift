import HearthTestSupport
import Testing

/// What the fuzzer of HTTP/2 starts from, and what it found, is read in every run of the tests.
struct HTTP2CorpusTests {
    private static let inputs = FuzzCorpus.inputs(of: "HTTP2")

    @Test func `every input of the corpus is read alike, wherever it is cut`() {
        #expect(Self.inputs.count > 5)
        for (name, bytes) in Self.inputs {
            #expect(HTTP2Reading.complaint(about: bytes) == nil, "\(name)")
        }
    }

    @Test func `inputs of the corpus that are changed by chance are read alike`() {
        var generator = SeededGenerator(seed: 21)
        for (name, bytes) in Self.inputs where !bytes.isEmpty {
            for _ in 0..<200 {
                let changed = generator.damaged(bytes)
                #expect(HTTP2Reading.complaint(about: changed) == nil, "\(name): \(changed)")
            }
        }
    }
}
