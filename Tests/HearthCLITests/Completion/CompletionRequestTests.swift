import Testing

@testable import HearthCLI

struct CompletionRequestTests {
    private func request(_ words: String..., index: Int? = nil, cursor: Int? = nil) throws
        -> CompletionRequest
    {
        let index = index ?? words.count - 1
        let cursor = cursor ?? words[index].unicodeScalars.count
        let arguments = ["---completion", "get", "--", "positional@0", "\(index)", "\(cursor)"]
        return try #require(CompletionRequest(arguments + words))
    }

    @Test func `the text before the cursor is what is typed`() throws {
        #expect(try request("hearth", "get", "rooms/ha").typed(in: .bash) == "rooms/ha")
        #expect(try request("hearth", "get", "rooms/hall", cursor: 7).typed(in: .bash) == "rooms/h")
        #expect(try request("hearth", "get", "", "--json", index: 2).typed(in: .zsh) == "")
        // Whoever cannot tell the place of the cursor says 0.
        #expect(try request("hearth", "get", "rooms", cursor: 0).typed(in: .bash) == "rooms")
    }

    @Test func `bash parts words at colons, so that nothing can be told of such a word`() throws {
        #expect(try request("hearth", "get", "rooms/a", ":", "b").typed(in: .bash) == nil)
        #expect(try request("hearth", "get", "rooms/a", ":").typed(in: .bash) == nil)
        #expect(try request("hearth", "get", "rooms/a", "::", "").typed(in: .bash) == nil)
        #expect(try request("hearth", "get", "rooms/a", "@", "b").typed(in: .bash) == nil)
        #expect(try request("hearth", "get", "--database", "=", "de").typed(in: .bash) == nil)
        #expect(try request("hearth", "get", "rooms/a:b").typed(in: .zsh) == "rooms/a:b")
    }

    @Test func `the daemon and the database are those of the line`() throws {
        let line = try request(
            "hearth", "get", "--socket", "'/a b'", "--database=demo/x", "--instance", "=", "i", "ro"
        )
        #expect(
            line.connection(in: .bash)
                == ["--socket", "/a b", "--database", "demo/x", "--instance", "i"])
        #expect(try request("hearth", "get", "--socket", "$(x)", "a").connection(in: .bash) == nil)
        // What is being typed says nothing yet.
        #expect(try request("hearth", "get", "--database", "de").connection(in: .bash) == [])
    }

    @Test(arguments: [
        [], ["get"], ["---completion"], ["---completion", "get", "--"],
        ["---completion", "get", "--", "positional@0", "x", "0", "hearth"],
        ["---completion", "get", "--", "positional@0", "7", "0", "hearth"],
        ["---completion", "get", "--", "positional@0", "0", "-1", "hearth"],
        ["---completion", "--", "positional@0", "0", "0"],
    ])
    func `what is no question is none`(arguments: [String]) {
        #expect(CompletionRequest(arguments) == nil)
    }

    @Test func `a word that no path is as long as is not looked at`() throws {
        let word = String(repeating: "a", count: 20_000)
        #expect(try request("hearth", "get", word).typed(in: .bash) == nil)
    }

    @Test(arguments: [
        (["get"], "positional@0", CompletionSubject.document),
        (["query"], "positional@0", .collection), (["listen"], "positional@0", .path),
        (["unpin"], "positional@0", .pin), (["wait"], "--pinned", .pin),
        (["get"], "--database", .database), (["queue", "list"], "--instance", .instance),
        (["queue", "show"], "positional@0", .batch), (["queue", "cancel"], "positional@0", .batch),
        (["dead-letters", "retry"], "--where", .batchCondition),
        (["rtdb", "keep"], "positional@0", .keptPlace),
        (["rtdb", "get"], "positional@0", .place), (["rtdb", "listen"], "positional@0", .place),
        (["rtdb", "update"], "positional@0", .place), (["rtdb", "export"], "positional@0", .place),
        (["rtdb", "import"], "positional@1", .place),
    ])
    func `an argument has its subject`(
        command: [String], argument: String, subject: CompletionSubject
    ) throws {
        let request = try #require(
            CompletionRequest(
                ["---completion"] + command + ["--", argument, "1", "0", "hearth", ""]))
        #expect(CompletionDesk.subject(of: request) == subject)
    }

    @Test func `an argument that there is not has none, and stops nothing`() throws {
        for words in [["burn", "--", "positional@0"], ["get", "--", "positional@9"]] {
            let request = try #require(
                CompletionRequest(["---completion"] + words + ["1", "0", "hearth", ""]))
            #expect(CompletionDesk.subject(of: request) == nil)
        }
    }
}
