import ArgumentParser
import HearthModel
import Testing

@testable import HearthDaemon

struct SubcommandOptionsTests {
    @Test(arguments: [
        ("demo", "(default)"), ("demo/two", "two"), ("projects/demo/databases/two", "two"),
        ("projects/demo/databases/(default)", "(default)"),
    ])
    func `fork takes a database in the form that its messages offer`(
        name: String, database: String
    ) throws {
        let command = try #require(
            try HearthDaemonCommand.parseAsRoot(["fork", "backup", "folder", "--database", name])
                as? ForkCommand)
        #expect(command.databaseID == DatabaseID(project: "demo", database: database))
    }

    @Test func `commands on a stopped daemon's folder say how the folder is named`() throws {
        let commands: [any ParsableCommand.Type] = [UnsentCommand.self, RestoreCommand.self]
        for command in commands {
            let help = HearthDaemonCommand.helpMessage(for: command)
            for word in ["--folder", "--config", "store.folder"] { #expect(help.contains(word)) }
        }
        let unsent = try #require(
            try HearthDaemonCommand.parseAsRoot(["unsent", "--folder", "/tmp/x"]) as? UnsentCommand)
        #expect(unsent.folder == "/tmp/x")
    }
}
