import HearthModel
import HearthProtocol
import SwiftProtobuf
import Testing

struct ErrorInfoTests {
    private static let offline = HearthError(
        code: .failedPrecondition, message: "The backend cannot be reached.")

    /// Made by googleapis-common-protos for Python.
    @Test func `an error with its reason has the bytes that Google's library makes`() throws {
        let info = ErrorInfo(
            reason: "HEARTH_OFFLINE", domain: "hearth", metadata: ["database": "p/(default)"])
        #expect(
            info.status(of: Self.offline)
                == Samples.bytes(
                    hex: """
                        0809121e546865206261636b656e642063616e6e6f7420626520726561636865642e1a5d0a28747970\
                        652e676f6f676c65617069732e636f6d2f676f6f676c652e7270632e4572726f72496e666f12310a0e\
                        4845415254485f4f46464c494e4512066865617274681a170a086461746162617365120b702f286465\
                        6661756c7429
                        """))
    }

    @Test func `a status reads as Google's message, whatever the text`() throws {
        let error = HearthError(code: .aborted, message: String(repeating: "ä🔥", count: 100))
        let status = try ProtoStatus(
            serializedBytes: ErrorInfo(reason: "", domain: "").status(of: error))
        #expect(status.code == 10)
        #expect(status.message == error.message)
        #expect(status.details.map(\.typeURL) == ["type.googleapis.com/google.rpc.ErrorInfo"])
    }
}
