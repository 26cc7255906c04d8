import ArgumentParser
import HearthServer
import Testing

@testable import HearthDaemon

/// The flags of `hearthd`, which are the keys of the configuration.
struct ConfigurationFlagsTests {
    @Test func `every key of the table is a flag that the help explains`() {
        let help = HearthDaemonCommand.helpMessage(columns: 200)
        for key in ConfigurationTable.keys {
            #expect(help.contains("  --\(key.name) <\(key.valueName)>"), "\(key.name)")
            #expect(help.contains(" \(key.help)\n"), "\(key.name)")
        }
        let names = help.split(separator: "\n").filter { $0.hasPrefix("  --") }.compactMap {
            $0.split(separator: " ").first
        }
        #expect(names.count { $0.contains(".") } == ConfigurationTable.keys.count)
    }

    @Test func `every flag gives its value to its key, and what was not given has none`() throws {
        let names = ConfigurationTable.keys.map(\.name)
        let arguments = names.flatMap { ["--\($0)", "of \($0)"] }
        let all = try HearthDaemonCommand.parse(arguments).flags.values
        #expect(all == Dictionary(uniqueKeysWithValues: names.map { ($0, "of \($0)") }))
        let one = try HearthDaemonCommand.parse(["--limits.clientCountMax=7", "--check"])
        #expect(one.flags.values == ["limits.clientCountMax": "7"])
        #expect(try HearthDaemonCommand.parse([]).flags.values.isEmpty)
    }

    @Test func `a flag that is no key is refused`() {
        #expect(throws: (any Error).self) {
            try HearthDaemonCommand.parse(["--limits.nonsense", "7"])
        }
    }
}
