import ArgumentParser
import HearthModel
import HearthWire
import Testing

@testable import HearthCLI
@testable import Hearth

struct ChildQueryTextTests {
    @Test(arguments: [
        (#"{"i":"v","l":2,"vf":"r"}"#, "--order-by v --limit-to-last 2"),
        (#"{"l":3,"vf":"l"}"#, "--limit-to-first 3"),
        (
            #"{"ep":"9","ein":true,"i":".key","sin":true,"sp":"5"}"#,
            #"--order-by .key --start-at '"5"' --end-at '"9"'"#
        ),
        (
            #"{"i":"a/b","sin":false,"sn":"[MAX_NAME]","sp":1.5,"ein":false,"en":"[MIN_NAME]","ep":"x"}"#,
            "--order-by a/b --start-after 1.5 --end-before x"
        ),
        (
            #"{"ein":true,"ep":"it's","i":".value","sin":true,"sp":"it's"}"#,
            #"--order-by .value --equal-to 'it'\''s'"#
        ),
        (#"{"i":".value","sin":true,"sp":"true"}"#, #"--order-by .value --start-at '"true"'"#),
        (#"{"i":".value","sin":true,"sp":null}"#, "--order-by .value --start-at null"),
    ])
    func `a query is told in the options that ask it`(object: String, options: String) {
        #expect(ChildQueryText.options(of: object) == options)
    }

    @Test(arguments: [
        #"{"sin":true,"sn":"k","sp":1}"#, #"{"ein":false,"en":"k","ep":1}"#, "no query",
    ])
    func `a query that no options ask has none`(object: String) {
        #expect(ChildQueryText.options(of: object) == nil)
    }

    @Test(arguments: [
        ["--order-by", "v", "--limit-to-last", "2"], ["--order-by", ".key", "--equal-to", #""5""#],
        ["--order-by", ".key", "--start-after", "a", "--end-before", "b"],
        ["--order-by", "a/b", "--start-after", "-5", "--end-before", "true"],
        ["--start-at", "1", "--limit-to-first", "7"], ["--order-by", "v", "--equal-to", ""],
    ])
    func `what keep has ordered is listed as the options of the order`(words: [String]) throws {
        let place = Database(settings: DatabaseSettings(url: "http://localhost:9000/?ns=demo"))
            .reference(withPath: "log")
        let query = try ChildQueryOptions.parse(words).query(place)
        let kept = Hearth.KeptPlace(
            HearthWire.KeptPlace(try query.validated(), uid: 7, isAllowed: true))
        let listed = try #require(kept.query.flatMap { ChildQueryText.options(of: $0) })
        #expect(listed == words.map(ShellText.word).joined(separator: " "))
        #expect(Hearth.KeptPlace.columns[0].text(kept) == "/log \(listed)")
    }

    @Test(arguments: [
        ("rooms/hall", "rooms/hall"), ("", "''"), ("a b", "'a b'"), ("$x", "'$x'"), ("é", "é"),
        ("it's", #"'it'\''s'"#), ("*", "'*'"),
    ])
    func `a word is quoted where a shell would see more than text`(text: String, word: String) {
        #expect(ShellText.word(text) == word)
    }
}
