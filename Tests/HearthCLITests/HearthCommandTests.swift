import Testing

@testable import HearthCLI

struct HearthCommandTests {
    @Test func `a word that is no command is told as such`() throws {
        let complaint = try #require(HearthCommand.complaint(about: ["count", "rooms"]))
        #expect(complaint.contains(#"no command "count""#))
        #expect(complaint.contains("hearth help"))
    }

    @Test(arguments: [["get", "rooms/hall"], ["help", "get"], ["--help"], [], ["dead-letters"]])
    func `commands, options and nothing are left to the parser`(words: [String]) {
        #expect(HearthCommand.complaint(about: words) == nil)
    }
}
