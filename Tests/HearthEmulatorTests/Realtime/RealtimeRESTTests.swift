import HearthModel
import HearthTestSupport
import Testing

@testable import HearthEmulator

/// The Realtime Database by REST, over a socket that Firestore shares.
@Suite(.timeLimit(.minutes(1)))
struct RealtimeRESTTests {
    private static let denyAll = #"{"rules":{}}"#

    /// A token of nobody's making: `{"alg":"none"}`, claims, no signature.
    private static func token(_ claims: String) -> String {
        [#"{"alg":"none"}"#, claims, ""].map { Base64.encodeForLinks(Array($0.utf8)) }
            .joined(separator: ".")
    }

    @Test func `every verb does what it says`() async throws {
        try await withEmulator { _, address in
            let client = RealtimeClient(address: address)
            #expect(try await client.text("GET", "/a") == "null")
            #expect(
                try await client.text("PUT", "/a", [], #"{"b":1,"c":"x"}"#) == #"{"b":1,"c":"x"}"#)
            #expect(try await client.text("GET", "/a/b") == "1")
            #expect(
                try await client.text("PATCH", "/a", [], #"{"b":null,"d/e":true}"#)
                    == #"{"b":null,"d/e":true}"#)
            #expect(try await client.text("GET", "/") == #"{"a":{"c":"x","d":{"e":true}}}"#)
            let pushed = try await client.text("POST", "/list", [], "5")
            #expect(pushed.hasPrefix(#"{"name":"-"#))
            #expect(try await client.text("GET", "/list", ["shallow=true"]).hasSuffix("\":true}"))
            #expect(try await client.text("DELETE", "/list") == "null")
            #expect(try await client.text("GET", "/list") == "null")
            let override = try await client.send(
                "POST", "/a", [], "7", headers: ["x-http-method-override: PUT"])
            #expect(override.text == "7")
        }
    }

    @Test func `a priority has a path of its own, and a stream has none`() async throws {
        try await withEmulator { _, address in
            let client = RealtimeClient(address: address)
            _ = try await client.text("PUT", "/a", [], #"{".value":1,".priority":2}"#)
            #expect(try await client.text("GET", "/a/.priority") == "2")
            #expect(try await client.text("PUT", "/a/.priority", [], #""x""#) == #""x""#)
            #expect(try await client.text("GET", "/a/.priority") == #""x""#)
            let stream = try await client.send(
                "GET", "/a/.priority", headers: ["accept: text/event-stream"])
            #expect(stream.status == 400)
        }
    }

    @Test func `an answer looks as it is asked to`() async throws {
        try await withEmulator { _, address in
            let client = RealtimeClient(address: address)
            let value = #"{"a":{".value":1,".priority":2},"b":{"c":[1,2]}}"#
            let silent = try await client.send("PUT", "/x", ["print=silent"], value)
            #expect(silent.status == 204)
            #expect(silent.body == [])
            #expect(try await client.text("GET", "/x") == #"{"a":1,"b":{"c":[1,2]}}"#)
            let pretty = try await client.text("GET", "/x/b", ["print=pretty"])
            #expect(pretty == "{\n  \"c\" : [ 1, 2 ]\n}")
            let export = try await client.text("GET", "/x/a", ["format=export"])
            #expect(export == #"{".value":1,".priority":2}"#)
            let answer = try await client.send(
                "GET", "/x", [], headers: ["origin: http://somewhere.example"])
            #expect(answer.headers["content-type"] == "application/json; charset=utf-8")
            #expect(answer.headers["cache-control"] == "no-cache")
            #expect(answer.headers["access-control-allow-origin"] == "http://somewhere.example")
        }
    }

    @Test func `a hash guards what is written and saves what is known`() async throws {
        try await withEmulator { _, address in
            let client = RealtimeClient(address: address)
            let absent = try await client.send(
                "GET", "/a", headers: ["x-firebase-etag: true"])
            #expect(absent.headers["etag"] == "null_etag")
            _ = try await client.text("PUT", "/a", [], "4")
            let known = try await client.send("GET", "/a", headers: ["if-none-match: x"])
            let tag = try #require(known.headers["etag"])
            #expect(tag == "eVih19a6ZDz3NL32uVBtg9KSgQY=")
            let same = try await client.send("GET", "/a", headers: ["if-none-match: \(tag)"])
            #expect(same.status == 304)
            let stale = try await client.send("PUT", "/a", [], "5", headers: ["if-match: x"])
            #expect(stale.status == 412)
            #expect(stale.text == "4")
            #expect(stale.headers["etag"] == tag)
            let put = try await client.send("PUT", "/a", [], "5", headers: ["if-match: \(tag)"])
            #expect(put.status == 200)
            #expect(try await client.text("GET", "/a") == "5")
        }
    }

    @Test func `rules hold for all but admins`() async throws {
        try await withEmulator { _, address in
            let client = RealtimeClient(address: address)
            let rules = #"{"rules":{"u":{"$id":{".read":"$id === auth.uid",".write":false}}}}"#
            #expect(try await client.send("PUT", "/.settings/rules", [], rules).status == 401)
            let done = try await client.admin.text("PUT", "/.settings/rules", [], rules)
            #expect(done == #"{"status":"ok"}"#)
            #expect(try await client.admin.text("GET", "/.settings/rules") == rules)
            let denied = try await client.send("GET", "/u/ann")
            #expect(denied.status == 401)
            #expect(denied.text == #"{"error":"Permission denied"}"#)
            #expect(try await client.admin.text("PUT", "/u/ann", [], "1") == "1")
            let ann = Self.token(#"{"sub":"ann"}"#)
            #expect(try await client.text("GET", "/u/ann", ["auth=\(ann)"]) == "1")
            #expect(try await client.send("GET", "/u/bob", ["auth=\(ann)"]).status == 401)
            #expect(try await client.send("PUT", "/u/ann", ["auth=\(ann)"], "2").status == 401)
            let asAnn = "auth_variable_override=%7B%22uid%22%3A%22ann%22%7D"
            #expect(try await client.admin.text("GET", "/u/ann", [asAnn]) == "1")
            let nobody = "auth_variable_override=null"
            #expect(try await client.admin.send("GET", "/u/ann", [nobody]).status == 401)
            let old = Self.token(#"{"sub":"ann","exp":1}"#)
            let ended = try await client.send("GET", "/u/ann", ["auth=\(old)"])
            #expect(ended.status == 401)
            #expect(ended.text == #"{"error":"Auth token is expired"}"#)
            let wrong = try await client.admin.send(
                "PUT", "/.settings/rules", [], #"{"rules":{".read":"5"}}"#)
            #expect(wrong.status == 400)
            #expect(wrong.text.hasPrefix(#"{"error":"1:"#))
            // As the service has it: one line, with its end.
            let text = try JSONReader.read(wrong.body)["error"]?.string ?? ""
            #expect(text.hasSuffix("\n") && !text.hasSuffix("\n\n"))
            #expect(try await client.admin.text("GET", "/.settings/rules") == rules)
        }
    }

    @Test func `settings and what there is can be asked for`() async throws {
        try await withEmulator { _, address in
            let admin = RealtimeClient(address: address).admin
            let name = "/.settings/defaultWriteSizeLimit"
            let usual = try await admin.text("GET", name)
            #expect(usual == #""large""#)
            #expect(try await admin.text("PUT", name, [], #""small""#) == #""small""#)
            #expect(try await admin.text("GET", name) == #""small""#)
            #expect(try await admin.send("PUT", name, [], "3").status == 400)
            #expect(
                try await admin.text("GET", "/.inspect/databases") == #"[{"name":"demo"}]"#)
            #expect(try await admin.send("GET", "/.settings/other").status == 404)
            #expect(try await admin.text("GET", "/.inspect/coverage").contains(".read"))
            let page = try await Task.detached {
                try HTTPConnection(to: address).send("GET", "/.inspect/coverage?ns=demo")
            }.value
            #expect(page.headers["content-type"] == "text/html; charset=utf-8")
            #expect(page.status == 200)
        }
    }

    @Test func `what cannot be is refused, and the next is answered`() async throws {
        try await withEmulator { _, address in
            let client = RealtimeClient(address: address)
            let deep =
                String(repeating: #"{"a":"#, count: 40) + "1" + String(repeating: "}", count: 40)
            for body in ["{", #"{"a.b":1}"#, #"{"":1}"#, "NaN", deep] {
                #expect(try await client.send("PUT", "/x", [], body).status == 400, "\(body)")
            }
            for path in ["/a%23b", "/a%5Bb", "/" + String(repeating: "a/", count: 40) + "b"] {
                #expect(try await client.send("GET", path).status == 400, "\(path)")
            }
            #expect(try await client.send("GET", "/x", ["startAt=1"]).status == 400)
            #expect(try await client.send("PATCH", "/x", [], #"{"a":1,"a/b":2}"#).status == 400)
            let unreadable = try await client.send("PUT", "/x", [], "{")
            #expect(
                try JSONReader.read(unreadable.body)["error"]?.string
                    == "Invalid data; couldn't parse JSON object, array, or value.")
            let list = try await client.send("PATCH", "/x", [], "[1]")
            #expect(list.status == 400)
            #expect(
                try JSONReader.read(list.body)["error"]?.string
                    == "Invalid data; couldn't parse JSON object. Are you sending a JSON object "
                    + "with valid key names?")
            let place = try await client.send("GET", "/a%23b")
            #expect(place.text == #"{"error":"Invalid path: Invalid token in path"}"#)
            let nameless = try await Task.detached {
                try HTTPConnection(to: address).send("GET", "/x.json")
            }.value
            #expect(nameless.status == 400)
            #expect(try await client.text("GET", "/x") == "null")
        }
    }

    @Test func `a query of REST needs the index that rules name`() async throws {
        try await withEmulator { _, address in
            let client = RealtimeClient(address: address)
            _ = try await client.text(
                "PUT", "/d", [], #"{"a":{"h":3},"b":{"h":1},"c":{"h":2}}"#)
            let order = "orderBy=%22h%22"
            let refused = try await client.send("GET", "/d", [order])
            #expect(refused.status == 400)
            #expect(refused.text.contains("Index not defined"))
            _ = try await client.admin.text(
                "PUT", "/.settings/rules", [],
                #"{"rules":{".read":true,"d":{".indexOn":"h"}}}"#)
            #expect(
                try await client.text("GET", "/d", [order, "limitToFirst=2"])
                    == #"{"b":{"h":1},"c":{"h":2}}"#)
            #expect(
                try await client.text("GET", "/d", [order, "startAt=3"]) == #"{"a":{"h":3}}"#)
        }
    }

    @Test func `what was answered is there after a restart`() async throws {
        let folder = TemporaryFolder()
        defer { folder.remove() }
        let rules = #"{"rules":{".read":true}}"#
        try await withEmulator(dataFolder: folder.path) { _, address in
            let client = RealtimeClient(address: address)
            #expect(try await client.text("PUT", "/a/b", [], #"{"c":1}"#) == #"{"c":1}"#)
            _ = try await client.admin.text("PUT", "/.settings/rules", [], rules)
        }
        try await withEmulator(dataFolder: folder.path) { _, address in
            let client = RealtimeClient(address: address)
            let kept = try await client.text("GET", "/")
            #expect(kept == #"{"a":{"b":{"c":1}}}"#)
            #expect(try await client.admin.text("GET", "/.settings/rules") == rules)
            #expect(try await client.send("PUT", "/a", [], "1").status == 401)
        }
    }

    @Test func `Firestore is served on the same port as before`() async throws {
        try await withEmulator { _, firestore, address in
            try await firestore.set(["c/a": 1])
            let root = "/v1/\(RawClient.database)/documents"
            let answer = try await Task.detached {
                try HTTPConnection(to: address).send("GET", "\(root)/c/a.json")
            }.value
            #expect(answer.status == 404)
            #expect(answer.text.contains("NOT_FOUND"))
            #expect(try await RealtimeClient(address: address).text("GET", "/v1/x") == "null")
        }
    }
}
