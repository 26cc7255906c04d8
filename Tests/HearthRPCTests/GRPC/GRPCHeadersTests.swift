import HearthModel
import Testing

@testable import HearthRPC

/// An answer's headers, which must arrive with any content.
struct GRPCHeadersTests {
    private func byteCount(_ headers: HeaderFields) -> Int {
        headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 32 }
    }

    private func error(_ message: String) -> HearthError {
        HearthError(code: .invalidArgument, message: message)
    }

    @Test func `a short message arrives as it is`() {
        for message in ["", "No such room.", "Größe", String(repeating: "a", count: 2_048)] {
            #expect(GRPCStatusText.cut(message) == message)
        }
    }

    @Test(arguments: ["a", "%", "ü", "\u{10FFFF}", "e\u{301}\u{302}"])
    func `a long message is cut between characters, and says so`(part: String) {
        let message = String(repeating: part, count: 100_000)
        let cut = GRPCStatusText.cut(message)
        #expect(cut.hasSuffix("..."))
        #expect(message.utf8.starts(with: cut.dropLast(3).utf8))
        #expect((2_030...2_048).contains(GRPCStatusText.encode(cut).utf8.count))
    }

    @Test func `a message with long names in it leaves every client its status`() {
        let headers = GRPCHeaders.only(error(String(repeating: "n", count: 1 << 20)))
        #expect(headers.first(name: "grpc-status") == "3")
        #expect(byteCount(headers) <= 4_096)
    }

    @Test(arguments: [4_000, 6_100, 100_000])
    func `details that clients would refuse are left out`(count: Int) {
        var metadata: CallMetadata = ["hearth-pending": "1"]
        metadata.add(CallMetadata.statusDetails, bytes: Array(repeating: 1, count: count))
        for headers in [
            GRPCHeaders.only(error("no"), metadata), GRPCHeaders.trailers(error("no"), metadata),
        ] {
            #expect(byteCount(headers) <= 8_192)
            let details = headers.first(name: CallMetadata.statusDetails)
            #expect((details != nil) == (count < 6_000))
            #expect(headers.first(name: "grpc-status") == "3")
            #expect(headers.first(name: "hearth-pending") == "1")
        }
    }
}
