import HearthModel
import HearthProtocol
import HearthTestSupport
import Testing

/// Whatever bytes come, decoding returns or throws.
struct FirestoreCodecFuzzTests {
    private static let golden = [
        GoldenBytes.document, GoldenBytes.query, GoldenBytes.write, GoldenBytes.delete,
        GoldenBytes.listen, GoldenBytes.current, GoldenBytes.refused, GoldenBytes.change,
        GoldenBytes.deleted, GoldenBytes.removed, GoldenBytes.filter, GoldenBytes.answer,
        GoldenBytes.aggregate,
    ]

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `random bytes never crash the decoder`(seed: UInt64) {
        var random = Seeded(seed)
        for _ in 0..<500 {
            decodeAsEverything(random.many(0...60) { UInt8.random(in: 0...255, using: &$0) })
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `damaged messages never crash the decoder`(seed: UInt64) {
        var random = Seeded(seed)
        for _ in 0..<200 {
            let bytes = random.pick(Self.golden)
            decodeAsEverything(random.damaged(bytes))
        }
    }

    private func decodeAsEverything(_ bytes: [UInt8]) {
        for codec in [Samples.wire, Samples.local] {
            _ = try? codec.document(fromBytes: bytes)
            _ = try? codec.mutation(fromBytes: bytes)
            _ = try? bytes.withUnsafeBytes { try codec.watchChange(fromBytes: $0) }
            _ = bytes.withUnsafeBytes { codec.unreadDocument(fromBytes: $0) }
            _ = try? codec.target(fromBytes: bytes)
            if let proto = try? FirestoreCodec.read(ProtoListenResponse.self, from: bytes) {
                _ = try? codec.decode(proto)
            }
            if let proto = try? FirestoreCodec.read(ProtoListenRequest.self, from: bytes) {
                _ = try? codec.decode(proto)
            }
            if let proto = try? FirestoreCodec.read(ProtoStructuredQuery.self, from: bytes) {
                _ = try? codec.decode(proto, parent: .root)
            }
            if let proto = try? FirestoreCodec.read(ProtoWriteResponse.self, from: bytes) {
                _ = try? codec.decode(proto)
            }
        }
    }
}
