import Hearth
import HearthTestSupport
import Testing

/// The commands of the README, of the articles and of the manual's examples, typed as they stand.
///
/// Not typed: commands that build the package with this test inside, and commands that ask systemd,
/// which `Tests/System` boots.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct WordForWordTests {
    private static let articles = "Sources/Flame/Hearth/Hearth.docc"
    /// A page that starts a daemon, for pages that begin with a running daemon.
    private static let start = "\(articles)/TestingWithTheEmulator.md"

    @Test(arguments: ShellRun.Typist.allCases)
    func `the README's commands run in one go, by whoever types them`(
        typist: ShellRun.Typist
    ) throws {
        let run = try ShellRun(
            ["README.md"], in: try World(isOnline: false), as: typist,
            then: """
                hearth get rooms/hall --json
                hearth status --json

                """)
        #expect(run.status == 0, "\(run.output)")
        #expect(run.output.contains(#""seats":42"#))
        #expect(run.output.contains(#""hasPendingWrites":false"#))
        // Nothing is wrong with the daemon: both of its sockets are in the trial's folder.
        #expect(run.output.contains(#""degradedReasons":[]"#), "\(run.output)")
    }

    @Test(arguments: ShellRun.Typist.allCases)
    func `two trials side by side do not clash`(typist: ShellRun.Typist) async throws {
        let worlds = [try World(isOnline: false), try World(isOnline: false)]
        try await withThrowingTaskGroup(of: ShellRun.self) { group in
            for world in worlds {
                group.addTask {
                    try ShellRun(
                        ["README.md"], in: world, as: typist,
                        then: "hearth get rooms/hall --json\nhearth status --json\n")
                }
            }
            for try await run in group {
                #expect(run.status == 0, "\(run.output)")
                #expect(run.output.contains(#""seats":42"#), "\(run.output)")
                #expect(run.output.contains(#""degradedReasons":[]"#), "\(run.output)")
            }
        }
    }

    @Test(arguments: ShellRun.Typist.allCases)
    func `the commands of the articles and of hearth's manual page run in one go`(
        typist: ShellRun.Typist
    ) async throws {
        for page in ["\(Self.articles)/AtTheTerminal.md"] {
            let run = try ShellRun([page], in: try World(isOnline: false), as: typist)
            #expect(run.status == 0, "\(page): \(run.output)")
        }
        let server = try await BundlesArticleTests.server()
        let pages = [
            Self.start, "\(Self.articles)/Bundles.md",
            "Sources/Programs/HearthCLI/Manual/hearth.1.md",
        ]
        let run = try ShellRun(
            pages, in: try World(isOnline: false), as: typist,
            environment: ["BUNDLE_URL=http://127.0.0.1:\(server.port)/latest-stories"])
        #expect(run.status == 0, "\(run.output)")
        #expect(run.output.contains("loaded 2 documents"), "\(run.output)")
        // What the desk reads of the fork, and the write that waited in the field.
        #expect(run.output.contains("total: 42"), "\(run.output)")
        #expect(run.output.contains(#""increment":{"integerValue":"2"}"#), "\(run.output)")
    }

    @Test func `every page with commands is typed`() throws {
        // Another page with a block of `sh` must be named above.
        let typed: Set = [
            "README.md", "\(Self.articles)/AtTheTerminal.md", Self.start,
            "\(Self.articles)/Bundles.md", "Sources/Programs/HearthCLI/Manual/hearth.1.md",
        ]
        let pages = try ShellRun.pages(in: [
            ".", Self.articles, "Sources/Programs/HearthCLI/Manual",
        ])
        #expect(Set(pages) == typed)
    }
}
