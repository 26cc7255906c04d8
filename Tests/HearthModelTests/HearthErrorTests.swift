import HearthModel
import Testing

struct HearthErrorTests {
    @Test func `codes have the numbers and names of gRPC`() {
        #expect(StatusCode.allCases.map(\.rawValue) == Array(0...16))
        #expect(StatusCode.ok.name == "OK")
        #expect(StatusCode.internalError.name == "INTERNAL")
        #expect(StatusCode.unauthenticated.name == "UNAUTHENTICATED")
        #expect(Set(StatusCode.allCases.map(\.name)).count == 17)
    }

    @Test func `an aborted write is sent again, an aborted read is not`() {
        #expect(StatusCode.aborted.isPermanent)
        #expect(!StatusCode.aborted.isPermanentForWrites)
    }

    @Test func `codes that may pass are not permanent`() {
        let passing: Set<StatusCode> = [
            .ok, .cancelled, .unknown, .deadlineExceeded, .resourceExhausted, .internalError,
            .unavailable, .unauthenticated,
        ]
        for code in StatusCode.allCases {
            #expect(code.isPermanent != passing.contains(code), "\(code)")
            #expect(code.isPermanentForWrites == (code.isPermanent && code != .aborted), "\(code)")
        }
    }

    @Test func `an error reads as its code and message`() {
        let error = HearthError(code: .notFound, message: "No document rooms/hall.")
        #expect("\(error)" == "NOT_FOUND: No document rooms/hall.")
    }
}
