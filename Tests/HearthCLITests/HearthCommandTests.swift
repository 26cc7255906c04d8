import Testing

@testable import HearthCLI

struct HearthCommandTests {
    @Test(arguments: [["count", "rooms"], ["help", "count"]])
    func `a word that is no command is told as such`(words: [String]) throws {
        let complaint = try #require(HearthCommand.complaint(about: words))
        #expect(complaint.contains(#"no command "count""#))
        #expect(complaint.contains("hearth help"))
    }

    @Test(arguments: [
        ["get", "rooms/hall"], ["help", "get"], ["help"], ["--help"], [], ["dead-letters"],
    ])
    func `commands, options and nothing are left to the parser`(words: [String]) {
        #expect(HearthCommand.complaint(about: words) == nil)
    }
}
