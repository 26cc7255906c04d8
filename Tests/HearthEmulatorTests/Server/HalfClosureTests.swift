import HearthProtocol
import HearthTestSupport
import SwiftProtobuf
import Testing

/// Clients that end their sending side after the request, and still want the answer.
@Suite(.timeLimit(.minutes(1)))
struct HalfClosureTests {
    private static let root = "/v1/\(RawClient.database)/documents"

    /// Sends, half-closes and reads until the emulator closes.
    private static func exchange(_ bytes: [UInt8], _ address: String) async throws -> [UInt8] {
        try await Task.detached {
            try HTTPConnection(to: address).exchange(bytes)
        }.value
    }

    private static func text(_ text: String, _ address: String) async throws -> String {
        String(decoding: try await exchange(Array(text.utf8), address), as: UTF8.self)
    }

    private static func commit(_ id: String, _ version: String) -> String {
        let name = RawClient.name("c/\(id)")
        let body = #"{"writes":[{"update":{"name":"\#(name)"}}]}"#
        return "POST \(root):commit \(version)\r\nhost: x\r\n"
            + "content-length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    private static func getRequest(_ path: String) -> [UInt8] {
        var request = ProtoGetDocumentRequest()
        request.name = RawClient.name(path)
        return FirestoreCodec.bytes(of: request)
    }

    @Test(arguments: ["HTTP/1.0", "HTTP/1.1"], [false, true])
    func `a request by HTTP/1 is answered`(version: String, isKept: Bool) async throws {
        let folder = TemporaryFolder()
        defer { folder.remove() }
        try await withEmulator(dataFolder: isKept ? folder.path : nil) { _, client, address in
            let answer = try await Self.text(Self.commit("a", version), address)
            #expect(answer.hasPrefix("\(version) 200"))
            #expect(answer.contains("commitTime"))
            #expect(try await client.get("c/a").name == RawClient.name("c/a"))
        }
    }

    @Test func `requests behind each other are all answered`() async throws {
        let folder = TemporaryFolder()
        defer { folder.remove() }
        try await withEmulator(dataFolder: folder.path) { _, _, address in
            let requests = ["a", "b", "c"].map { Self.commit($0, "HTTP/1.1") }.joined()
            let answers = try await Self.text(requests, address)
            #expect(answers.ranges(of: "HTTP/1.1 200").count == 3)
        }
    }

    @Test func `a long answer comes whole`() async throws {
        try await withEmulator { _, client, address in
            for part in 0..<4 {
                var writes = ProtoCommitRequest()
                writes.database = RawClient.database
                for number in 0..<500 {
                    var entry = ProtoFieldsEntry()
                    entry.key = "text"
                    entry.value.stringValue = String(repeating: "x", count: 1_000)
                    var write = ProtoWrite()
                    write.update.name = RawClient.name("c/\(part)-\(number)")
                    write.update.fields = [entry]
                    writes.writes.append(write)
                }
                _ = try await client.call("Commit", writes, ProtoCommitResponse.self)
            }
            let body = #"{"structuredQuery":{"from":[{"collectionId":"c"}]}}"#
            let answer = try await Self.text(
                "POST \(Self.root):runQuery HTTP/1.1\r\nhost: x\r\n"
                    + "content-length: \(body.utf8.count)\r\n\r\n\(body)", address)
            #expect(answer.ranges(of: #""document":"#).count == 2_000)
            #expect(answer.hasSuffix("0\r\n\r\n"))
        }
    }

    @Test(arguments: ["", "GE", "GET / HT", "POST /x HTTP/1.1\r\ncontent-length: 5\r\n\r\nabc"])
    func `what is cut short is closed`(text: String) async throws {
        try await withEmulator { _, _, address in
            let answer = try await Self.text(text, address)
            #expect(!answer.contains(" 200 "))
        }
    }

    @Test func `a call by HTTP/2 is answered`() async throws {
        try await withEmulator { _, client, address in
            try await client.set(["c/a": 1])
            let bytes = try await Self.exchange(
                RawFrames.greeting + RawFrames.call("GetDocument", Self.getRequest("c/a")), address)
            let frames = RawFrames.frames(bytes).filter { $0.stream == 1 }
            #expect(frames.map(\.type) == [1, 0, 1])
            #expect(frames.last?.isLast == true)
            let message = Array(frames.dropFirst().first?.payload.dropFirst(5) ?? [])
            let document = try ProtoDocument(serializedBytes: message)
            #expect(document.name == RawClient.name("c/a"))
        }
    }

    @Test func `streams that were not ended end`() async throws {
        try await withEmulator { _, _, address in
            var request = ProtoListenRequest()
            request.database = RawClient.database
            request.addTarget = RawClient.target(2, collection: "c")
            let bytes = try await Self.exchange(
                RawFrames.greeting + RawFrames.open("Listen")
                    + RawFrames.data(FirestoreCodec.bytes(of: request))
                    + RawFrames.open("Commit", on: 3), address)
            let frames = RawFrames.frames(bytes)
            for stream: UInt32 in [1, 3] {
                #expect(frames.contains { $0.stream == stream && $0.type == 1 && $0.isLast })
            }
            #expect(frames.contains { $0.stream == 1 && $0.type == 0 })
        }
    }
}
