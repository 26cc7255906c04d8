import ArgumentParser
import Hearth
import Testing

@testable import HearthCLI

struct RtdbCommandLineTests {
    @Test func `the options of a query are read`() throws {
        let command = try #require(
            try HearthCommand.parseAsRoot([
                "rtdb", "get", "rooms", "--order-by", "lights", "--start-at", "-5", "--end-before",
                "9", "--limit-to-last", "10", "--json", "--instance",
                "http://localhost:9000/?ns=demo", "--socket", "/tmp/s",
            ]) as? RtdbGetCommand)
        #expect(command.query.startAt == .integer(-5))
        #expect(command.query.endBefore == .integer(9))
        #expect(command.query.limitToLast == 10)
        #expect(command.instance.json)
        #expect(command.instance.settings.url == "http://localhost:9000/?ns=demo")
        #expect(command.instance.settings.socketPath == "/tmp/s")
    }

    @Test func `an instance is named by its address, or by its name beside the daemon's own`()
        throws
    {
        let command = try #require(
            try HearthCommand.parseAsRoot(["queue", "list", "--instance", "other-rtdb"])
                as? QueueCommand.List)
        #expect(command.connection.choice.settings(socket: nil).instanceName == "other-rtdb")
        #expect(command.connection.choice.settings(socket: nil).url == nil)
        let byAddress = try #require(
            try HearthCommand.parseAsRoot(["status", "--instance", "https://a-b.firebaseio.com"])
                as? StatusCommand)
        #expect(
            byAddress.connection.choice.settings(socket: nil).url == "https://a-b.firebaseio.com")
    }

    @Test(arguments: [
        ["get"], ["get", "rooms", "--instance", "de/mo"],
        ["get", "rooms", "--limit-to-first", "0"],
        ["get", "rooms", "--limit-to-first", "1", "--limit-to-last", "1"],
        ["get", "rooms", "--start-at", "1", "--start-after", "1"],
        ["get", "rooms", "--end-at", "1", "--end-before", "1"],
        ["get", "rooms", "--equal-to", "1", "--start-at", "1"], ["set", "rooms"],
        ["update", "rooms"], ["listen", "rooms", "--count", "0"], ["transaction", "votes"],
        ["transaction", "votes", "--add", "1", "--expect", "2", "3"],
        ["transaction", "votes", "--expect", "2"], ["transaction", "votes", "3", "--add", "1"],
        ["transaction", "votes", "--add", "nan"], ["keep"], ["keep", "a", "--list"],
        ["keep", "a", "--off", "--for", "1m"], ["keep", ".info/connected"], ["import"],
        ["keep", "--list", "--order-by", ".key"],
        ["import", "x.json", "--batch-size", "0"], ["burn"],
    ])
    func `a wrong command line is refused as usage`(arguments: [String]) throws {
        let error = try #require(throws: (any Error).self) {
            try HearthCommand.parseAsRoot(["rtdb"] + arguments)
        }
        #expect(HearthCommand.exitCode(for: error).rawValue == CommandStatus.usage.rawValue)
    }

    @Test(arguments: [
        (["--order-by", ".key", "--start-at", "5"], #"--start-at '"5"'"#),
        (["--order-by", ".key", "--equal-to", "true"], #"--equal-to '"true"'"#),
        (["--order-by", ".key", "--end-before", "null"], #"--end-before '"null"'"#),
        (["--start-after", "true"], "--order-by .value"),
        (["--order-by", ".priority", "--end-at", "false"], "--order-by .value"),
        (["--order-by", "v", "--start-at", "[1]"], "--start-at takes text, a number"),
        (
            ["--order-by", "v", "--equal-to", "serverTimestamp()"],
            "--equal-to takes text, a number"
        ),
        (["--limit-to-first", "2147483648"], "from 1 to 2147483647"),
    ])
    func `what a query cannot ask is told in the command's own options`(
        options: [String], cure: String
    ) throws {
        let error = try #require(throws: (any Error).self) {
            try HearthCommand.parseAsRoot(["rtdb", "get", "rooms"] + options)
        }
        let message = HearthCommand.message(for: error)
        #expect(message.contains(cure), "\(message)")
        #expect(!message.contains("query"), "\(message)")
    }

    @Test(arguments: ["$key", "", "a.b"])
    func `an order that is no path is told in the command's own options`(order: String) throws {
        let options = try ChildQueryOptions.parse(["--order-by", order])
        let place = Database(settings: DatabaseSettings(url: "http://localhost:9000/?ns=demo"))
            .reference(withPath: "rooms")
        let failure = try #require(throws: Failure.self) { try options.query(place) }
        #expect(failure.status == .usage)
        let message = try #require(failure.message)
        #expect(message.contains(".key, .value or .priority"))
        #expect(!message.contains("queryOrdered"))
    }

    @Test(arguments: [
        ["get", "/"], ["set", "rooms/hall", #"{"name":"Hall"}"#, "--priority", "2"],
        ["update", "/", "rooms/hall/name=Hall", "count=null"], ["push", "log", "x"],
        ["remove", "rooms", "--until", "committed"], ["listen", ".info/connected", "--count", "1"],
        ["transaction", "votes", "--add", "-1"], ["transaction", "votes", "1", "--expect", "null"],
        ["keep", "rooms", "staff", "--for", "1m"], ["keep", "rooms"], ["keep", "--list"],
        ["keep", "log", "--limit-to-last", "5", "--for", "1m"],
        ["keep", "log", "--limit-to-last", "5"], ["keep", "rooms", "--off"], ["export"],
        ["export", "rooms", "-o", "x"], ["import", "-", "rooms", "--merge"],
    ])
    func `a right command line is read`(arguments: [String]) throws {
        #expect(throws: Never.self) { try HearthCommand.parseAsRoot(["rtdb"] + arguments) }
    }

    @Test(arguments: [
        ["queue"], ["queue", "show", "5"], ["queue", "hold", "5"], ["queue", "release", "5"],
        ["queue", "cancel", "5"], ["queue", "drop", "5", "--yes"], ["queue", "edit", "5"],
        ["queue", "retry"], ["dead-letters"], ["dead-letters", "show", "5"],
        ["dead-letters", "retry", "5"], ["dead-letters", "edit", "5"],
        ["dead-letters", "drop", "5", "--yes"], ["dead-letters", "export"], ["status"], ["watch"],
        ["doctor"], ["wait", "--state", "drained"], ["network", "on"], ["metrics"], ["clients"],
        ["listeners"], ["reload"],
    ])
    func `every command that looks after a database takes an instance`(arguments: [String]) throws {
        let url = "https://demo-default-rtdb.firebaseio.com"
        #expect(throws: Never.self) {
            try HearthCommand.parseAsRoot(arguments + ["--instance", url])
        }
        for wrong in [["--instance", "no address"], ["--instance", url, "--database", "p"]] {
            #expect(throws: (any Error).self) { try HearthCommand.parseAsRoot(arguments + wrong) }
        }
    }

    @Test(arguments: [
        (["set", "n", "-5"], ValueLiteral.integer(-5)),
        (["set", "--json", "n", "-1.5", "-q"], .double(-1.5)),
        (["set", "n", "-9223372036854775809"], .double(-9.223372036854775808e18)),
        (["push", "--until", "committed", "n", "--timeout", "5s", "-2"], .integer(-2)),
        (["transaction", "n", "-7", "--expect", "-6"], .integer(-7)),
        (["transaction", "--expect", "-6", "n", "-7"], .integer(-7)),
        (["set", "n", "--priority", "-1", "--", "-5"], .integer(-5)),
    ])
    func `a value may be a negative number, with options before and behind`(
        arguments: [String], value: ValueLiteral
    ) throws {
        let command = try HearthCommand.parseAsRoot(
            NegativeNumbers.marked(["rtdb"] + arguments))
        let (path, text): (String, String?) =
            switch command {
            case let set as RtdbSetCommand: (set.path, set.value)
            case let push as RtdbPushCommand: (push.path, push.value)
            case let transaction as RtdbTransactionCommand:
                (transaction.path, transaction.value)
            default: ("", nil)
            }
        #expect(path == "n")
        #expect(try ValueArgument.read(try #require(text)) == value)
        if let transaction = command as? RtdbTransactionCommand {
            #expect(transaction.expect == .integer(-6))
        }
    }

    @Test(arguments: [
        ["rtdb", "transaction", "n", "--add", "-1"], ["rtdb", "set", "-5", "1"],
        ["rtdb", "set", "n", "-x"], ["rtdb", "get", "n", "-5"], ["get", "a/b", "-5"],
        ["rtdb", "set", "n", "--", "-5"], ["rtdb"],
    ])
    func `no other word is marked as a negative number`(words: [String]) {
        #expect(NegativeNumbers.marked(words) == words)
    }

    @Test(arguments: [
        ["query", "rooms", "--limit", "-1"], ["rtdb", "get", "n", "--limit-to-first", "-1"],
        ["logs", "--lines", "-1"],
    ])
    func `a count that is negative is not called missing`(words: [String]) throws {
        let error = try #require(throws: (any Error).self) {
            try HearthCommand.parseAsRoot(NegativeNumbers.joined(words))
        }
        let message = HearthCommand.message(for: error)
        #expect(message.contains("'-1' is invalid"), "\(message)")
    }

    @Test(arguments: [
        ["rtdb", "set", "n", "-1"], ["query", "rooms", "--limit", "--json"],
        ["rtdb", "set", "--", "--limit", "-1"], ["rtdb", "get", "n", "--start-at", "-5"],
    ])
    func `no other words are made one`(words: [String]) {
        #expect(NegativeNumbers.joined(words) == words)
    }

    @Test func `a negative number that is too large is told so, and is no option`() {
        let words = ["rtdb", "set", "n", "-1e400"]
        #expect(NegativeNumbers.marked(words) == ["rtdb", "set", "n", " -1e400"])
    }

    @Test func `every option that takes the next word is known`() {
        let commands: [any ParsableCommand.Type] = [
            RtdbSetCommand.self, RtdbPushCommand.self, RtdbTransactionCommand.self,
        ]
        for command in commands {
            let help = HearthCommand.helpMessage(for: command)
            let options = help.matches(of: /(--[a-z-]+) </).map { String($0.output.1) }
            #expect(!options.isEmpty)
            #expect(Set(options).isSubset(of: NegativeNumbers.valuedOptions))
        }
    }

    @Test func `places of an update are read with their values`() throws {
        let update = try RtdbUpdateCommand.update(["a/b=1", "c=x=y", "d=null"])
        #expect(
            update
                == .map([
                    .init(name: "a/b", value: .integer(1)), .init(name: "c", value: .string("x=y")),
                    .init(name: "d", value: .null),
                ]))
        let marked = try RtdbUpdateCommand.update(["a=\u{301}x"])
        #expect(marked == .map([.init(name: "a", value: .string("\u{301}x"))]))
        #expect(throws: Failure.self) { try RtdbUpdateCommand.update(["=1"]) }
        #expect(throws: Failure.self) { try RtdbUpdateCommand.update(["a"]) }
    }
}
