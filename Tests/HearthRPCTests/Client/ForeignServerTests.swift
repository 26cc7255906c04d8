import GRPCCore
import GRPCNIOTransportHTTP2Posix
import HearthModel
import HearthTestSupport
import Testing

@testable import HearthRPC

/// Our client against a server that we did not write.
@Suite(.timeLimit(.minutes(1)))
struct ForeignServerTests {
    /// The echo, by grpc-swift.
    private struct Echo: RegistrableRPCService {
        func registerMethods<Transport: ServerTransport>(with router: inout RPCRouter<Transport>) {
            for method in ["Say", "Talk"] {
                register(method, with: &router) { request, writer in
                    for try await text in request.messages { try await writer.write(text) }
                    return ["echo-end": "yes"]
                }
            }
            register("Fail", with: &router) { _, _ in
                var metadata = Metadata()
                metadata.addBinary([1, 2, 255], forKey: "grpc-status-details-bin")
                throw RPCError(code: .aborted, message: "nö", metadata: metadata)
            }
            register("Count", with: &router) { _, writer in
                for _ in 0...10_000 { try await writer.write("one more") }
                // The server lets its handler run on when the client ends the call.
                let (over, tell) = AsyncStream.makeStream(of: Never.self)
                await withRPCCancellationHandler {
                    for await _ in over {}
                } onCancelRPC: {
                    tell.finish()
                }
                return [:]
            }
        }

        private func register<Transport: ServerTransport>(
            _ method: String, with router: inout RPCRouter<Transport>,
            _ body:
                @escaping @Sendable (StreamingServerRequest<String>, RPCWriter<String>)
                async throws -> Metadata
        ) {
            router.registerHandler(
                forMethod: MethodDescriptor(fullyQualifiedService: "echo.Echo", method: method),
                deserializer: TextForm(), serializer: TextForm()
            ) { request, _ in
                StreamingServerResponse { try await body(request, $0) }
            }
        }
    }

    private func serve(_ body: @Sendable (RPCClient) async throws -> Void) async throws {
        let folder = TemporaryFolder()
        let path = "\(folder.path)/foreign.sock"
        let server = GRPCServer(
            transport: .http2NIOPosix(
                address: .unixDomainSocket(path: path), transportSecurity: .plaintext,
                config: .defaults { $0.rpc.maxRequestPayloadSize = 17 << 20 }),
            services: [Echo()])
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.serve() }
            _ = try await server.listeningAddress
            let client = RPCClient(path: path)
            defer {
                client.channel.close()
                server.beginGracefulShutdown()
            }
            try await body(client)
        }
    }

    @Test func `a foreign server's messages, errors and details are understood`() async throws {
        try await serve { client in
            let told = await client.call("Say", "hello", metadata: [("a", "1")])
            #expect(told.texts == ["hello"])
            #expect(told.end?.error == nil)
            let failed = await client.call("Fail")
            #expect(failed.end?.error == HearthError(code: .aborted, message: "nö"))
            #expect(failed.end?.details == [1, 2, 255])
            #expect(await client.call("Sing").code == .unimplemented)
            let large = String(repeating: "x", count: 12 << 20)
            #expect(await client.call("Say", large).texts == [large])
        }
    }

    @Test func `a foreign server's stream goes both ways, and ends when we end it`() async throws {
        try await serve { client in
            let talk = client.talk()
            let texts = (0..<1_000).map { "\($0)" }
            for text in texts { talk.call.send(Array(text.utf8)) }
            talk.call.halfClose()
            let told = await talk.end()
            #expect(told.texts == texts)
            #expect(told.end?.error == nil)
            let counting = client.talk("Count")
            counting.call.halfClose()
            _ = try await eventually({ counting.told.messages.count }, is: { $0 > 10_000 })
            counting.call.cancel()
            #expect(await counting.end().code == .cancelled)
            #expect(await client.call("Say", "after").texts == ["after"])
        }
    }
}
