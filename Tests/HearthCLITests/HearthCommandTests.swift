import Testing

@testable import HearthCLI

struct HearthCommandTests {
    @Test(arguments: [["count", "rooms"], ["help", "count"]])
    func `a word that is no command is told as such`(words: [String]) throws {
        let complaint = try #require(HearthCommand.complaint(about: words))
        #expect(complaint.contains(#"no command "count""#))
        #expect(complaint.contains("hearth help"))
    }

    @Test func `a word that is no text is told, before two names become one`() throws {
        let broken: [CChar] = [0x61, -1, -2, 0x62, 0]
        let complaint = try broken.withUnsafeBufferPointer { word in
            CommandLineTool.complaint(about: [try #require(word.baseAddress)])
        }
        #expect(complaint?.hasPrefix("\"a\u{FFFD}\u{FFFD}b\" is not UTF-8.") == true)
        "größe".withCString { #expect(CommandLineTool.complaint(about: [$0]) == nil) }
        #expect(CommandLineTool.complaint(about: []) == nil)
    }

    @Test(arguments: [
        ["get", "rooms/hall"], ["help", "get"], ["help"], ["--help"], [], ["dead-letters"],
    ])
    func `commands, options and nothing are left to the parser`(words: [String]) {
        #expect(HearthCommand.complaint(about: words) == nil)
    }
}
