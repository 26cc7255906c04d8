import HearthModel
import HearthProtocol
import HearthTestSupport
import Testing

@testable import HearthEmulator

/// Names that are none, over real sockets. A trap would end the emulator, and the tests.
@Suite(.timeLimit(.minutes(1)))
struct HostileNameTests {
    private static let root = "/v1/\(RawClient.database)/documents"

    private static func status(
        _ verb: String, _ path: String, _ address: String, _ body: String = ""
    ) async throws -> Int {
        try await Task.detached {
            try HTTPConnection(to: address).send(verb, path, headers: [], bytes: Array(body.utf8))
        }.value.status
    }

    @Test func `a collection whose id holds a slash is refused, and the emulator goes on`()
        async throws
    {
        try await withEmulator { _, _, address in
            let query = #"{"structuredQuery":{"from":[{"collectionId":"a/b"}]}}"#
            for path in [Self.root + "/a%2Fb", Self.root + "/c/d/a%2Fb"] {
                // The slash parts two names here, so a document is asked for, and there is none.
                #expect(try await Self.status("GET", path, address) == 404)
                #expect(try await Self.status("POST", path, address, "{}") == 400)
            }
            let asked = try await Self.status("POST", Self.root + ":runQuery", address, query)
            #expect(asked == 400)
            let step = #"{"clockStepMilliseconds":-9223372036854775808}"#
            #expect(
                try await Self.status("POST", "/emulator/v1/hearth/faults", address, step) >= 400)
            #expect(try await Self.status("GET", Self.root + "/c", address) == 200)
        }
    }
}
