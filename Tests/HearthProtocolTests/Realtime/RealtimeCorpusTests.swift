import HearthModel
import HearthProtocol
import HearthTestSupport
import Testing

/// What a fuzzer has found worth keeping is read in every run of the tests.
struct RealtimeCorpusTests {
    private static let inputs = FuzzCorpus.inputs(of: "RealtimeMessages")

    @Test func `a message of the corpus is read, or refused, and written so that it is the same`()
        throws
    {
        var readCount = 0
        for (name, bytes) in Self.inputs {
            let text = Array(bytes.dropFirst())
            if case .request(let request) = try? RealtimeCodec.decodeClient(text) {
                readCount += 1
                let again = try RealtimeCodec.decodeClient(RealtimeCodec.encode(request))
                #expect(again == .request(request), "\(name)")
            }
            if case .push(let push) = try? RealtimeCodec.decodeServer(text) {
                readCount += 1
                let again = try RealtimeCodec.decodeServer(RealtimeCodec.encode(push))
                #expect(again == .push(push), "\(name)")
            }
        }
        #expect(readCount > 10)
    }

    @Test func `a node of the corpus is written so that it is the same`() throws {
        var readCount = 0
        for (name, bytes) in Self.inputs {
            guard let node = try? Node(json: bytes.dropFirst(), from: .server) else { continue }
            readCount += 1
            #expect(try Node(json: node.json(.export), from: .server) == node, "\(name)")
            #expect(try NodeBytes.read(NodeBytes.bytes(of: node)) == node, "\(name)")
        }
        #expect(readCount > 3)
    }
}
