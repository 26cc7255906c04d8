import HearthBackend
import HearthEngine
import HearthModel
import HearthSQLite
import HearthTestSupport
import Testing

@testable import HearthEmulator

struct RealtimeKeeperTests {
    private let folder = TemporaryFolder()

    private func keeper() throws -> RealtimeKeeper { try RealtimeKeeper(folder: folder.path) }

    private func place(_ text: String) throws -> WritePath { try #require(WritePath(text)) }

    @Test func `what was saved is there again, with priorities, rules and settings`() throws {
        let name = try #require(RealtimeNamespace("demo"))
        let empty = try #require(RealtimeNamespace("empty"))
        var settings = NamespaceSettings()
        settings.defaultWriteSizeLimit = .small
        settings.strictTriggerValidation = false
        let first = try keeper()
        try first.save([
            (name, .node(try place("/"), try Node(json: #"{"a":{"b":1,"c":"x"},"ab":true}"#))),
            (name, .node(try place("/a/b"), try Node(json: #"{".value":2.5,".priority":"p"}"#))),
            (name, .node(try place("/a/.priority"), Node(7))),
            (name, .node(try place("/ab/.priority"), Node(8))),
            (empty, .rules(#"{"rules":{}}"#)), (empty, .settings(settings)),
        ])
        first.close()
        let kept = try keeper().namespaces()
        #expect(kept.map(\.namespace) == [name, empty])
        let expected = try Node(
            json: #"{"a":{".priority":7,"b":{".value":2.5,".priority":"p"},"c":"x"},"#
                + #""ab":{".value":true,".priority":8}}"#)
        #expect(kept.first?.root == expected)
        #expect(kept.first?.rules == nil)
        #expect(kept.last?.rules == #"{"rules":{}}"#)
        #expect(kept.last?.settings == settings)
    }

    @Test func `a node takes the place of all that was at and below it, and of nothing else`()
        throws
    {
        let name = try #require(RealtimeNamespace("demo"))
        let first = try keeper()
        try first.save([
            (name, .node(try place("/"), try Node(json: #"{"a":{"x":{"y":1}},"a!":2,"b":3}"#)))
        ])
        try first.save([(name, .node(try place("/a"), Node(4)))])
        try first.save([(name, .node(try place("/b"), Node.empty))])
        try first.save([(name, .node(try place("/a/.priority"), Node(1)))])
        try first.save([(name, .node(try place("/a/.priority"), Node.empty))])
        first.close()
        #expect(try keeper().namespaces().first?.root == Node(json: #"{"a":4,"a!":2}"#))
    }

    @Test func `a file of a newer version is left alone`() throws {
        let file = try KeptFile(path: "\(folder.path)/\(RealtimeKeeper.fileName)")
        try file.use { connection throws(StoreError) in
            try connection.execute("PRAGMA user_version = 99")
        }
        file.close()
        let error = #expect(throws: HearthError.self) { _ = try keeper() }
        #expect(error?.code == .failedPrecondition)
    }
}
