import Glibc
import HearthEmulator
import HearthModel
import HearthTestSupport
import Logging
import Testing

/// What a web page can have its browser do with an emulator on a port, as it comes in bytes.
@Suite(.timeLimit(.minutes(1)))
struct WebPageTests {
    private static let base = "/emulator/v1/projects/spec"
    private static let documents = "/v1/\(RawClient.database)/documents"
    private static let evil = "https://evil.example"

    /// An answer's status and head.
    private struct Reply {
        let status: Int
        let text: String

        var isShared: Bool { text.lowercased().contains("access-control-allow-origin") }
    }

    /// Runs an emulator at a port, with a folder for files.
    private static func with(
        hosts: [String] = [], _ body: @Sendable (String, String) async throws -> Void
    ) async throws {
        let folder = TemporaryFolder()
        defer { folder.remove() }
        mkdir("\(folder.path)/files", 0o755)
        var configuration = EmulatorConfiguration(firestore: [.tcp(host: "127.0.0.1", port: 0)])
        configuration.filesFolder = "\(folder.path)/files"
        configuration.hostNames = hosts
        let emulator = try Emulator(
            configuration: configuration,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let ready = AsyncStream.makeStream(of: String.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { ready.continuation.finish() }
                try await emulator.run { ready.continuation.yield($0[0].description) }
            }
            var address = ""
            for await bound in ready.stream {
                address = bound
                break
            }
            defer { emulator.shutdown() }
            try await body(address, "\(folder.path)/files")
        }
    }

    private static func ask(
        _ verb: String, _ path: String, _ address: String, host: String = "localhost:8080",
        _ headers: [String] = [], _ body: String = ""
    ) async throws -> Reply {
        let lines =
            ["\(verb) \(path) HTTP/1.1", "host: \(host)", "content-length: \(body.utf8.count)"]
            + headers + ["connection: close"]
        let bytes = Array("\(lines.joined(separator: "\r\n"))\r\n\r\n\(body)".utf8)
        let answer = try await Task.detached {
            try HTTPConnection(to: address).exchange(bytes)
        }.value
        let text = String(decoding: answer, as: UTF8.self)
        return Reply(status: Int(text.split(separator: " ")[1]) ?? 0, text: text)
    }

    private static func transfer(_ folder: String, _ name: String = "all") -> String {
        #"{"database":"\#(RawClient.database)","export_directory":"\#(folder)","#
            + #""export_name":"\#(name)"}"#
    }

    @Test func `a name that a page led here is refused, for whatever it asks`() async throws {
        try await Self.with { address, _ in
            let made = try await Self.ask(
                "PATCH", "\(Self.documents)/c/a", address, [], #"{"fields":{}}"#)
            #expect(made.status == 200)
            for host in ["evil.example", "evil.example:8080", "localhost.evil.example", ""] {
                for (verb, path) in [
                    ("GET", "\(Self.documents)/c/a"), ("GET", "/"),
                    ("DELETE", "\(Self.base)/databases/(default)/documents"),
                    ("POST", "\(Self.base):export"),
                    ("GET", "/google.firestore.v1.Firestore/Listen/channel"),
                ] {
                    let reply = try await Self.ask(
                        verb, path, address, host: host, ["origin: http://\(host)"])
                    #expect(reply.status == 403, "\(host) \(verb) \(path)")
                    #expect(!reply.isShared)
                }
            }
            let left = try await Self.ask("GET", "\(Self.documents)/c/a", address)
            #expect(left.status == 200)
        }
    }

    @Test func `this machine's hosts are answered, and those that were named`() async throws {
        try await Self.with(hosts: ["firestore", "Dev.Example"]) { address, _ in
            for host in [
                "localhost", "127.0.0.1:8080", "[::1]:8080", "app.localhost", "firestore:8080",
                "dev.example",
            ] {
                let reply = try await Self.ask("GET", "/", address, host: host)
                #expect(reply.status == 200, "\(host)")
            }
            #expect(try await Self.ask("GET", "/", address, host: "firestore.evil").status == 403)
        }
    }

    @Test func `pages of every origin reach the database`() async throws {
        try await Self.with { address, _ in
            for origin in [Self.evil, "http://localhost:3000", "null"] {
                let asked = try await Self.ask(
                    "OPTIONS", "\(Self.documents)/c/a", address,
                    ["origin: \(origin)", "access-control-request-method: PATCH"])
                #expect(asked.status == 200 && asked.isShared)
                let made = try await Self.ask(
                    "PATCH", "\(Self.documents)/c/a", address,
                    ["origin: \(origin)", "sec-fetch-site: cross-site"], #"{"fields":{}}"#)
                #expect(made.status == 200 && made.isShared)
            }
        }
    }

    private static let helpers: [(String, String, String)] = [
        ("DELETE", "\(base)/databases/(default)/documents", ""),
        ("PUT", "\(base):securityRules", #"{"rules":{"files":[{"content":"service x {}"}]}}"#),
        ("POST", "/emulator/v1/hearth/faults", #"{"faults":[]}"#),
        ("DELETE", "/emulator/v1/hearth/faults", ""), ("GET", "\(base):ruleCoverage", ""),
        ("GET", "/emulator/v1/hearth/export?database=\(RawClient.database)", ""),
        ("POST", "/emulator/v1/hearth/import?database=\(RawClient.database)", "{}"),
    ]

    @Test func `a foreign page cannot look after the emulator, nor ask whether it may`()
        async throws
    {
        try await Self.with { address, _ in
            _ = try await Self.ask(
                "PATCH", "\(Self.documents)/c/a", address, [], #"{"fields":{}}"#)
            for (verb, path, body) in Self.helpers {
                for headers in [
                    ["origin: \(Self.evil)"], ["origin: null"], ["sec-fetch-site: cross-site"],
                    ["origin: http://localhost.evil.example"],
                    ["origin: http://localhost", "origin: \(Self.evil)"],
                ] {
                    let reply = try await Self.ask(
                        verb, path, address, headers + ["content-type: text/plain"], body)
                    #expect(reply.status == 403, "\(verb) \(path) \(headers)")
                    #expect(!reply.isShared)
                }
                let asked = try await Self.ask(
                    "OPTIONS", path, address,
                    ["origin: \(Self.evil)", "access-control-request-method: \(verb)"])
                #expect(asked.status == 403 && !asked.isShared)
            }
            let left = try await Self.ask("GET", "\(Self.documents)/c/a", address)
            #expect(left.status == 200)
        }
    }

    @Test func `tools and pages of this machine look after the emulator`() async throws {
        try await Self.with(hosts: ["dev.example"]) { address, _ in
            for headers in [
                [], ["origin: http://localhost:9876", "sec-fetch-site: same-site"],
                ["origin: http://127.0.0.1:3000", "sec-fetch-site: cross-site"],
                ["origin: https://dev.example"], ["sec-fetch-site: none"],
            ] {
                for (verb, path, body) in Self.helpers {
                    let reply = try await Self.ask(verb, path, address, headers, body)
                    #expect(reply.status != 403, "\(verb) \(path) \(headers)")
                }
            }
        }
    }

    @Test func `no page has files written or probed`() async throws {
        try await Self.with { address, folder in
            for word in ["export", "import"] {
                for headers in [
                    ["origin: \(Self.evil)"], ["origin: http://localhost:3000"],
                    ["sec-fetch-site: cross-site"], ["sec-fetch-site: same-origin"],
                ] {
                    let reply = try await Self.ask(
                        "POST", "\(Self.base):\(word)", address,
                        headers + ["content-type: text/plain"], Self.transfer(folder))
                    #expect(reply.status == 403, "\(word) \(headers)")
                    #expect(!reply.isShared)
                }
            }
            #expect(access("\(folder)/all.json", F_OK) != 0)
        }
    }

    @Test func `a program has files of the folder written and read, and no others`() async throws {
        try await Self.with { address, folder in
            _ = try await Self.ask(
                "PATCH", "\(Self.documents)/c/a", address, [], #"{"fields":{}}"#)
            let written = try await Self.ask(
                "POST", "\(Self.base):export", address, [], Self.transfer(folder))
            #expect(written.status == 200, "\(written.text)")
            #expect(access("\(folder)/all.json", F_OK) == 0)
            let read = try await Self.ask(
                "POST", "\(Self.base):import", address, [], Self.transfer(folder))
            #expect(read.status == 200)
            for (place, name) in [("/etc", "x"), ("\(folder)/..", "x"), (folder, "../x")] {
                for word in ["export", "import"] {
                    let reply = try await Self.ask(
                        "POST", "\(Self.base):\(word)", address, [], Self.transfer(place, name))
                    #expect(reply.status == 403, "\(word) \(place) \(name)")
                }
            }
            #expect(access("\(folder)/../x.json", F_OK) != 0)
        }
    }

    @Test func `an emulator without a folder for files touches none`() async throws {
        try await withEmulator { _, _, address in
            let folder = TemporaryFolder()
            defer { folder.remove() }
            let reply = try await Task.detached {
                try HTTPConnection(to: address).send(
                    "POST", "\(Self.base):export", body: Self.transfer(folder.path))
            }.value
            #expect(reply.status == 400)
            #expect(reply.text.contains("--files"))
            #expect(access("\(folder.path)/all.json", F_OK) != 0)
        }
    }
}
