import HearthModel
import HearthTestSupport
import Testing

/// `:ruleCoverage`, asked of an emulator as tests of rules do.
@Suite(.timeLimit(.minutes(3)))
struct RuleCoverageTests {
    /// {"alg":"none"} . {"sub":"alice"}, without a signature.
    private static let alice = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZSJ9."
    private static let endpoint = "/emulator/v1/projects/spec"

    private static let rules = """
        rules_version = '2';
        service cloud.firestore {
          function isUser(id) {
            let auth = request.auth;
            return auth != null && auth.uid == id;
          }
          match /databases/{database}/documents {
            /* é😀 */ match /users/{id} {
              allow get: if isUser(id) || id == 'public' || id == 'open';
              allow create: if id in ['x', 'y'] && (-1 < math.abs(-1) ? true : request.auth == null);
              allow list: if [1].size() == 1;
            }
            match /never/{id} { allow read: if id.matches('a.*') && debug(id)[0:1] == 'a'; }
          }
        }
        """

    /// Gives rules, reads something by somebody, and returns the report.
    private static func report(at address: String) throws -> JSONValue {
        func ask(_ method: String, _ path: String, _ token: String?, _ body: String = "") throws
            -> String
        {
            try HTTPCall.send(
                method, path, at: address, authorization: token.map { "Bearer \($0)" }, body: body
            ).text
        }
        let file = JSONValue.object([
            .init(name: "name", value: .string("my.rules")),
            .init(name: "content", value: .string(rules)),
        ])
        let body = String(decoding: JSONWriter.bytes(of: file), as: UTF8.self)
        _ = try ask(
            "PUT", "\(endpoint):securityRules", nil, #"{"rules":{"files":[\#(body)]}}"#)
        for (id, token) in [("alice", alice), ("bob", alice), ("public", nil), ("bob", "owner")] {
            _ = try ask("GET", "/v1/\(RawClient.name("users/\(id)"))", token)
        }
        return try JSONReader.read(Array(try ask("GET", "\(endpoint):ruleCoverage", nil).utf8))
    }

    /// The place of an expression, its values if they are short, and the expressions inside.
    private static func lines(_ node: JSONValue, _ depth: Int = 0) -> [String] {
        let place = node["sourcePosition"]
        let numbers = ["line", "column", "currentOffset", "endOffset"].map {
            "\(place?[$0]?.integer ?? -1)"
        }
        let values = (node["values"]?.elements ?? []).compactMap { entry -> String? in
            let value = entry["value"] ?? .null
            let kind = value.members?.first?.name ?? "unreached"
            // Requests are told with more or less content, and failures with their places.
            let text =
                ["boolValue", "stringValue", "intValue"].contains(kind)
                ? String(decoding: JSONWriter.bytes(of: value), as: UTF8.self) : kind
            return "\(entry["count"]?.integer ?? 0) \(text)"
        }.sorted(by: utf8Precedes)
        let line = String(repeating: " ", count: depth) + numbers.joined(separator: " ")
        return ["\(line): \(values.joined(separator: ", "))"]
            + (node["children"]?.elements ?? []).flatMap { lines($0, depth + 1) }
    }

    @Test func `the report has every expression, and begins anew with new rules`() async throws {
        try await withEmulator { _, _, address in
            try await Task.detached {
                let report = try Self.report(at: address)
                let file = report["rules"]?["files"]?.elements?.first
                #expect(file?["name"]?.string == "my.rules")
                #expect(file?["content"]?.string == Self.rules)
                let roots = try #require(report["report"]?.elements)
                #expect(roots.count == 5)
                // "bob" by alice, and "public" by nobody; the owner is asked nothing.
                let whole = Self.lines(roots[1])[0]
                #expect(
                    whole.hasSuffix(#": 1 {"boolValue":false}, 2 {"boolValue":true}"#), "\(whole)")
                #expect(Self.lines(roots[2])[0].hasSuffix(": "))
                let page = try HTTPCall.send(
                    "GET", "\(Self.endpoint):ruleCoverage.html", at: address)
                #expect(page.headers["content-type"] == "text/html; charset=utf-8")
                #expect(page.text.contains("isUser(id"))
                let again = try Self.report(at: address)
                #expect(
                    again["report"]?.elements.map { $0.flatMap { Self.lines($0) } }
                        == roots.flatMap { Self.lines($0) })
            }.value
        }
    }

    @Test func `a project without rules is told as open`() async throws {
        try await withEmulator { _, _, address in
            try await Task.detached {
                let answer = try HTTPCall.send(
                    "GET", "/emulator/v1/projects/other:ruleCoverage", at: address)
                let report = try JSONReader.read(answer.body)
                #expect(report["report"] == nil)
                #expect(report["rules"]?["files"]?.elements?[0]["name"]?.string == "OPEN_RULES")
            }.value
        }
    }

    @Test(.enabled(if: GoogleEmulator.isInstalled, Comment(rawValue: GoogleEmulator.absence)))
    func `Google's emulator tells the same expressions with the same values`() async throws {
        let google = try await GoogleEmulator.run { address in
            try await Task.detached { try Self.report(at: address) }.value
        }
        let ours = try await withEmulator { _, _, address in
            try await Task.detached { try Self.report(at: address) }.value
        }
        let theirs = (google["report"]?.elements ?? []).flatMap { Self.lines($0) }
        let found = (ours["report"]?.elements ?? []).flatMap { Self.lines($0) }
        #expect(theirs.count > 30)
        #expect(theirs.count == found.count)
        for (their, our) in zip(theirs, found) { #expect(their == our) }
    }
}
