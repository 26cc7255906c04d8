import HearthModel
import Testing

@testable import HearthRemote

@Suite(.timeLimit(.minutes(1)))
struct HTTPClientTests {
    @Test func `a request arrives as it was sent, and its answer comes back`() async throws {
        try await StubEndpoint.serve { _ in
            .init(status: 418, headers: [("X-Flavor", "tea")], body: "short and stout")
        } _: { endpoint, host in
            let address = try #require(WebAddress("http://\(host)/pot?x=1"))
            let answer = try await HTTPClient().send(
                .post(address, form: ["a b": "c&d", "e": "é/"]))
            #expect(answer.status == 418)
            #expect(!answer.isSuccess)
            #expect(answer.headers["x-flavor"] == "tea")
            #expect(String(decoding: answer.body, as: UTF8.self) == "short and stout")
            let question = try #require(endpoint.questions.first)
            #expect(question.method == "POST")
            #expect(question.target == "/pot?x=1")
            #expect(question.headers["host"] == host)
            #expect(question.body == "a%20b=c%26d&e=%C3%A9%2F")
        }
    }

    @Test func `a large answer comes whole, a far too large one not at all`() async throws {
        try await StubEndpoint.serve { question in
            let count = Int(question.path.dropFirst()) ?? 0
            return .init(body: String(repeating: "x", count: count))
        } _: { _, host in
            let most = 1 << 20
            let address = try #require(WebAddress("http://\(host)/\(most)"))
            #expect(try await HTTPClient().send(.get(address)).body.count == most)
            let more = try #require(WebAddress("http://\(host)/\(most + 1)"))
            let error = await #expect(throws: HearthError.self) {
                try await HTTPClient().send(.get(more))
            }
            #expect(error?.code == .unavailable)
        }
    }

    @Test func `no answer is told with the place, without the query`() async throws {
        let address = try #require(WebAddress("http://127.0.0.1:1/x?key=hunter2"))
        let error = await #expect(throws: HearthError.self) {
            try await HTTPClient().send(.get(address))
        }
        #expect(error?.code == .unavailable)
        #expect(error?.message.hasPrefix("No answer from http://127.0.0.1:1/x: ") == true)
        #expect(error?.message.contains("Connection refused. See to") == true)
        #expect(error?.message.contains("hunter2") == false)
    }

    @Test func `a name that cannot be resolved is told in plain words, with a cure`() async throws {
        let address = try #require(WebAddress("https://accounts.invalid/token"))
        let error = await #expect(throws: HearthError.self) {
            try await HTTPClient().send(.get(address), cure: "Name another.")
        }
        #expect(
            error?.message
                == "No answer from https://accounts.invalid/token: the name accounts.invalid "
                + "cannot be resolved. Name another.")
    }

    @Test func `TLS is believed by the authority that is named, and by no other`() async throws {
        let authority = try TestAuthority(vouchingFor: "localhost")
        try await StubEndpoint.serve(tls: try authority.serverContext()) { _ in
            .json("{}")
        } _: { endpoint, host in
            let port = host.split(separator: ":").last ?? ""
            let address = try #require(WebAddress("https://localhost:\(port)/token"))
            let ours = HTTPClient(trusting: .file(path: authority.certificatePath))
            #expect(try await ours.send(.get(address)).status == 200)
            let error = await #expect(throws: HearthError.self) {
                try await HTTPClient().send(.get(address))
            }
            #expect(error?.message.contains("upstream.trustedCertificates") == true)
            let missing = await #expect(throws: HearthError.self) {
                try await HTTPClient(trusting: .file(path: "/nonexistent")).send(.get(address))
            }
            #expect(missing?.code == .unavailable)
            #expect(endpoint.questions.count == 1)
        }
    }
}
