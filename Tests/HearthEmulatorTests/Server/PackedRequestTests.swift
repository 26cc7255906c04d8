import GRPCCore
import HearthProtocol
import HearthRPC
import HearthTestSupport
import SwiftProtobuf
import Testing

@testable import HearthEmulator

/// Requests and answers that are packed, and requests that are too large, over real sockets.
@Suite(.timeLimit(.minutes(1)))
struct PackedRequestTests {
    private static let root = "/v1/\(RawClient.database)/documents"

    private static func send(
        _ verb: String, _ path: String, _ address: String, _ headers: [String],
        _ body: [UInt8] = []
    ) async throws -> HTTPConnection.Answer {
        try await Task.detached {
            try HTTPConnection(to: address).send(verb, path, headers: headers, bytes: body)
        }.value
    }

    private static func document(_ text: String) -> [UInt8] {
        Array(#"{"fields":{"t":{"stringValue":"\#(text)"}}}"#.utf8)
    }

    @Test func `a body that is packed is read, and an answer is packed for who asks`() async throws
    {
        try await withEmulator { _, _, address in
            let text = String(repeating: "x", count: 20_000)
            let made = try await Self.send(
                "POST", Self.root + "/c?documentId=a", address, ["content-encoding: gzip"],
                ContentCoding.gzip(Self.document(text)))
            #expect(made.status == 200)
            #expect(made.headers["content-encoding"] == nil)
            #expect(made.text.contains(text))
            let got = try await Self.send(
                "GET", Self.root + "/c/a", address, ["accept-encoding: br, gzip"])
            #expect(got.headers["content-encoding"] == "gzip")
            #expect(got.body.count < 1_000)
            let unpacked = try got.body.withUnsafeBytes {
                try ContentCoding.packed.unpacked($0, byteCountMax: 1 << 20)
            }
            #expect(unpacked == made.body)
            for refused in ["gzip;q=0", "br", "identity"] {
                let plain = try await Self.send(
                    "GET", Self.root + "/c/a", address, ["accept-encoding: \(refused)"])
                #expect(plain.headers["content-encoding"] == nil)
                #expect(plain.body == made.body)
            }
        }
    }

    @Test func `what cannot be unpacked is refused`() async throws {
        try await withEmulator { _, _, address in
            let path = Self.root + "/c/a"
            let broken = try await Self.send(
                "PATCH", path, address, ["content-encoding: gzip"], Self.document("x"))
            #expect(broken.status == 400)
            let unknown = try await Self.send(
                "PATCH", path, address, ["content-encoding: br"], Self.document("x"))
            #expect(unknown.status == 415)
            #expect(unknown.text.contains(#"packed by "br", which is not understood"#))
            #expect(unknown.text.contains("gzip"))
            let bomb = ContentCoding.gzip(
                [UInt8](repeating: 32, count: ConnectionLimits.requestByteCountMax + 1))
            let huge = try await Self.send(
                "PATCH", path, address, ["content-encoding: gzip"], bomb)
            #expect(huge.status == 400)
            #expect(huge.text.contains("exceeds the limit: 10485760 bytes"))
        }
    }

    @Test func `a message of gRPC may be packed`() async throws {
        try await withEmulator { _, client, address in
            try await client.set(["c/a": 1])
            var request = ProtoGetDocumentRequest()
            request.name = RawClient.name("c/a")
            let packed = ContentCoding.gzip(FirestoreCodec.bytes(of: request))
            let call = RawFrames.call(
                "GetDocument", headers: [("grpc-encoding", "gzip")], isCompressed: true, packed)
            let bytes = try await Task.detached {
                try HTTPConnection(to: address).exchange(RawFrames.greeting + call)
            }.value
            let answer = RawFrames.frames(bytes).first { $0.stream == 1 && $0.type == 0 }
            #expect(answer?.payload.first == 0)
            let document = try ProtoDocument(
                serializedBytes: Array(answer?.payload.dropFirst(5) ?? []))
            #expect(document.name == RawClient.name("c/a"))
        }
    }

    @Test func `a coding that nobody knows is refused`() async throws {
        try await withEmulator { _, _, address in
            let call = RawFrames.call("GetDocument", headers: [("grpc-encoding", "snappy")], [])
            let bytes = try await Task.detached {
                try HTTPConnection(to: address).exchange(RawFrames.greeting + call)
            }.value
            let head = RawFrames.frames(bytes).first { $0.stream == 1 && $0.type == 1 }
            #expect(head?.isLast == true)
        }
    }

    @Test func `a request larger than production takes is refused, and the next is served`()
        async throws
    {
        try await withEmulator { _, client, address in
            var write = ProtoWrite()
            write.update.name = RawClient.name("c/a")
            var entry = ProtoFieldsEntry()
            entry.key = "t"
            entry.value.stringValue = String(repeating: "x", count: 1_000_000)
            write.update.fields = [entry]
            var request = ProtoCommitRequest()
            request.database = RawClient.database
            request.writes = Array(repeating: write, count: 10)
            _ = try await client.call("Commit", request, ProtoCommitResponse.self)
            request.writes.append(write)
            let large = request
            let error = await #expect(throws: RPCError.self) {
                _ = try await client.call("Commit", large, ProtoCommitResponse.self)
            }
            #expect(error?.code == .invalidArgument)
            #expect(error?.message.contains("10485760") == true)
            try await client.set(["c/b": 1])
            let body = Self.document(String(repeating: "x", count: 11_000_000))
            let answer = try await Self.send("PATCH", Self.root + "/c/a", address, [], body)
            #expect(answer.status == 400)
            #expect(answer.text.contains("10485760"))
        }
    }
}
