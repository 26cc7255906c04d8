import HearthModel
import HearthRPC
import Testing

@testable import HearthGateway
@testable import HearthServer

/// A call's metadata counts before its socket, and the socket before the configuration.
struct GatewayModeTests {
    private let call = CallMethod(name: "Commit", shape: .bidirectional, number: 0)

    private var configuration: GatewayConfiguration {
        var configuration = GatewayConfiguration(besides: nil)
        configuration.writes = .committed
        return configuration
    }

    private func asked(
        _ headers: HeaderFields, by listener: GatewayListener = .standard
    ) throws -> GatewayMode {
        try GatewayMode(configuration, by: listener).asked(by: CallHead(call, headers: headers))
    }

    @Test func `a call that says nothing is answered as its socket and the configuration say`()
        throws
    {
        let standard = try asked([:])
        #expect(standard.reads == .serverFirst)
        #expect(standard.writes == .committed)
        #expect(standard.patience == .seconds(2))
        #expect(standard.offlineStatus == .failedPrecondition)
        let local = try asked([:], by: .local)
        #expect(local.reads == .cacheFirst)
        #expect(local.writes == .accepted)
    }

    @Test func `metadata of the call counts before both`() throws {
        let mode = try asked(
            ["hearth-reads": "server", "hearth-writes": "committed-if-online"], by: .local)
        #expect(mode.reads == .server)
        #expect(mode.writes == .committedIfOnline)
    }

    @Test func `a word that is no mode is refused with the modes that there are`() throws {
        let error = #expect(throws: HearthError.self) { try asked(["hearth-reads": "never"]) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains("\"cache-first\"") == true)
    }
}
