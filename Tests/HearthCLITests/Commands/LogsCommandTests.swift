import Glibc
import HearthTestSupport
import Testing

@testable import HearthCLI

struct LogsCommandTests {
    private let folder = TemporaryFolder()

    @Test func `a machine without a journal is told apart from one with an empty answer`() throws {
        #expect(!LogsCommand.hasJournal(in: [folder.path + "/missing", folder.path]))
        try #require(mkdir(folder.path + "/machine", 0o700) == 0)
        #expect(!LogsCommand.hasJournal(in: [folder.path]))
        _ = try folder.write("", to: "machine/system.journal")
        #expect(LogsCommand.hasJournal(in: [folder.path + "/missing", folder.path]))
    }

    @Test func `who has no journal is told where else the log may be`() {
        #expect(LogsCommand.absence.status == .failed)
        #expect(LogsCommand.absence.message?.contains("standard error") == true)
    }
}
