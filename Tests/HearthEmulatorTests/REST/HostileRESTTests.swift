import HearthTestSupport
import Testing

/// Whole but wrong requests by REST, given to an emulator. A trap would end the tests, as it would end
/// the emulator.
@Suite(.timeLimit(.minutes(2)))
struct HostileRESTTests {
    private static let name = "\(RawClient.database)/documents"
    private static let root = "/v1/\(name)"

    private static let increment =
        #"{"writes":[{"transform":{"document":@,"#
        + #""fieldTransforms":[{"fieldPath":@,"increment":@}]}}]}"#
    private static let filter =
        #"{"structuredQuery":{"from":[{"collectionId":"c"}],"#
        + #""where":{"fieldFilter":{"field":{"fieldPath":@},"op":@,"value":@}},"#
        + #""orderBy":[{"field":{"fieldPath":@},"direction":@}]}}"#
    private static let count =
        #"{"structuredAggregationQuery":{"structuredQuery":@,"#
        + #""aggregations":[{"alias":@,"count":@}]}}"#
    /// Requests of every kind that has a body; each `@` is a part that chance fills in.
    private static let requests: [(path: String, body: String)] = [
        (":commit", #"{"writes":[{"update":{"name":@,"fields":{"n":@}},"updateMask":@}]}"#),
        (":commit", #"{"writes":[{"delete":@,"currentDocument":{"exists":@}}],"transaction":@}"#),
        (":commit", increment),
        (":batchWrite", #"{"writes":[{"update":{"name":@,"fields":{"n":@}}}],"labels":@}"#),
        (":batchGet", #"{"documents":[@,@],"mask":{"fieldPaths":[@]},"readTime":@}"#),
        (":runQuery", #"{"structuredQuery":{"from":[{"collectionId":@}],"limit":@,"offset":@}}"#),
        (":runQuery", filter), (":runAggregationQuery", count),
        (":partitionQuery", #"{"structuredQuery":@,"partitionCount":@,"pageToken":@}"#),
        (":listCollectionIds", #"{"pageSize":@,"pageToken":@}"#),
        (":rollback", #"{"transaction":@}"#), ("/c", #"{"fields":{"n":@}}"#),
    ]
    private static let parts = [
        #""""#, "null", "-1", "1", "1e400", "9223372036854775808", "true", "[]", "{}", #""NaN""#,
        #""a/b""#, #""__x__""#, #""..""#, #""c""#, #""n""#, #""`""#, #""AAAA""#, #""EQUAL""#,
        #""IN""#, #""\ud83d""#, #""/\u0301""#, #""2024-13-45T00:00:00Z""#,
        #""9999-12-31T23:59:59.999999999Z""#, #"{"integerValue":"5"}"#,
        #"{"arrayValue":{"values":[{"arrayValue":{}}]}}"#, #"{"fields":{"":{"nullValue":null}}}"#,
        #"{"mapValue":{"fields":{"x":{"doubleValue":"NaN"}}}}"#,
        #"{"from":[{"collectionId":"c","allDescendants":true}]}"#, #"{"upTo":"-1"}"#, #"{"a":"b"}"#,
        "\"\(name)/c/a\"", "\"\(name)/c\"", #""projects/other/databases/(default)/documents/c/a""#,
    ]

    private static func filled(
        _ template: String, _ random: inout SeededGenerator
    ) -> [UInt8] {
        var text = ""
        for character in template {
            if character == "@" { text += random.pick(parts) } else { text.append(character) }
        }
        let bytes = Array(text.utf8)
        return Int.random(in: 0..<8, using: &random) == 0 ? random.damaged(bytes) : bytes
    }

    @Test func `whatever is asked by REST is answered or refused, and the emulator goes on`()
        async throws
    {
        try await withEmulator { _, client, address in
            let statuses = try await Task.detached {
                var random = SeededGenerator(seed: 14)
                var statuses: Set<Int> = []
                for _ in 0..<600 {
                    let (path, template) = random.pick(Self.requests)
                    let body = Self.filled(template, &random)
                    let answer = try HTTPConnection(to: address).send(
                        "POST", Self.root + path, headers: [], bytes: body)
                    statuses.insert(answer.status)
                    if answer.status == 500 {
                        let asked = String(decoding: body, as: UTF8.self)
                        Issue.record("\(path) \(asked): \(answer.text)")
                    }
                }
                return statuses
            }.value
            #expect(statuses.isSuperset(of: [200, 400]))
            try await client.set(["c/a": 1])
        }
    }
}
