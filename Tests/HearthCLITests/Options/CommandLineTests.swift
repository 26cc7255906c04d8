import ArgumentParser
import Hearth
import Testing

@testable import HearthCLI

struct CommandLineTests {
    @Test func `a query's options are read`() throws {
        let command = try #require(
            try HearthCommand.parseAsRoot([
                "query", "rooms", "--where", "lights > -1", "--where", "name == Hall", "--order",
                "lights:desc", "--start-at", "-5", "--limit", "10", "--json", "--database", "p/d",
            ]) as? QueryCommand)
        #expect(command.options.conditions.count == 2)
        #expect(command.options.startAt == [.integer(-5)])
        #expect(command.options.limit == 10)
        #expect(command.connection.json)
        #expect(command.connection.settings.projectID == "p")
        #expect(command.connection.settings.databaseID == "d")
    }

    @Test(arguments: [
        ["get", "rooms"],
        ["query", "rooms/hall"],
        ["query", "rooms", "--limit", "1", "--limit-to-last", "1", "--order", "a"],
        ["query", "rooms", "--limit-to-last", "1"],
        ["query", "rooms", "--start-at", "1"],
        ["query", "rooms", "--order", "a", "--start-at", "1", "--start-after", "1"],
        ["query", "rooms", "--limit", "0"],
        ["query", "rooms", "--database", "a/b/c"],
        ["listen", "rooms/hall", "--where", "a == 1"],
        ["listen", "rooms", "--count", "0"],
        ["import", "x.json", "--collection", "a/b"],
        ["import", "x.json", "--collection", "a", "--batch-size", "501"],
        ["wait", "--state", "happy"],
        ["wait", "--state", "live", "--timeout", "soon"],
        ["get", "rooms/hall", "--timeout", "soon"],
        ["query", "rooms", "--timeout", "soon"],
        ["aggregate", "rooms", "--timeout", "soon"],
        ["rtdb", "get", "rooms", "--timeout", "soon"],
        ["network", "sideways"],
        ["restore", "x.backup", "--queue", "nope"],
        ["update", "rooms/hall"],
        // Only writes of one document have terms; none is taken and then passed over.
        ["rtdb", "set", "rooms/hall", "1", "--if-missing"],
        ["rtdb", "remove", "rooms/hall", "--only-online"],
        ["import", "x.json", "--if-missing"],
        ["burn"],
    ])
    func `a wrong command line is refused as usage`(arguments: [String]) throws {
        let error = try #require(throws: (any Error).self) {
            try HearthCommand.parseAsRoot(arguments)
        }
        #expect(HearthCommand.exitCode(for: error).rawValue == CommandStatus.usage.rawValue)
    }

    @Test(
        arguments: [
            (["queue", "cancel", "x"], "a batch's number, such as 12, or a range, such as 3-9"),
            (["queue", "3-"], nil),
            (["queue", "show", "3-9"], "the number of one batch, such as 12"),
            (["dead-letters", "edit", "last"], "the number of one batch, such as 12"),
            (["listen", "rooms", "--count", "many"], "a whole number, 1 or more"),
            (["history", "rooms/hall", "--limit", "0"], "a whole number from 1 to 100000"),
            (["console", "--port", "65536"], "a whole number from 0 to 65535"),
            (["wait", "--state", "live", "--timeout", "soon"], "a span of time, such as 30s"),
            (["rtdb", "transaction", "votes", "--add", "x"], "a number, such as 5 or -0.5"),
            (
                ["rtdb", "get", "votes", "--limit-to-first=-1"],
                "a whole number from 1 to 2147483647"
            ),
        ] as [([String], String?)])
    func `what is no number is told with what is wanted`(
        arguments: [String], wanted: String?
    ) throws {
        guard let wanted else {
            _ = try HearthCommand.parseAsRoot(arguments)
            return
        }
        let error = try #require(throws: (any Error).self) {
            try HearthCommand.parseAsRoot(arguments)
        }
        let message = HearthCommand.message(for: error)
        #expect(message.contains(": write \(wanted)"), "\(message)")
    }

    @Test func `no option refuses a value without a word of what it wants`() throws {
        func check(_ command: any ParsableCommand.Type, at path: [String]) throws {
            for subcommand in command.configuration.subcommands {
                try check(subcommand, at: path + [subcommand._commandName])
            }
            let help = HearthCommand.helpMessage(for: command)
            for match in help.matches(of: /(--[a-z-]+) </) {
                let error = try #require(throws: (any Error).self) {
                    try HearthCommand.parseAsRoot(path + ["\(match.output.1)=?", "--nonsense"])
                }
                let lines = HearthCommand.message(for: error).split(separator: "\n")
                #expect(!lines.contains { $0.contains("is invalid for") && $0.hasSuffix(">'") })
            }
        }
        try check(HearthCommand.self, at: [])
    }

    @Test(arguments: [
        ("30s", Duration.seconds(30)), ("500ms", .milliseconds(500)), ("2m", .seconds(120)),
        ("1h", .seconds(3_600)), ("1.5", .milliseconds(1_500)),
    ])
    func `a span of time is read`(text: String, duration: Duration) {
        #expect(DurationText(text)?.duration == duration)
    }

    @Test(arguments: ["", "s", "-1s", "1d", "1 s", "inf", "nan", "1e3"])
    func `what is no span of time is refused`(text: String) {
        #expect(DurationText(text) == nil)
    }

    @Test(arguments: [
        (FirestoreErrorCode.unavailable, CommandStatus.tryAgain),
        (.resourceExhausted, .tryAgain),
        (.permissionDenied, .noAccess),
        (.notFound, .failed),
        (.deadlineExceeded, .timedOut),
    ])
    func `an error of the database has its exit status`(
        code: FirestoreErrorCode, status: CommandStatus
    ) {
        let failure = Failure(FirestoreError(code, "Two\nlines."), doing: "read a/b")
        #expect(failure.status == status)
        #expect(failure.message?.hasPrefix("Cannot read a/b: ") == true)
        #expect(failure.message?.contains { $0.isNewline } == false)
    }

    @Test func `who is sent to the status by the error is not sent there twice`() {
        let error = FirestoreError(.unavailable, "Ask again when `hearth status` tells of one.")
        #expect(Failure(error, doing: "read a/b").message?.hasSuffix("tells of one.") == true)
    }

    @Test func `only who asked the server alone is sent to the cache`() {
        let error = FirestoreError(.unavailable, "Gone.")
        func helps(_ source: FirestoreSource?) -> Bool? {
            Failure(error, doing: "read a/b", reading: source).message?.contains("--source cache")
        }
        #expect(helps(.server) == true)
        #expect(helps(.default) == false)  // The cache was asked, too.
        #expect(helps(.cache) == false)
        #expect(helps(nil) == false)
    }

    @Test func `a reload that changed nothing says so, unless a restart will change something`() {
        #expect(ReloadCommand.lines([], afterRestart: []) == ["nothing has changed"])
        #expect(ReloadCommand.lines([], afterRestart: ["a", "b"]) == ["after a restart: a b"])
        #expect(
            ReloadCommand.lines(["access"], afterRestart: ["a"])
                == ["now: access", "after a restart: a"])
    }

    @Test func `a path's names are counted`() throws {
        #expect(PathText("rooms/hall")?.isDocument == true)
        #expect(PathText("/rooms/")?.description == "rooms")
        for wrong in ["", "/", "//", "a//b"] { #expect(PathText(wrong) == nil) }
    }
}
