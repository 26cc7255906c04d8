import Glibc
import HearthTestSupport
import Testing

/// The commands of pages, word for word, typed into one shell: the README's commands at the top of
/// the package, other pages' commands in an empty folder.
///
/// A page's commands are its blocks of `sh`; where such a block shows a session, they stand after `$ `.
struct ShellRun {
    /// Whoever types.
    enum Typist: String, CaseIterable, CustomTestStringConvertible {
        /// Whoever runs the tests.
        case ourselves
        /// A user without a name, without a home, and without a runtime folder.
        case somebody

        var testDescription: String { rawValue }

        /// The program that makes a process theirs. Only root can become somebody else.
        fileprivate var launcher: [String] {
            guard self == .somebody, geteuid() == 0 else { return [] }
            return OtherUser.launcher(uid: 61_234, gid: 61_234)
        }
    }

    /// 0 if every command has ended with 0.
    let status: Int32
    /// What all of them said.
    let output: String

    /// Runs the commands of pages, one page after another, to their end; then ends what they started.
    ///
    /// - Parameters:
    ///   - environment: What the shell finds in its environment, besides where the programs are.
    ///   - last: Further commands of the test, after the commands of the pages.
    init(
        _ pages: [String], in world: World, as typist: Typist = .ourselves,
        environment: [String] = [], then last: String = ""
    ) throws {
        let root = Self.packageFolder
        var script = "set -euo pipefail\ntrap 'kill $(jobs -p) 2>/dev/null; wait' EXIT\n"
        for page in pages {
            let commands = try Self.commands(in: "\(root)/\(page)")
            try #require(!commands.isEmpty, "\(page) shows no command")
            script += page == "README.md" ? "cd '\(root)'\n" : "cd $(mktemp -d)\n"
            script += commands
        }
        let name = "shell-\(typist.rawValue)"
        let scratch = TemporaryFolder()
        chmod(scratch.path, 0o777)
        let process = try ChildProcess(
            "/bin/bash", ["-c", script + last], log: "\(world.folder.path)/\(name).log",
            input: "/dev/null", output: "\(world.folder.path)/\(name).log",
            launcher: typist.launcher,
            environment: [
                "PATH=\(try ChildProcess.buildFolder()):/usr/bin:/bin", "LC_ALL=C.UTF-8",
                "TMPDIR=\(scratch.path)",
            ] + environment)
        status = process.exitStatus()
        output = world.log(name)
        scratch.remove()
    }

    /// The pages in some folders of the package that show commands.
    static func pages(in folders: [String]) throws -> [String] {
        var pages: [String] = []
        for folder in folders {
            let stream = try #require(opendir("\(packageFolder)/\(folder)"), "\(folder) is missing")
            defer { closedir(stream) }
            while let entry = readdir(stream) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                let path = folder == "." ? name : "\(folder)/\(name)"
                guard name.hasSuffix(".md") else { continue }
                if try !commands(in: "\(packageFolder)/\(path)").isEmpty { pages.append(path) }
            }
        }
        return pages
    }

    private static var packageFolder: String {
        #filePath.split(separator: "/Tests/").dropLast().joined(separator: "/Tests/")
    }

    /// The commands of one page.
    private static func commands(in path: String) throws -> String {
        let file = try #require(fopen(path, "r"), "\(path) cannot be read")
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 18)
        let text = String(decoding: bytes[..<fread(&bytes, 1, bytes.count, file)], as: UTF8.self)
        var blocks: [[Substring]] = []
        var isInside = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                isInside = !isInside && line == "```sh"
                if isInside { blocks.append([]) }
            } else if isInside {
                blocks[blocks.count - 1].append(line)
            }
        }
        return blocks.map { commands(of: $0).map { "\($0)\n" }.joined() }.joined()
    }

    /// All lines; for a session, the typed lines with their continuation lines.
    private static func commands(of block: [Substring]) -> [Substring] {
        guard block.contains(where: { $0.hasPrefix("$ ") }) else { return block }
        var isTyped = false
        return block.compactMap { line in
            let begins = line.hasPrefix("$ ")
            defer { isTyped = (begins || isTyped) && line.hasSuffix("\\") }
            return begins ? line.dropFirst(2) : isTyped ? line : nil
        }
    }
}
