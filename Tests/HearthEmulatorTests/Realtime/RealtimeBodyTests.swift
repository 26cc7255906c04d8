import HearthRPC
import HearthTestSupport
import Testing

@testable import HearthEmulator

/// Bodies of REST that are large, packed or both.
@Suite(.timeLimit(.minutes(1)))
struct RealtimeBodyTests {
    private static func put(
        _ path: String, _ address: String, _ headers: [String] = [], _ body: [UInt8]
    ) async throws -> HTTPConnection.Answer {
        try await Task.detached {
            try HTTPConnection(to: address).send("PUT", path, headers: headers, bytes: body)
        }.value
    }

    private static let packed = ["content-encoding: gzip"]

    @Test func `a few bytes that unpack to very many are refused early`() async throws {
        try await withEmulator { _, address in
            let bomb = ContentCoding.gzip([UInt8](repeating: 32, count: 64 << 20))
            #expect(bomb.count < 1 << 20)
            let answer = try await Self.put("/a.json?ns=demo", address, Self.packed, bomb)
            #expect(answer.status == 413)
            #expect(answer.text.contains("unpacks to more than"))
            let rules = try await Self.put(
                "/.settings/rules.json?ns=demo", address,
                Self.packed + ["authorization: Bearer owner"], bomb)
            #expect(rules.status == 413)
        }
    }

    @Test func `long bodies and packed bodies are written`() async throws {
        try await withEmulator { _, address in
            let client = RealtimeClient(address: address)
            let text = "\"\(String(repeating: "x", count: 400_000))\""
            let plain = try await client.send("PUT", "/plain", ["print=silent"], text)
            #expect(plain.status == 204)
            #expect(try await client.text("GET", "/plain") == text)
            let packed = try await Self.put(
                "/packed.json?ns=demo", address, Self.packed,
                ContentCoding.gzip(Array("[1,2]".utf8)))
            #expect(packed.text == "[1,2]")
            let broken = try await client.send("PUT", "/plain", [], text + "x")
            #expect(broken.status == 400)
            #expect(broken.text.contains("couldn't parse JSON"))
        }
    }

    @Test(arguments: ["/%ff.json?ns=demo", "/a.json?ns=demo&startAt=%22%ff%fe%22", "/v1/%zz"])
    func `a target that is no UTF-8 is refused with its reason`(_ target: String) async throws {
        try await withEmulator { _, address in
            let answer = try await Self.put(target, address, [], Array("1".utf8))
            #expect(answer.status == 400)
            #expect(answer.text.contains("UTF-8"))
        }
    }

    @Test func `a first line with a whole URI writes like one with a path`() async throws {
        try await withEmulator { _, address in
            let answer = try await Self.put(
                "http://localhost/a.json?ns=demo", address, [], Array("1".utf8))
            #expect(answer.status == 200)
            #expect(try await RealtimeClient(address: address).text("GET", "/a") == "1")
        }
    }
}
