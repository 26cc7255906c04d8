import HearthBackend
import HearthModel
import HearthTestSupport
import Testing

@testable import HearthEmulator

struct ExportFolderTests {
    private static let tree = #"{"a":{".priority":3,"b":1},"c":"é"}"#

    private func write(_ text: String, to path: String) throws {
        try WholeFile.write(Array(text.utf8), to: path)
    }

    @Test func `trees and documents go out at the end and come in at the start`() async throws {
        let folder = TemporaryFolder()
        defer { folder.remove() }
        let export = "\(folder.path)/export"
        try await withEmulator(configure: { $0.exportPath = export }) { _, address in
            let client = RealtimeClient(address: address)
            _ = try await client.text("PUT", "/", [], Self.tree)
            let document = #"{"fields":{"n":{"integerValue":"1"}}}"#
            _ = try await Task.detached {
                try HTTPConnection(to: address).send(
                    "PATCH", "/v1/projects/demo/databases/(default)/documents/c/a",
                    headers: ["authorization: Bearer owner"], body: document)
            }.value
        }
        let metadata = try JSONReader.read(
            try WholeFile.read("\(export)/firebase-export-metadata.json"))
        #expect(metadata["database"]?["path"]?.string == "database_export")
        let file = try WholeFile.read("\(export)/database_export/demo.json")
        #expect(String(decoding: file, as: UTF8.self) == Self.tree)
        try await withEmulator(configure: { $0.imports = [export] }) { _, address in
            let client = RealtimeClient(address: address)
            #expect(try await client.text("GET", "/", ["format=export"]) == Self.tree)
            let document = try await Task.detached {
                try HTTPConnection(to: address).send(
                    "GET", "/v1/projects/demo/databases/(default)/documents/c/a")
            }.value
            #expect(document.status == 200)
        }
    }

    @Test func `a seed fills empty trees alone, an import replaces what is there`() async throws {
        let folder = TemporaryFolder()
        defer { folder.remove() }
        let (seed, data) = ("\(folder.path)/seed", "\(folder.path)/data")
        let namespaces = try ["demo", "other"].map { try #require(RealtimeNamespace($0)) }
        try ExportFolder(trees: namespaces.map { ($0, Node(.integer(1))) }, documents: nil)
            .write(to: seed)
        try await withEmulator(dataFolder: data) { _, address in
            _ = try await RealtimeClient(address: address).text("PUT", "/", [], "2")
        }
        try await withEmulator(dataFolder: data, configure: { $0.seeds = [seed] }) { _, address in
            let client = RealtimeClient(address: address)
            #expect(try await client.text("GET", "/") == "2")
            let databases = try await client.text("GET", "/.inspect/databases")
            #expect(databases == #"[{"name":"demo"},{"name":"other"}]"#)
        }
        try await withEmulator(dataFolder: data, configure: { $0.imports = [seed] }) {
            _, address in
            let imported = try await RealtimeClient(address: address).text("GET", "/")
            #expect(imported == "1")
        }
    }

    @Test func `a file may hold more than one commit can, and is imported whole or not at all`()
        async throws
    {
        let folder = TemporaryFolder()
        defer { folder.remove() }
        let seed = "\(folder.path)/seed.json"
        let text = String(repeating: "x", count: 1_000_000)
        let documents = (0..<12).map { #""c/d\#($0)":{"text":"\#(text)"}"# }
        try write("{\(documents.joined(separator: ","))}", to: seed)
        let owner = ["authorization: Bearer owner"]
        let list = "/v1/\(RawClient.database)/documents/c?mask.fieldPaths=n"
        let database = try EmulatorConfiguration.database(RawClient.database)
        let seeded = try await withEmulator(
            configure: {
                $0.seeds = [seed]
                $0.database = database
            },
            { _, address in
                try await Task.detached {
                    try HTTPConnection(to: address).send("GET", list, headers: owner)
                }.value
            })
        #expect(seeded.text.split(separator: "\"updateTime\"").count == 13)
        let tooLarge = #""c/e":{"text":"\#(text)\#(text)"}"#
        let refused = "{\((documents.prefix(3) + [tooLarge]).joined(separator: ","))}"
        let load = "/emulator/v1/hearth/import?database=\(RawClient.database)"
        let replies = try await withEmulator { _, address in
            try await Task.detached {
                let connection = try HTTPConnection(to: address)
                let reply = try connection.send("POST", load, headers: owner, body: refused)
                return [reply, try connection.send("GET", list, headers: owner)]
            }.value
        }
        #expect(replies.map(\.status) == [400, 200])
        #expect(replies.last?.text.contains("updateTime") == false)
    }

    @Test func `a folder of Firebase's tools is read, but for what only Google's emulator reads`()
        throws
    {
        let folder = TemporaryFolder()
        defer { folder.remove() }
        try ExportFolder(trees: [], documents: nil).write(to: folder.path)
        try write(#"{"x":1}"#, to: "\(folder.path)/database_export/my-app.json")
        let metadata = "\(folder.path)/firebase-export-metadata.json"
        let database = #""database":{"version":"4.11.2","path":"database_export"}"#
        try write(#"{"version":"13.0.0",\#(database)}"#, to: metadata)
        let read = try ExportFolder(reading: folder.path)
        #expect(read.trees.map(\.namespace.name) == ["my-app"])
        #expect(read.trees.first?.root.description == #"{"x":1}"#)
        let firestore = #""firestore":{"version":"1.19.8","path":"firestore_export"}"#
        try write(#"{"version":"13.0.0",\#(firestore),\#(database)}"#, to: metadata)
        let error = #expect(throws: HearthError.self) { try ExportFolder(reading: folder.path) }
        #expect(error?.message.contains("Google's emulator") == true)
    }

    @Test(arguments: [
        (#"{"database":{"path":"../.."}}"#, "a part has no \"path\""),
        (#"{"database":{"path":".."}}"#, "a part has no \"path\""), ("{", "metadata.json"),
        (#"{"database":{"path":"database_export"}}"#, "bad.json"),
    ])
    func `what is no export says which file is wrong`(metadata: String, reason: String) throws {
        let folder = TemporaryFolder()
        defer { folder.remove() }
        try ExportFolder(trees: [], documents: nil).write(to: folder.path)
        try write("{", to: "\(folder.path)/database_export/bad.json")
        try write(metadata, to: "\(folder.path)/firebase-export-metadata.json")
        let error = #expect(throws: HearthError.self) { try ExportFolder(reading: folder.path) }
        #expect(error?.message.contains(reason) == true, "\(String(describing: error))")
    }

    @Test func `a path that ends in .json gets the documents alone`() async throws {
        let folder = TemporaryFolder()
        defer { folder.remove() }
        let path = "\(folder.path)/documents.json"
        try await withEmulator(configure: { $0.exportPath = path }) { _, _ in }
        #expect(try WholeFile.read(path) == Array(#"{"documents":[]}"#.utf8))
    }
}
