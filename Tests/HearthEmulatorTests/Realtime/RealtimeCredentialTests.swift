import HearthModel
import HearthTestSupport
import Testing

@testable import HearthEmulator

/// Whom a connection of the protocol acts for, by the credentials that clients send.
@Suite(.timeLimit(.minutes(1)))
struct RealtimeCredentialTests {
    /// A token without a signature, as emulators take it.
    private static func token(_ claims: String) -> String {
        "e30." + Base64.encodeForLinks(Array(claims.utf8)) + "."
    }

    private static let ann = token(#"{"sub":"ann","iat":1}"#)
    /// Clients send a token without a time of issue as a server's token.
    private static let annWithoutTime = token(#"{"sub":"ann"}"#)
    private static let over = token(#"{"sub":"ann","iat":1,"exp":1}"#)

    /// Lets each user read the user's own place, and talks with a connection.
    private func talk(
        _ body: @Sendable @escaping (SocketClient) throws -> Void
    ) async throws {
        try await withEmulator { _, address in
            let rules = #"{"rules":{"u":{"$id":{".read":"$id === auth.uid"}}}}"#
            let given = try await RealtimeClient(address: address).admin.text(
                "PUT", "/.settings/rules", [], rules)
            #expect(given == #"{"status":"ok"}"#)
            try await SocketClient.talk(address, body)
        }
    }

    /// Whose places a connection may read.
    private static func readable(by client: SocketClient) throws -> [String] {
        var names: [String] = []
        for (place, name) in ["ann", "bob"].enumerated() {
            try client.ask(10 + place, "g", #"{"p":"/u/\#(name)","q":{}}"#)
            if try client.next()?.contains(#""s":"ok""#) == true { names.append(name) }
        }
        return names
    }

    /// Kinds of requests, credentials, and whose places may be read with them.
    private static let callers: [(String, String, [String])] = [
        ("auth", #"{"cred":"\#(ann)"}"#, ["ann"]),
        ("gauth", #"{"cred":"\#(annWithoutTime)"}"#, ["ann"]),
        ("gauth", #"{"cred":"owner"}"#, ["ann", "bob"]),
        ("gauth", #"{"cred":"ya29.anything"}"#, ["ann", "bob"]),
        ("gauth", #"{"cred":"owner","authvar":{"uid":"ann"}}"#, ["ann"]),
        ("gauth", #"{"cred":"ya29.anything","authvar":{"uid":"bob"}}"#, ["bob"]),
        ("gauth", #"{"cred":"owner","noauth":true}"#, []),
        // Only an admin may act for somebody else.
        ("auth", #"{"cred":"\#(ann)","authvar":{"uid":"bob"}}"#, ["ann"]),
    ]

    @Test(arguments: callers)
    func `a connection acts for whom its credential names`(
        kind: String, credential: String, places: [String]
    ) async throws {
        try await talk { client in
            #expect(try Self.readable(by: client) == [])
            try client.ask(1, kind, credential)
            #expect(try client.next()?.contains(#""s":"ok""#) == true)
            #expect(try Self.readable(by: client) == places)
            try client.ask(2, "unauth", "{}")
            #expect(try client.next() == SocketClient.answer(2, #""unauthenticated""#))
            #expect(try Self.readable(by: client) == [])
        }
    }

    @Test(arguments: [
        ("auth", over, "expired_token"), ("gauth", over, "expired_token"),
        ("auth", "nonsense", "invalid_token"), ("auth", token("[]"), "invalid_token"),
    ])
    func `a token that has ended or cannot be read is refused, and the connection goes on`(
        kind: String, token: String, word: String
    ) async throws {
        try await talk { client in
            try client.ask(1, kind, #"{"cred":"\#(token)"}"#)
            let refusal = try client.next()
            #expect(refusal?.contains(#""r":1,"b":{"s":"\#(word)""#) == true, "\(refusal ?? "")")
            #expect(try Self.readable(by: client) == [])
        }
    }
}
