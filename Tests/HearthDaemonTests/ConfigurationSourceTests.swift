import Glibc
import HearthServer
import HearthTestSupport
import Testing

@testable import HearthDaemon

/// What counts of files that are changed, missing or gone.
struct ConfigurationSourceTests {
    private static let rules = "[access]\nshop = \"allow everyone read\"\n"
    private static let level = "[log]\nlevel = \"debug\"\n"

    private let folder = TemporaryFolder()
    private var path: String { folder.path + "/hearthd.toml" }

    private func source(isNamed: Bool = false) -> ConfigurationSource {
        ConfigurationSource(
            file: isNamed ? path : nil,
            flags: [
                "database.project": "demo", "credentials.source": "none",
                "store.folder": folder.path,
            ],
            in: Surroundings(environment: ["CONFIGURATION_DIRECTORY": folder.path], isRoot: false)
        )
    }

    /// The names of the rules that count.
    private func names(_ configuration: ServerConfiguration) -> [String] {
        configuration.access?.rules.map(\.name) ?? []
    }

    @Test(arguments: [false, true])
    func `a file that is gone keeps its rules until one with a comment takes them back`(
        isNamed: Bool
    ) throws {
        try folder.write(Self.rules, to: "hearthd.toml")
        let source = source(isNamed: isNamed)
        let (started, faults) = source.read()
        #expect(faults == [])
        try #require(unlink(path) == 0)
        for _ in 0..<2 {
            let problems = source.readAgain(after: started).1
            #expect(problems.map(\.origin) == [path])
            #expect(problems.first?.message.contains("is gone. Put it back") == true)
        }
        try folder.write(Self.rules, to: "hearthd.toml")
        let (again, none) = source.readAgain(after: started)
        #expect(none == [])
        #expect(names(again) == ["shop"])
        try folder.write("# nothing\n", to: "hearthd.toml")
        let (empty, nothing) = source.readAgain(after: started)
        #expect(nothing == [])
        #expect(empty.access == nil)
        try #require(unlink(path) == 0)
        // Nobody named the usual file, and nothing of it counts any more.
        #expect(source.readAgain(after: started).1.isEmpty == !isNamed)
    }

    @Test(arguments: ["", "\n", " \t\r\n\n", "\u{FEFF}"])
    func `a file that is cut while it is written keeps its rules`(rest: String) throws {
        try #require(mkdir(folder.path + "/conf.d", 0o700) == 0)
        try folder.write(Self.rules, to: "hearthd.toml")
        try folder.write(Self.level, to: "conf.d/b.toml")
        let source = source()
        let (started, faults) = source.read()
        #expect(faults == [])
        try folder.write(rest, to: "hearthd.toml")
        for _ in 0..<2 {
            let problems = source.readAgain(after: started).1
            #expect(problems.map(\.origin) == [path])
            #expect(problems.first?.message.contains("is empty now") == true)
        }
        try folder.write(Self.rules, to: "hearthd.toml")
        try folder.write(rest, to: "conf.d/b.toml")
        let problems = source.readAgain(after: started).1
        #expect(problems.map(\.origin) == [folder.path + "/conf.d/b.toml"])
        try folder.write("# nothing\n", to: "conf.d/b.toml")
        let (again, none) = source.readAgain(after: started)
        #expect(none == [])
        #expect(names(again) == ["shop"])
    }

    @Test func `a file that never said anything may be empty`() throws {
        try folder.write("# nothing\n", to: "hearthd.toml")
        let source = source()
        let started = source.read().0
        try folder.write("", to: "hearthd.toml")
        #expect(source.readAgain(after: started).1 == [])
    }

    @Test func `a file that a reload has read counts as one of the start`() throws {
        let source = source()
        let (started, faults) = source.read()
        #expect(faults == [])
        try folder.write(Self.rules, to: "hearthd.toml")
        let (again, none) = source.readAgain(after: started)
        #expect(none == [])
        #expect(names(again) == ["shop"])
        try #require(unlink(path) == 0)
        #expect(source.readAgain(after: started).1.map(\.origin) == [path])
    }

    @Test func `a part may go, but for one with access rules`() throws {
        try #require(mkdir(folder.path + "/conf.d", 0o700) == 0)
        try folder.write(Self.rules, to: "conf.d/a.toml")
        try folder.write(Self.level, to: "conf.d/b.toml")
        let source = source()
        let (started, faults) = source.read()
        #expect(faults == [])
        #expect(names(started) == ["shop"], "The parts count without a file")
        try #require(unlink(folder.path + "/conf.d/b.toml") == 0)
        #expect(source.readAgain(after: started).1 == [])
        let rules = folder.path + "/conf.d/a.toml"
        try #require(unlink(rules) == 0)
        let problems = source.readAgain(after: started).1
        #expect(problems.map(\.origin) == [rules])
        #expect(problems.first?.message.contains("its access rules count") == true)
        try folder.write("# nothing\n", to: "conf.d/a.toml")
        let (empty, none) = source.readAgain(after: started)
        #expect(none == [])
        #expect(empty.access == nil)
        try #require(unlink(rules) == 0)
        #expect(source.readAgain(after: started).1 == [])
    }

    @Test func `a folder of parts that is gone keeps what they say`() throws {
        let parts = folder.path + "/conf.d"
        try #require(mkdir(parts, 0o700) == 0)
        try folder.write(Self.level, to: "conf.d/b.toml")
        let source = source()
        let started = source.read().0
        try #require(rename(parts, folder.path + "/elsewhere") == 0)
        let problems = source.readAgain(after: started).1
        #expect(problems.map(\.origin) == [parts])
        #expect(problems.first?.message.hasPrefix("The folder is gone") == true)
        try #require(mkdir(parts, 0o700) == 0)
        #expect(source.readAgain(after: started).1 == [])
        try #require(rmdir(parts) == 0)
        #expect(source.readAgain(after: started).1 == [])
    }

    @Test func `a start with a file that cannot be read closes rather than opens`() throws {
        try folder.write("[access\n", to: "hearthd.toml")
        let (wrong, faults) = source().read()
        #expect(faults.map(\.origin) == [path])
        #expect(faults.first?.description.contains("may have access rules") == true)
        #expect(names(wrong) == [path])
        try #require(unlink(path) == 0 && symlink("nowhere", path) == 0)
        let (unlinked, missing) = source().read()
        #expect(missing.map(\.origin) == [path])
        #expect(names(unlinked) == [path])
        try #require(unlink(path) == 0)
        let (open, none) = source().read()
        #expect(none == [])
        #expect(open.access == nil)
    }
}
