import Testing

/// What the style asks of every file, as far as a simple reader of lines can tell.
struct TidyTests {
    private static let lineCountMax = 400

    /// Files that may be longer, and why.
    private static let mayBeLong: Set<String> = []

    /// Files with an `@unchecked Sendable`. Each says why on the same line.
    private static let mayBeUnchecked: Set<String> = [
        "Sources/Flame/Hearth/Firestore/CollectionReference.swift",
        "Sources/Flame/Hearth/Firestore/DocumentSnapshot.swift",
        "Sources/Flame/Hearth/Firestore/Query.swift",
        "Sources/Flame/Hearth/Connection/SharedReadMap.swift",
        "Sources/Flame/Hearth/Realtime/DatabaseReference.swift",
        "Sources/Flame/Hearth/Realtime/Queries/DatabaseQuery.swift",
        "Sources/Programs/HearthDaemon/NetworkWatch.swift",
        "Sources/Programs/HearthDaemon/Signals.swift",
        "Sources/Flame/HearthServer/Backup/BackupStream.swift",
        "Sources/Flame/HearthServer/Engines/HostClock.swift",
        "Sources/Flame/HearthServer/Engines/SharedReadFile.swift",
        "Sources/Flame/HearthSQLite/Connection/Connection.swift",
        "Sources/Flame/HearthSQLite/GroupStore.swift",
        "Tests/HearthTesting/Stories/StoryBacking+Memory.swift",
    ]

    /// Files of tests that may sleep, because they wait for a condition with a deadline.
    private static let maySleep: Set<String> = [
        "Tests/HearthEndToEndTests/Support/ChildProcess.swift",
        "Tests/HearthTestSupport/Eventually.swift",
    ]

    private func handwritten(_ folders: String...) throws -> [SourceFile] {
        try folders.flatMap { try SourceTree.swiftFiles(below: $0) }.filter { !$0.isGenerated }
    }

    @Test func `a file has one noun and room for no more`() throws {
        for file in try handwritten("Sources/", "Tests/") {
            let isLong = file.lines.count - 1 > Self.lineCountMax
            #expect(isLong == Self.mayBeLong.contains(file.path), "\(file.path)")
        }
    }

    @Test func `half of all sources have 86 lines at most, nine of ten 212, and all 398`() throws {
        let counts = try handwritten("Sources/").map { $0.lines.count - 1 }.sorted()
        #expect(counts.count > 1_000)
        #expect(counts[counts.count / 2] <= 86)
        #expect(counts[counts.count * 9 / 10] <= 212)
        let longest = try #require(counts.last)
        #expect(longest <= 398)
    }

    @Test func `nothing is forced`() throws {
        for file in try handwritten("Sources/", "Tests/") {
            for (number, line) in file.code where holdsForce(line) {
                Issue.record("\(file.path):\(number) \(line)")
            }
        }
    }

    /// Whether a mark follows a name or a bracket at once: `x!`, `f()!`, `try!`, `as!`.
    private func holdsForce(_ line: String) -> Bool {
        let bytes = Array(line.utf8)
        return bytes.indices.contains { index in
            guard bytes[index] == UInt8(ascii: "!"), index > 0 else { return false }
            let isUnequal = index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "=")
            switch bytes[index - 1] {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: ")"),
                UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: "`"), UInt8(ascii: "?"):
                return !isUnequal
            default:
                return false
            }
        }
    }

    @Test func `a promise that the compiler cannot check says why, and is listed`() throws {
        for file in try handwritten("Sources/", "Tests/") {
            var isUsed = false
            for ((number, code), line) in zip(file.code, file.lines)
            where code.contains("@unchecked Sendable") {
                isUsed = true
                #expect(Self.mayBeUnchecked.contains(file.path), "\(file.path):\(number)")
                #expect(line.contains("//"), "\(file.path):\(number) gives no reason")
            }
            #expect(isUsed == Self.mayBeUnchecked.contains(file.path), "\(file.path)")
        }
    }

    @Test func `nothing is left for later`() throws {
        // The marks are put together here, so that this file does not hold them.
        let marks = ["TO" + "DO", "FIX" + "ME"]
        for file in try handwritten("Sources/", "Tests/") + textFiles() {
            for (index, line) in file.lines.enumerated() {
                for mark in marks where line.contains(mark) {
                    Issue.record("\(file.path):\(index + 1) holds \(mark)")
                }
            }
        }
    }

    @Test func `no path of one machine is written down`() throws {
        let folders = ["work", "root", "tmp/bash"].map { "/\($0)" + "/" }
        for file in try handwritten("Sources/", "Tests/") + textFiles() {
            for (index, line) in file.lines.enumerated() {
                for folder in folders where mentions(line, folder) {
                    Issue.record("\(file.path):\(index + 1) holds \(folder)")
                }
            }
        }
    }

    /// Whether a line names the folder at the root, not as a part of a longer path.
    private func mentions(_ line: Substring, _ folder: String) -> Bool {
        line.ranges(of: folder).contains { range in
            guard range.lowerBound > line.startIndex else { return true }
            let before = line[line.index(before: range.lowerBound)]
            return !before.isLetter && !before.isNumber && before != "." && before != "}"
        }
    }

    /// Scripts, pages, configuration and protocols.
    private func textFiles() throws -> [SourceFile] {
        let binary = [".swift", ".db", ".sqlite", ".bin", ".png", ".svg", ".bundle", ".gz"]
        return try SourceTree.paths().filter { path in !binary.contains { path.hasSuffix($0) } }
            .map(SourceTree.file)
    }

    @Test func `no test waits for a real clock`() throws {
        let sleeps = ["Task.sleep", "Thread.sleep", "usleep(", "nanosleep(", " sleep("]
        for file in try handwritten("Tests/") where !Self.maySleep.contains(file.path) {
            for (number, line) in file.code where sleeps.contains(where: line.contains) {
                Issue.record("\(file.path):\(number) sleeps")
            }
        }
    }

    @Test func `only the library is public`() throws {
        for file in try handwritten("Sources/") where !file.path.hasPrefix("Sources/Flame/Hearth/")
        {
            for (number, line) in file.code
            where Declaration(line)?.access == "public" || line.hasPrefix("public extension") {
                Issue.record("\(file.path):\(number) is public")
            }
        }
    }

    @Test func `every declaration that others see is explained`() throws {
        let files = try handwritten("Sources/")
        // What a protocol of ours asks for is explained there, once.
        let requirements = Set(files.flatMap { Declaration.requirements(in: $0.code.map(\.text)) })
        for file in files {
            let lines = file.lines.map { $0.drop { $0 == " " } }
            for (number, line) in file.code {
                guard let declaration = Declaration(line), !declaration.isWellKnown,
                    !requirements.contains(declaration.name)
                else { continue }
                var above = number - 2
                while above >= 0, lines[above].hasPrefix("@") || lines[above].hasPrefix("#") {
                    above -= 1
                }
                if above < 0 || !lines[above].hasPrefix("///") {
                    Issue.record("\(file.path):\(number) \(line)")
                }
            }
        }
    }

    @Test func `the reader tells code from comments and strings`() {
        let file = SourceFile(
            path: "x.swift",
            text: #"""
                let a = b! // c!
                let d = "e! \(f("g!")) h!"; i!
                let j = """
                    k!
                    """; l!
                /* m!
                n! */ o!
                let p = #"q\"! "#; r!
                """#)
        #expect(
            file.code.map(\.text) == [
                "let a = b! ", "let d = \"\"; i!", "let j = \"\"", "", "; l!", "", " o!",
                "let p = \"\"; r!",
            ])
        #expect(holdsForce("try! x") && holdsForce("a as! B") && holdsForce("f()!.g"))
        #expect(!holdsForce("a != b") && !holdsForce("!a") && !holdsForce("a!=b"))
        #expect(!holdsForce("#if !canImport(A)") && !holdsForce("x(!y)"))
    }

    @Test func `the reader finds declarations`() {
        #expect(Declaration("    package static func f() -> Int {")?.access == "package")
        #expect(Declaration("public final class A {")?.access == "public")
        #expect(Declaration("    @usableFromInline package let a: Int")?.access == "package")
        #expect(Declaration("package private(set) var a: Int")?.access == "package")
        #expect(Declaration("package import A") == nil)
        #expect(Declaration("package extension A {") == nil)
        #expect(Declaration("    let package: Int") == nil)
        #expect(Declaration("    package var description: String { a }")?.isWellKnown == true)
        #expect(Declaration("package static func == (a: A, b: A) -> Bool")?.isWellKnown == true)
        #expect(Declaration("package func encode(_ a: A)")?.isWellKnown == false)
        #expect(Declaration("package func a<B>(_ b: B)")?.name == "func a")
        let protocolLines = [
            "package protocol P: Q {", "    func f(a: A) -> B", "    var v: A { get }", "}",
            "func g() {}",
        ]
        #expect(Declaration.requirements(in: protocolLines) == ["func f", "var v"])
    }
}
