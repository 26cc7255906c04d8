import HearthProtocol
import HearthTestSupport
import Testing

/// What the fuzzer of requests starts from, and what it found, is read in every run of the tests.
struct RequestCorpusTests {
    private static let inputs = FuzzCorpus.inputs(of: "GatewayRequests")

    @Test func `every reader of a request of the corpus finds the same database`() {
        #expect(Self.inputs.count > 5)
        for (name, bytes) in Self.inputs {
            #expect(RequestReading.complaint(about: bytes) == nil, "\(name)")
        }
    }

    @Test func `requests of the corpus that are changed by chance are read alike or refused`() {
        var generator = SeededGenerator(seed: 11)
        for (name, bytes) in Self.inputs {
            for _ in 0..<500 {
                let count = Int.random(in: 1...bytes.count, using: &generator)
                let changed = generator.damaged(Array(bytes.prefix(count)))
                #expect(RequestReading.complaint(about: changed) == nil, "\(name): \(changed)")
            }
        }
    }
}
