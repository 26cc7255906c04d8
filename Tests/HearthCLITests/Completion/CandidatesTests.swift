import HearthEngine
import HearthModel
import HearthWire
import Testing

@testable import Hearth
@testable import HearthCLI

struct CandidatesTests {
    @Test(arguments: [
        ("", "", ""), ("ro", "", "ro"), ("rooms/", "rooms/", ""), ("rooms/ha", "rooms/", "ha"),
        ("/a/b/c", "/a/b/", "c"), ("a/\u{301}b", "a/", "\u{301}b"),
    ])
    func `what is typed parts at the last slash`(typed: String, parent: String, start: String) {
        let parts = PathCandidates.parts(of: typed)
        #expect(parts.parent.utf8.elementsEqual(parent.utf8))
        #expect(parts.start.utf8.elementsEqual(start.utf8))
    }

    @Test func `candidates begin with what is typed, come once, and are a hundred at most`() {
        let names = ["rooms", "ro", "halls", "rooms", "ro\u{301}"]
        #expect(Candidates.fit(names, beginningWith: "ro") == ["rooms", "ro", "ro\u{301}"])
        #expect(Candidates.fit((0..<300).map { "\($0)" }, beginningWith: "").count == 100)
    }

    @Test func `a batch gives the conditions that pick it`() throws {
        let batch = QueuePage.Batch(
            id: BatchID(3), state: .held,
            writtenAt: HearthModel.Timestamp(seconds: 1, nanoseconds: 0), byteCount: 5,
            writer: Writer(uid: 7, gid: 8, pid: 9, unit: "cron.service", program: "12"),
            content: .documents([], []))
        let text = BatchText(
            PendingBatch(batch), now: Hearth.Timestamp(seconds: 2, nanoseconds: 0))
        let conditions = Candidates.conditions(text)
        #expect(
            conditions == ["state == held", "unit == cron.service", #"program == "12""#])
        for condition in conditions {
            #expect(try Condition(parsing: condition).holds(for: text.report.value))
        }
    }

    @Test(arguments: [
        (["/usr/libexec/hearth/hearthd"], true), (["hearthd", "--config", "x"], true),
        (["hearthd", "emulate"], false), (["/usr/bin/hearth", "watch"], false), ([], false),
    ])
    func `a daemon is told from its emulator and its other commands`(
        words: [String], isDaemon: Bool
    ) {
        #expect(DaemonPresence.isDaemon(commandLine: words) == isDaemon)
    }

    @Test func `where no socket is, nobody is asked`() {
        #expect(!DaemonPresence.mayBeAsked(at: "/nonexistent/hearth.sock"))
    }
}
