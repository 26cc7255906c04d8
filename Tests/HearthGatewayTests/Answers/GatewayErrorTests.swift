import HearthModel
import HearthProtocol
import HearthRPC
import SwiftProtobuf
import Testing

@testable import HearthGateway

struct GatewayErrorTests {
    @Test(arguments: GatewayError.Reason.allCases)
    func `a refusal tells its reason to machines, in the domain hearth`(
        reason: GatewayError.Reason
    ) throws {
        let error = GatewayError(
            HearthError(code: .failedPrecondition, message: "No."), because: reason)
        let text = try #require(error.trailing["grpc-status-details-bin"])
        let bytes = try #require(Base64.decode(text))
        let status = try ProtoStatus(serializedBytes: bytes)
        #expect(status.code == 9)
        #expect(status.message == "No.")
        let info = ErrorInfo(reason: reason.rawValue, domain: "hearth")
        #expect(bytes == info.status(of: error.error))
    }

    @Test func `what needs the backend is refused as configured, with the cause`() {
        let cause = HearthError(code: .unavailable, message: "Connection refused.")
        let error = GatewayError.offline("A transaction", as: .failedPrecondition, because: cause)
        #expect(error.reason == .offline)
        #expect(error.error.code == .failedPrecondition)
        #expect(error.error.message.hasPrefix("A transaction needs the backend"))
        #expect(error.error.message.contains("Connection refused."))
        let alone = GatewayError.needsBackend("This RunQuery", as: .unavailable)
        #expect(alone.error.code == .unavailable)
    }
}
