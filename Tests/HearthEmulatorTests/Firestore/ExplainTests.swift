import HearthModel
import HearthTestSupport
import Testing

@testable import HearthEmulator

/// A query's answer about its plan and its cost.
@Suite(.timeLimit(.minutes(1)))
struct ExplainTests {
    private static let root = "/v1/\(RawClient.database)/documents"

    /// The messages of an answer.
    private static func ask(
        _ method: String, _ body: String, _ address: String
    ) async throws -> [JSONValue] {
        let answer = try await Task.detached {
            try HTTPConnection(to: address).send("POST", "\(root):\(method)", body: body)
        }.value
        #expect(answer.status == 200, "\(answer.text)")
        return try #require(try JSONReader.read(answer.body).elements)
    }

    private static func query(_ more: String, analyze: Bool) -> String {
        #"{"structuredQuery":{"from":[{"collectionId":"c"}]\#(more)},"#
            + #""explainOptions":{"analyze":\#(analyze)}}"#
    }

    private static func count(analyze: Bool) -> String {
        #"{"structuredAggregationQuery":{"structuredQuery":{"from":[{"collectionId":"c"}]},"#
            + #""aggregations":[{"alias":"n","count":{}}]},"explainOptions":{"analyze":\#(analyze)}}"#
    }

    private static func cost(_ message: JSONValue?) -> String? {
        message?["explainMetrics"]?["executionStats"]?["readOperations"]?.string
    }

    @Test func `a plan alone was read at no time`() async throws {
        try await withEmulator { _, client, address in
            try await client.set(["c/a": 1])
            for (method, body) in [
                ("runQuery", Self.query("", analyze: false)),
                ("runAggregationQuery", Self.count(analyze: false)),
            ] {
                let messages = try await Self.ask(method, body, address)
                #expect(messages.count == 1)
                #expect(messages.first?["explainMetrics"]?["planSummary"] != nil)
                #expect(messages.first?["explainMetrics"]?["executionStats"] == nil)
                #expect(messages.first?["readTime"] == nil, "\(method)")
                #expect(messages.first?["document"] == nil)
                #expect(messages.first?["result"] == nil)
            }
        }
    }

    @Test func `a query that was run has a read time, and one without results reads one`()
        async throws
    {
        try await withEmulator { _, client, address in
            let empty = try await Self.ask("runQuery", Self.query("", analyze: true), address)
            #expect(empty.last?["readTime"] != nil)
            #expect(Self.cost(empty.last) == "1")
            let none = try await Self.ask(
                "runAggregationQuery", Self.count(analyze: true), address)
            #expect(none.last?["readTime"] != nil)
            #expect(Self.cost(none.last) == "1")
            try await client.set(["c/a": 1, "c/b": 2, "c/d": 3])
            let some = try await Self.ask("runQuery", Self.query("", analyze: true), address)
            #expect(Self.cost(some.last) == "3")
        }
    }

    @Test func `what an offset skips is read too`() async throws {
        try await withEmulator { _, client, address in
            try await client.set(["c/a": 1, "c/b": 2, "c/d": 3])
            let rest = try await Self.ask(
                "runQuery", Self.query(#","offset":2"#, analyze: true), address)
            #expect(Self.cost(rest.last) == "3")
            let past = try await Self.ask(
                "runQuery", Self.query(#","offset":9"#, analyze: true), address)
            #expect(Self.cost(past.last) == "3")
        }
    }
}
