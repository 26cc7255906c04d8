import Testing

/// A function can be read at once.
struct FunctionLengthTests {
    private static let lineCountMax = 77

    /// The functions of a file by the numbers of their first lines, with the lines from the head to the
    /// closing brace, which stands under the first letter of the head.
    private static func functions(in file: SourceFile) -> [(number: Int, lineCount: Int)] {
        let lines = file.code.map(\.text)
        return lines.indices.compactMap { first in
            let line = lines[first]
            let margin = line.prefix { $0 == " " }
            guard isHead(line.dropFirst(margin.count)) else { return nil }
            if line.hasSuffix("}") { return (file.code[first].number, 1) }
            let end = lines[(first + 1)...].firstIndex { line in
                line.hasPrefix(margin + "}") || isShallower(line, than: margin.count)
            }
            guard let end, lines[end].hasPrefix(margin + "}") else { return nil }
            return (file.code[first].number, end - first + 1)
        }
    }

    private static func isHead(_ line: Substring) -> Bool {
        let words = line.split(separator: " ")
        guard let index = words.firstIndex(where: { $0 == "func" || $0.hasPrefix("init") }) else {
            return false
        }
        let heads = ["func", "init(", "init?(", "init<"]
        return heads.contains { words[index].hasPrefix($0) }
            && words[..<index].allSatisfy { !$0.contains("=") && !$0.contains(".") }
    }

    private static func isShallower(_ line: String, than margin: Int) -> Bool {
        let count = line.prefix { $0 == " " }.count
        return count < margin && count < line.count
    }

    @Test func `no function is longer than two screens`() throws {
        var count = 0
        for file in try SourceTree.swiftFiles(below: "Sources/") where !file.isGenerated {
            for (number, lineCount) in Self.functions(in: file) {
                count += 1
                #expect(
                    lineCount <= Self.lineCountMax,
                    "\(file.path):\(number) has \(lineCount) lines")
            }
        }
        #expect(count > 5_000)
    }

    @Test func `half of all functions have seven lines at most, nine of ten twenty`() throws {
        let counts = try SourceTree.swiftFiles(below: "Sources/").filter { !$0.isGenerated }
            .flatMap { Self.functions(in: $0).map(\.lineCount) }.sorted()
        #expect(counts.count > 5_000)
        #expect(counts[counts.count / 2] <= 7)
        #expect(counts[counts.count * 9 / 10] <= 20)
    }

    @Test func `a function goes to the brace under its head`() {
        let text = """
            protocol P {
                func asked(
                    a: Int) -> Int
            }
            struct A {
                package init(
                    a: Int
                ) {
                    if a > 0 { f() }

                }

                func short() { f() }
                private static func f() {
                    g {
                    }
                }
            }
            """
        let functions = Self.functions(in: SourceFile(path: "A.swift", text: text))
        #expect(functions.map(\.number) == [6, 13, 14])
        #expect(functions.map(\.lineCount) == [6, 1, 4])
    }
}
