import HearthModel
import HearthRPC
import HearthTestSupport
import Testing

@testable import HearthEmulator

/// What Firebase's tools and servers ask of REST beside plain reads and writes.
@Suite(.timeLimit(.minutes(1)))
struct RealtimeToolTests {
    private static func send(
        _ address: String, _ method: String, _ target: String, _ headers: [String] = [],
        _ body: String = ""
    ) async throws -> HTTPConnection.Answer {
        try await Task.detached {
            try HTTPConnection(to: address).send(method, target, headers: headers, body: body)
        }.value
    }

    @Test func `rules are told without comments to who asks so, and a dry run only checks`()
        async throws
    {
        let rules = #"{"rules":{/* all */".read":true}}"#
        try await withEmulator { _, address in
            let admin = RealtimeClient(address: address).admin
            _ = try await admin.text("PUT", "/.settings/rules", [], rules)
            let strict = try await admin.text("GET", "/.settings/rules", ["format=strict"])
            let plain = try JSONReader.read(Array(#"{"rules":{".read":true}}"#.utf8))
            #expect(try JSONReader.read(Array(strict.utf8)) == plain)
            let dry = ["dryRun=true"]
            let checked = try await admin.text(
                "PUT", "/.settings/rules", dry, #"{"rules":{".write":false}}"#)
            #expect(checked == #"{"status":"ok"}"#)
            let wrong = try await admin.send(
                "PUT", "/.settings/rules", dry, #"{"rules":{".read":"5"}}"#)
            #expect(wrong.status == 400)
            #expect(wrong.text.hasPrefix(#"{"error":"1:"#))
            #expect(try await admin.text("GET", "/.settings/rules") == rules)
        }
    }

    @Test func `a tree is brought in, looked at and taken out`() async throws {
        let tree = #"{"a":{".priority":3,"b":1},"c":2}"#
        try await withEmulator { _, address in
            let client = RealtimeClient(address: address)
            let brought = try await client.send(
                "PUT", "/", ["disableTriggers=true", "writeSizeLimit=unlimited", "print=silent"],
                tree)
            #expect(brought.status == 204)
            let first = try await client.text("GET", "/", ["shallow=true", "limitToFirst=1"])
            #expect(first == #"{"a":true}"#)
            let rest = try await client.text(
                "GET", "/", ["shallow=true", "startAfter=a", "timeout=10s"])
            #expect(rest == #"{"c":true}"#)
            #expect(try await client.text("GET", "/", ["format=export"]) == tree)
            // Of a path and of a path with a slash at its end the same is told.
            let slashed = try await Self.send(address, "GET", "/a/.json?ns=demo")
            #expect(slashed.text == #"{"b":1}"#)
            // Whether a caller may read can be asked without reading.
            let silent = try await client.send("GET", "/a", ["print=silent"])
            #expect(silent.status == 204 && silent.body == [])
        }
    }

    @Test func `a tree that nobody has made is there, empty, once it is named`() async throws {
        try await withEmulator { _, address in
            let found = try await Self.send(address, "GET", "/.json?ns=never-made")
            #expect(found.status == 200 && found.text == "null")
            let names = try await Self.send(address, "GET", "/.inspect/databases.json?ns=demo")
            #expect(names.text.contains(#"{"name":"never-made"}"#))
        }
    }

    @Test func `a tree may be larger than a request of Firestore`() async throws {
        let text = String(repeating: "x", count: 6 << 20)
        let tree = #"{"a":"\#(text)","b":"\#(text)"}"#
        #expect(tree.utf8.count > ConnectionLimits.bodyByteCountMax)
        try await withEmulator { _, address in
            let client = RealtimeClient(address: address)
            let brought = try await client.send("PUT", "/", ["print=silent"], tree)
            #expect(brought.status == 204)
            let names = try await client.text("GET", "/", ["shallow=true"])
            #expect(names == #"{"a":true,"b":true}"#)
            let refused = try await Self.send(
                address, "POST", "/v1/projects/demo/databases/(default)/documents:commit", [],
                tree)
            #expect(refused.status == 400)
            #expect(refused.text.contains("exceeds the limit"))
        }
    }

    @Test func `a method may stand in a parameter, too`() async throws {
        try await withEmulator { _, address in
            let client = RealtimeClient(address: address)
            _ = try await client.text("PUT", "/a", [], #"{"b":1,"c":2}"#)
            let name = "x-http-method-override"
            let patched = try await client.text(
                "POST", "/a", ["\(name)=PATCH"], #"{"c":null,"d":3}"#)
            #expect(patched == #"{"c":null,"d":3}"#)
            #expect(try await client.text("GET", "/a") == #"{"b":1,"d":3}"#)
            #expect(try await client.text("POST", "/a", ["\(name)=DELETE"]) == "null")
            #expect(try await client.text("GET", "/a") == "null")
        }
    }

    @Test func `any server's token is an admin's, and another scheme is nobody's`() async throws {
        try await withEmulator { _, address in
            let nobody = RealtimeClient(address: address)
            _ = try await nobody.admin.text("PUT", "/.settings/rules", [], #"{"rules":{}}"#)
            let bearer = RealtimeClient(
                address: address, headers: ["authorization: Bearer ya29.anything"])
            #expect(try await bearer.text("PUT", "/a", [], "1") == "1")
            #expect(try await nobody.text("GET", "/a", ["access_token=ya29.anything"]) == "1")
            #expect(try await nobody.text("GET", "/a", ["auth=owner"]) == "1")
            let other = RealtimeClient(address: address, headers: ["authorization: Basic b3duZXI="])
            for client in [nobody, other] {
                #expect(try await client.send("GET", "/a").status == 401)
            }
        }
    }

    @Test func `a host of three labels names the tree, unless the address names one`() async throws
    {
        let host = ["host: mine.database.example"]
        try await withEmulator { _, address in
            let put = try await Self.send(address, "PUT", "/a.json", host, "1")
            #expect(put.status == 200)
            let named = try await Self.send(address, "GET", "/a.json?ns=mine")
            #expect(named.text == "1")
            let other = try await Self.send(address, "GET", "/a.json?ns=other", host)
            #expect(other.text == "null")
        }
    }

    @Test func `whether triggers are checked strictly is kept as it was put`() async throws {
        try await withEmulator { _, address in
            let admin = RealtimeClient(address: address).admin
            let name = "/.settings/strictTriggerValidation"
            let first = try await admin.text("GET", name)
            let put = try await admin.text("PUT", name, [], "false")
            let second = try await admin.text("GET", name)
            let wrong = try await admin.send("PUT", name, [], #""no""#)
            #expect([first, put, second] == ["true", "false", "false"])
            #expect(wrong.status == 400)
        }
    }
}
