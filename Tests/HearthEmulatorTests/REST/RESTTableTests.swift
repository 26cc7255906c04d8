import HearthModel
import HearthRPC
import HearthTestSupport
import Testing

@testable import HearthEmulator

/// Requests by REST in turn, with the answers of Google's emulator.
///
/// `Vectors/answers.json` holds both; `Vectors/ask-emulator.py` writes the answers anew. Where ours
/// differs, its answer stands there too, with a reason.
@Suite(.timeLimit(.minutes(2)))
struct RESTTableTests {
    private static func table() throws -> [JSONValue] {
        let folder = #filePath.prefix { _ in true }.split(separator: "/").dropLast()
        let bytes = try WholeFile.read("/\(folder.joined(separator: "/"))/Vectors/answers.json")
        return try #require(try JSONReader.read(bytes).elements)
    }

    @Test func `our emulator answers as written down`() async throws {
        try await withEmulator { _, _, address in
            try await Self.check(at: address) { $0["ours"] ?? $0["google"] }
        }
    }

    @Test(.enabled(if: GoogleEmulator.isInstalled, Comment(rawValue: GoogleEmulator.absence)))
    func `Google's emulator answers as written down`() async throws {
        try await GoogleEmulator.run { address in
            try await Self.check(at: address) { $0["google"] }
        }
    }

    @Test func `every difference has a reason, and every reason a difference`() throws {
        let table = try Self.table()
        #expect(table.count >= 100)
        for entry in table {
            let title = entry["title"]?.string ?? ""
            #expect((entry["ours"] == nil) == (entry["reason"] == nil), "\(title)")
            #expect(entry["ours"] != entry["google"], "\(title)")
        }
    }

    /// Asks everything, in order, and compares.
    private static func check(
        at address: String, _ expected: (JSONValue) -> JSONValue?
    ) async throws {
        var kept: [String: String] = [:]
        for entry in try table() {
            let wanted = expected(entry)
            // A server that never answers is not waited for.
            if wanted?["silent"] != nil { continue }
            let call = Call(entry, kept)
            let answer = try await Task.detached { try call.send(to: address) }.value
            let found = plain(answer, &kept)
            #expect(found == wanted.map(sorted), "\(call.title)")
        }
    }

    /// One request of the table.
    private struct Call: Sendable {
        let title: String
        let verb: String
        let path: String
        let authorization: String?
        let headers: [String: String]
        let body: String

        /// Reads an entry, with what earlier answers gave in its place.
        init(_ entry: JSONValue, _ kept: [String: String]) {
            func text(_ name: String) -> String {
                kept.reduce(entry[name]?.string ?? "") { text, known in
                    text.replacing("$\(known.key)", with: known.value)
                }
            }
            title = text("title")
            verb = text("verb")
            path = text("path")
            body = text("body")
            authorization = entry["authorization"]?.string
            var headers: [String: String] = [:]
            for header in entry["headers"]?.members ?? [] {
                headers[header.name] = header.value.string
            }
            self.headers = headers
        }

        func send(to address: String) throws -> HTTPConnection.Answer {
            try HTTPCall.send(
                verb, path, at: address, authorization: authorization, headers: headers, body: body)
        }
    }
}

/// What was answered, without what differs each time.
extension RESTTableTests {
    private static let headerNames = [
        "access-control-allow-headers", "access-control-allow-origin", "content-type",
    ]
    private static let timeNames: Set<String> = [
        "createTime", "updateTime", "readTime", "commitTime", "executionTime", "timestampValue",
    ]
    private static let keptNames: Set<String> = ["nextPageToken", "transaction"]

    private static func plain(
        _ answer: HTTPConnection.Answer, _ kept: inout [String: String]
    ) -> JSONValue {
        var members = [
            JSONValue.Member(name: "status", value: .integer(Int64(answer.status)))
        ]
        let json = try? JSONReader.read(answer.body)
        for name in headerNames {
            guard let value = answer.headers[name], json != nil || name != "content-type" else {
                continue
            }
            let first = value.prefix { $0 != ";" }
            members.append(.init(name: name, value: .string(String(first))))
        }
        if let json {
            members.append(.init(name: "json", value: plain(json, &kept, isResult: false)))
        } else {
            members.append(.init(name: "text", value: .string(answer.text)))
        }
        return sorted(.object(members))
    }

    private static func plain(
        _ json: JSONValue, _ kept: inout [String: String], isResult: Bool
    ) -> JSONValue {
        if let elements = json.elements {
            return .array(elements.map { plain($0, &kept, isResult: isResult) })
        }
        guard let members = json.members else { return json }
        var result: [JSONValue.Member] = []
        for member in members {
            var value = plain(
                member.value, &kept, isResult: isResult || member.name == "transformResults")
            if let text = member.value.string {
                if isTime(text), timeNames.contains(member.name),
                    isResult || member.name != "timestampValue"
                {
                    value = .string("(time)")
                } else if keptNames.contains(member.name) {
                    kept[member.name] = text
                    value = .string("(\(member.name))")
                } else if member.name == "name" {
                    value = .string(text.replacing(/\/auto\/[A-Za-z0-9]{20}$/, with: "/auto/(id)"))
                } else if member.name == "message" {
                    value = .string(
                        text.replacing(/stored version \(\d+\)/, with: "stored version (time)"))
                }
            }
            result.append(.init(name: member.name, value: value))
        }
        return .object(result)
    }

    private static func isTime(_ text: String) -> Bool {
        Timestamp(text) != nil && text.hasSuffix("Z")
    }

    /// The same with the members of every object in the order of their names.
    private static func sorted(_ json: JSONValue) -> JSONValue {
        if let elements = json.elements { return .array(elements.map(sorted)) }
        guard let members = json.members else { return json }
        return .object(
            members.map { .init(name: $0.name, value: sorted($0.value)) }.sorted {
                utf8Precedes($0.name, $1.name)
            })
    }
}
