import Glibc
import HearthTestSupport
import Testing

/// The manual pages, made as a package makes them.
struct ManualTests {
    private static var root: String {
        #filePath.split(separator: "/Tests/").dropLast().joined(separator: "/Tests/")
    }

    private func text(_ path: String) throws -> String {
        let file = try #require(fopen(path, "re"), "\(path) is missing")
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 18)
        return String(decoding: bytes[..<fread(&bytes, 1, bytes.count, file)], as: UTF8.self)
    }

    @Test func `the page of the configuration tells of every key, below its section`() throws {
        let folder = TemporaryFolder()
        let log = folder.path + "/log"
        let process = try ChildProcess(
            "/usr/bin/env",
            [
                "python3", "\(Self.root)/Scripts/manual", "--binaries",
                try ChildProcess.buildFolder(), "--output", folder.path,
            ], log: log, output: log, environment: ["PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"])
        let status = process.exitStatus()
        let output = try text(log)
        #expect(status == 0, "\(output)")
        var section = ""
        var told: [String] = []
        for line in try text(folder.path + "/hearthd.toml.5").split(separator: "\n") {
            if line.hasPrefix(".SH \"[") {
                section = String(line.dropFirst(6).prefix { $0 != "]" })
            } else if line.hasPrefix("\\fB"), line.hasSuffix("\\fR") {
                told.append("\(section).\(line.dropFirst(3).dropLast(3))")
            }
        }
        var keys: [String] = []
        for line in try text(Self.root + "/Config/hearthd.toml").split(separator: "\n") {
            if line.hasPrefix("[") {
                section = String(line.dropFirst().dropLast())
            } else if line.hasPrefix("#"), let end = line.firstRange(of: " = ")?.lowerBound {
                let name = line[..<end].dropFirst()
                if !name.contains(" ") { keys.append("\(section).\(name)") }
            }
        }
        #expect(keys.count > 50)
        #expect(Set(keys).isSubset(of: Set(told)), "\(Set(keys).subtracting(told))")
    }
}
