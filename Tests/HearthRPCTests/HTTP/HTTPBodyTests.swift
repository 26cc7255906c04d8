import NIOCore
import NIOHTTP1
import Testing

@testable import HearthRPC

/// How large a packed body may be once it is unpacked.
struct HTTPBodyTests {
    @Test func `a few packed bytes may not unpack to many, and many may`() throws {
        let most = 64 << 20
        func body(_ bytes: [UInt8]) -> HTTPBody {
            let head = HTTPRequestHead(
                version: .http1_1, method: .PUT, uri: "/", headers: ["content-encoding": "gzip"])
            return HTTPBody(ByteBuffer(bytes: bytes), of: head, byteCountMax: most)
        }
        let bomb = body(
            ContentCoding.gzip(
                [UInt8](repeating: 32, count: ConnectionLimits.unpackedByteCountMax + 1)))
        #expect(bomb.isLong)
        #expect(throws: HTTPExchange.BodyFault.tooLarge) { _ = try bomb.unpacked() }
        #expect(bomb.sizeRefusal.contains("unpacks to more than 10485760 bytes"))
        #expect(bomb.sizeRefusal.contains("it may have 67108864 bytes"))
        var state: UInt64 = 1
        let noise = (0..<(ConnectionLimits.unpackedByteCountMax + 1)).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
        let honest = try body(ContentCoding.gzip(noise)).unpacked()
        #expect(honest == noise)
    }
}
