import GRPCCore
import HearthModel
import HearthTestSupport
import Synchronization
import Testing

@testable import HearthRPC

/// A service that knows no Firestore, over real sockets.
@Suite(.timeLimit(.minutes(1)))
struct CallServiceTests {
    @Test func `a call of one request has metadata each way`() async throws {
        try await withEchoServer { service, server in
            try await server.withClient { client in
                let told = try await client.call(
                    "Say", "hello",
                    metadata: ["authorization": "Bearer a", "echo-one": "1", "other": "2"],
                    timeout: .seconds(50))
                #expect(told.messages == ["hello"])
                #expect(Array(told.initial[stringValues: "echo-caller"]) == ["Bearer a"])
                #expect(Array(told.trailing[stringValues: "echo-one"]) == ["1"])
                #expect(Array(told.trailing[stringValues: "other"]) == [])
                let plain = try await client.call("Say", "")
                #expect(plain.messages == [""])
                #expect(Array(plain.initial[stringValues: "echo-caller"]) == ["nobody"])
            }
            let timeouts = service.timeouts.withLock { $0 }
            #expect(timeouts.count == 2)
            #expect((timeouts.first ?? nil).map { $0 > 0 && $0 <= 50_000_000_000 } == true)
            #expect(timeouts.last == .some(nil))
        }
    }

    @Test func `a call of many requests has metadata each way`() async throws {
        try await withEchoServer { _, server in
            try await server.withClient { client in
                let texts = (0..<2_000).map { "\($0)" }
                let told = try await client.talk(texts, metadata: ["authorization": "Bearer b"])
                #expect(told.messages == texts)
                #expect(Array(told.initial[stringValues: "echo-caller"]) == ["Bearer b"])
                #expect(Array(told.trailing[stringValues: "echo-count"]) == ["2000"])
                let error = await #expect(throws: RPCError.self) {
                    try await client.talk([], metadata: ["authorization": "nobody"])
                }
                #expect(error?.code == .unauthenticated)
            }
        }
    }

    @Test func `an error says more in its trailers`() async throws {
        try await withEchoServer { _, server in
            try await server.withClient { client in
                let error = await #expect(throws: RPCError.self) {
                    try await client.call("Fail", "")
                }
                #expect(error?.code == .failedPrecondition)
                #expect(error?.message == "As was wished.")
                let detail = error?.metadata[binaryValues: "echo-detail-bin"]
                #expect(detail.map { Array($0) } == [[0, 255, 7]])
                let unknown = await #expect(throws: RPCError.self) {
                    try await client.call("Sing", "")
                }
                #expect(unknown?.code == .unimplemented)
            }
        }
    }

    @Test func `a slow service holds up no other call, and its late answers go nowhere`()
        async throws
    {
        try await withEchoServer { service, server in
            try await server.withClient { client in
                try await withThrowingTaskGroup(of: [String].self) { group in
                    for _ in 0..<100 {
                        group.addTask { try await client.call("Wait", "").messages }
                    }
                    let late = await #expect(throws: RPCError.self) {
                        try await client.call("Wait", "", timeout: .milliseconds(1))
                    }
                    #expect(late?.code == .deadlineExceeded)
                    _ = try await eventually({ service.waitingCount }, is: { $0 >= 100 })
                    #expect(try await client.call("Say", "quick").messages == ["quick"])
                    service.release()
                    for try await messages in group { #expect(messages == ["at last"]) }
                }
                #expect(try await client.call("Say", "still here").messages == ["still here"])
            }
        }
    }

    @Test func `calls under way are told that the server stops`() async throws {
        try await withEchoServer { service, server in
            try await server.withClient { client in
                let over = AsyncStream.makeStream(of: Void.self)
                let error = await #expect(throws: RPCError.self) {
                    _ = try await client.client.bidirectionalStreaming(
                        request: StreamingClientRequest<String> { writer in
                            try await writer.write("one")
                            for await _ in over.stream {}
                        }, descriptor: .init(fullyQualifiedService: "echo.Echo", method: "Talk"),
                        serializer: TextForm(), deserializer: TextForm(), options: .defaults
                    ) { response in
                        defer { over.continuation.finish() }
                        for try await _ in response.messages { await server.stop() }
                    }
                }
                #expect(error?.code == .unavailable)
                #expect(error?.message == "The echo is stopping.")
            }
        }
    }

    @Test func `headers and trailers of an answer hold its metadata behind gRPC's own`() {
        let trailers = GRPCHeaders.trailers(
            HearthError(code: .aborted, message: "no"), ["a": "1", "b": "2"])
        #expect(
            trailers.map { "\($0.name)=\($0.value)" }
                == ["grpc-status=10", "grpc-message=no", "a=1", "b=2"])
        let unknown = GRPCHeaders.only(HearthError(code: .unimplemented, message: "No."))
        #expect(unknown.first(name: "grpc-accept-encoding") == "identity,deflate,gzip")
        #expect(GRPCHeaders.trailers(nil).map(\.value) == ["0"])
        #expect(GRPCHeaders.response([:]) == GRPCHeaders.response)
        let head = CallHead(
            CallMethod(name: "Say", shape: .unary, number: 0),
            headers: ["hearth-a": "1", "x": "2", "hearth-b": "3"])
        #expect(head.metadata("hearth-b") == "3")
        #expect(head.metadata("hearth-c") == nil)
        #expect(head.metadata(prefix: "hearth-") == ["hearth-a": "1", "hearth-b": "3"])
    }
}
