import HearthModel
import HearthProtocol
import HearthRPC
import Testing

@testable import HearthEmulator

struct RESTRouteTests {
    private let base = "/v1/projects/p/databases/(default)/documents"

    private func route(_ verb: String, _ target: String, _ body: String = "") throws -> RESTRoute? {
        guard let target = HTTPTarget(target) else { return nil }
        return try RESTRoute(verb: verb, target: target, body: Array(body.utf8))
    }

    @Test func `paths and verbs name methods`() throws {
        #expect(try route("GET", base + "/c/a")?.method == .getDocument)
        #expect(try route("GET", base + "/c")?.method == .listDocuments)
        #expect(try route("GET", base + "/")?.method == .listDocuments)
        #expect(try route("GET", base) == nil)
        #expect(try route("POST", base + "/c")?.method == .createDocument)
        #expect(try route("POST", base) == nil)
        #expect(try route("PATCH", base + "/c/a")?.method == .updateDocument)
        #expect(try route("DELETE", base + "/c/a")?.method == .deleteDocument)
        #expect(try route("DELETE", base) == nil)
        #expect(try route("PUT", base + "/c/a") == nil)
        #expect(try route("POST", base + ":commit")?.method == .commit)
        #expect(try route("POST", base + "/c/a:commit")?.method == .createDocument)
        #expect(try route("POST", base + "/c/a:runQuery")?.method == .runQuery)
        // A collection is no parent: the method says so, and nobody makes a document.
        #expect(try route("POST", base + "/c:runQuery")?.method == .runQuery)
        #expect(try route("POST", base + "/c:listCollectionIds")?.method == .listCollectionIds)
        #expect(try route("POST", base + ":listen") == nil)
        #expect(try route("GET", base + "/c/a:commit")?.method == .getDocument)
        #expect(try route("GET", "/v2" + base.dropFirst(3) + "/c/a") == nil)
        #expect(try route("GET", "/v1beta1" + base.dropFirst(3) + "/c/a")?.method == .getDocument)
    }

    @Test func `parameters become fields, and others are passed over`() throws {
        let found = try #require(
            try route("GET", base + "/c/a?mask.fieldPaths=x&mask.fieldPaths=y&key=secret&mask=z"))
        #expect(
            found.request["mask"]
                == .object([.init(name: "fieldPaths", value: .array([.string("x"), .string("y")]))])
        )
        #expect(found.request.members?.count == 2)
    }

    @Test func `the path's name counts, not the body's`() throws {
        let body = #"{"name":"other","fields":{}}"#
        let found = try #require(try route("PATCH", base + "/c/a", body))
        #expect(found.request["document"]?["name"] == .string(String(base.dropFirst(4)) + "/c/a"))
    }

    @Test(arguments: ["x", "[]", "1", #"{"a":1"#])
    func `a body that is no object is refused`(body: String) {
        #expect(throws: JSONToProto.invalid) { try route("POST", base + ":commit", body) }
    }
}
