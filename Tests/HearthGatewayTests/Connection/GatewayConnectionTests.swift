import Testing

@testable import HearthGateway
@testable import HearthServer

/// What begins at the end of a read.
@Suite(.timeLimit(.minutes(1)))
struct GatewayConnectionTests {
    /// What has begun, in order; for one event loop.
    private final class Begun {
        var names: [String] = []
    }

    /// What has begun at the end, when the client is gone.
    private func begun(
        _ body: @escaping @Sendable (GatewayConnection, _ begin: (String) -> Void) -> Void
    ) async throws -> [String] {
        try await GatewayBench.run {
            $0.access = .open
        } _: { bench in
            try await bench.withConnection(as: Peer(uid: 60_008, gid: 60_008, pid: 1)) { bound in
                try await bound.run { connection in
                    let begun = Begun()
                    body(connection) { name in
                        connection.beginSoon { begun.names.append(name) }
                    }
                    return begun.names
                }
            }
        }
    }

    @Test func `a call waits for the end of the read that brought the call`() async throws {
        let names = try await begun { connection, begin in
            connection.isInRead = true
            begin("commit")
        }
        #expect(names == [])
        let atEnd = try await begun { connection, begin in
            connection.isInRead = true
            begin("commit")
            connection.readEnded()
        }
        #expect(atEnd == ["commit"])
    }

    /// NIO tells of no end of a read that fails. The call counts for its user until the call has ended.
    @Test func `a call of a read without an end begins when the client is gone`() async throws {
        let names = try await begun { connection, begin in
            connection.isInRead = true
            begin("commit")
            connection.closed()
        }
        #expect(names == ["commit"])
    }

    @Test func `a read without an end keeps no later call`() async throws {
        let names = try await begun { connection, begin in
            connection.isInRead = true
            connection.closed()
            #expect(!connection.isInRead)
            begin("commit")
            connection.readEnded()
        }
        #expect(names == ["commit"])
    }
}
