import GRPCCore
import GRPCNIOTransportHTTP2Posix
import Glibc
import HearthEngine
import HearthModel
import HearthProtocol
import HearthTestSupport
import HearthWire
import SwiftProtobuf
import Testing

@testable import HearthServer

/// The gateway's TCP port serves the users whom the kernel names, and speaks no HTTP/1.1.
@Suite(.timeLimit(.minutes(2)))
struct GatewayPortTests {
    @Test func `a client of the port is its user's, whose program is unknown`() async throws {
        try await GatewayBench.run {
            $0.gateway.address = LoopbackAddress("127.0.0.1:0")
        } _: { bench in
            let address = try #require(bench.server.loopbackAddress)
            #expect(address.port != 0)
            try await GatewayClient.run(at: .ipv4(address: address.host, port: address.port)) {
                client in
                let request = ProtoRollbackRequest.with {
                    $0.database = GatewayBench.database.name
                }
                let error = await #expect(throws: RPCError.self) {
                    let _: Google_Protobuf_Empty = try await client.unary(.rollback, request)
                }
                #expect(error?.code != .permissionDenied && error?.code != .unavailable)
                let found = bench.server.registry.clients(ofUser: geteuid()).clients
                #expect(found.map(\.database) == [.firestore(GatewayBench.database)])
                #expect(found.first?.process.pid == 0)
                #expect(found.first?.process.unit == nil)
            }
        }
    }

    @Test func `a page in a browser cannot speak with the port`() async throws {
        try await GatewayBench.run {
            $0.gateway.address = LoopbackAddress("127.0.0.1:0")
        } _: { bench in
            let address = try #require(bench.server.loopbackAddress)
            let request = "POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n"
            // The kernel resets the connection if the daemon closed it before it read the request.
            let answer = try? await Task.detached {
                try HTTPConnection(to: address.description).exchange(Array(request.utf8))
            }.value
            #expect(answer ?? [] == [])
        }
    }
}
