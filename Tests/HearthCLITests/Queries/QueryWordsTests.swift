import ArgumentParser
import Testing

@testable import HearthCLI

struct QueryWordsTests {
    private func text(_ words: [String]) throws -> String {
        try #require(try UnpinCommand.parse(words).typedQuery)
    }

    @Test(arguments: [
        (["sub", "--group"], "sub --group"),
        (
            ["q", "--where", "n>5", "--order", "n:asc", "--limit", "3"],
            "q --where 'n > 5' --order n --limit 3"
        ),
        (["/rooms/", "--where", "tag in [\"a\",1]"], #"rooms --where 'tag in ["a", 1]'"#),
        (["q", "--where", "a = it's"], #"q --where 'a == "it'\''s"'"#),
        (["q", "--order", "n:desc", "--limit-to-last", "2"], "q --order n:desc --limit-to-last 2"),
        (
            ["q", "--order", "n", "--start-at", "-5", "--end-before", "x y"],
            #"q --order n --start-at -5 --end-before '"x y"'"#
        ),
    ])
    func `a query has one text, and the text is the query's words`(words: [String], line: String)
        throws
    {
        #expect(try text(words) == line)
        let again = try #require(ShellText.words(line))
        #expect(try text(again) == line)
        #expect(PinNames.argument(line) == line)
    }

    @Test(arguments: [
        ("lit", "lit"), ("|cg:sub|f:|ob:__name__asc|lt:F", "'|cg:sub|f:|ob:__name__asc|lt:F'"),
        ("a b", "'a b'"), ("rooms  --group", "'rooms  --group'"), ("it's", #"'it'\''s'"#),
        ("rooms --limit", "'rooms --limit'"),
    ])
    func `any other name is one word`(name: String, argument: String) {
        #expect(PinNames.argument(name) == argument)
        #expect(ShellText.words(argument) == [name])
    }

    @Test(arguments: ["'a", "a\\"])
    func `a line with an open quote has no words`(line: String) {
        #expect(ShellText.words(line) == nil)
    }

    @Test(arguments: [
        ["rooms", "halls", "--group"], ["rooms/hall", "--limit", "2"], ["--group"],
    ])
    func `conditions stand beside one collection`(words: [String]) {
        #expect(throws: (any Error).self) { try UnpinCommand.parse(words) }
    }
}
