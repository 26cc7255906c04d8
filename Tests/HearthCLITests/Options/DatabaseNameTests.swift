import ArgumentParser
import Hearth
import Testing

@testable import HearthCLI

struct DatabaseNameTests {
    @Test(
        arguments: [
            ("demo", "demo", nil), ("demo/two", "demo", "two"),
            ("projects/demo/databases/two", "demo", "two"),
            ("projects/demo/databases/(default)", "demo", "(default)"),
            ("projects/two", "projects", "two"),
        ] as [(String, String, String?)])
    func `a name is read short and in full`(text: String, project: String, database: String?) {
        #expect(DatabaseName(text)?.project == project)
        #expect(DatabaseName(text)?.database == database)
    }

    @Test(arguments: ["", "a/", "/a", "a/b/c", "projects/a/databases/", "projects/a/documents/b"])
    func `what is no name is refused`(text: String) {
        #expect(DatabaseName(text) == nil)
        #expect(throws: (any Error).self) {
            try HearthCommand.parseAsRoot(["get", "rooms/hall", "--database", text])
        }
    }

    @Test func `a name that a message offers is taken by the option`() throws {
        let command = try #require(
            try HearthCommand.parseAsRoot([
                "get", "rooms/hall", "--database", "projects/demo/databases/two",
            ]) as? GetCommand)
        #expect(command.connection.settings.projectID == "demo")
        #expect(command.connection.settings.databaseID == "two")
    }
}
