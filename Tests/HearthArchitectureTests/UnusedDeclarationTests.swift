import Testing

/// Everything that is declared is used: a name that only its declarations have is found.
struct UnusedDeclarationTests {
    private static let keywords: Set<Substring> = [
        "func", "var", "let", "struct", "enum", "class", "actor", "protocol", "typealias", "case",
        "associatedtype",
    ]

    /// What protocols of others ask for; only the others' code says these names.
    private static let witnesses: Set<String> = [
        // Codable
        "allKeys", "nestedContainer", "nestedUnkeyedContainer", "superDecoder", "superEncoder",
        // The standard library
        "checkIsolated", "customMirror", "unownedExecutor",
        // SwiftNIO
        "InboundOut", "OutboundIn", "channelActive", "channelRead",
        "channelReadComplete", "channelWritabilityChanged", "errorCaught", "handlerAdded",
        "handlerRemoved", "userInboundEventTriggered", "wroteFrame",
    ]

    /// What programs begin with.
    private static let entries: Set<String> = ["DemoWriter", "HearthProgram"]

    /// What only tests look at: the effort and the state of what cannot be seen otherwise.
    private static let looks: Set<String> = [
        "activeLimboTargets", "checkpoint", "enqueuedLimboKeys", "examinedTargetCount", "heldCount",
        "keptFrameCount", "outstandingWriteCount", "queuedWriteCount", "undecidedKeys",
        "wireTargetIDs",
    ]

    /// The words of a line.
    private static func words(of line: some StringProtocol) -> [Substring] {
        let isPart: (UInt8) -> Bool = { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        let text = Substring(line)
        return text.utf8.split { !isPart($0) }.map { Substring($0) }
    }

    /// The name that a line declares; `nil` for a line that declares none, and for what is public.
    private static func declared(by line: String) -> String? {
        let words = line.split(separator: " ")
        guard let index = words.firstIndex(where: { keywords.contains($0) }),
            index + 1 < words.count, words[..<index].allSatisfy(isModifier)
        else { return nil }
        let name = Self.words(of: words[index + 1]).first
        guard let name, words[index + 1].hasPrefix(name), name != "let", name != "var",
            words[index] != "case" || !isPattern(line)
        else { return nil }
        return String(name)
    }

    /// Whether a case is one of a switch: a colon stands outside all brackets.
    private static func isPattern(_ line: String) -> Bool {
        var depth = 0
        for byte in line.utf8 {
            switch byte {
            case UInt8(ascii: "("), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ":") where depth == 0: return true
            default: break
            }
        }
        return false
    }

    private static func isModifier(_ word: Substring) -> Bool {
        word.hasPrefix("@") || word.hasPrefix("private(") || word.hasPrefix("package(")
            || ["package", "private", "fileprivate", "static", "mutating", "final", "indirect"]
                .contains(word)
            || ["override", "nonisolated", "consuming", "borrowing", "lazy", "weak", "prefix"]
                .contains(word)
    }

    @Test func `no name stands in its declarations alone`() throws {
        let files = try SourceTree.swiftFiles(below: "Sources/").filter { !$0.isGenerated }
        var uses: [Substring: Int] = [:]
        for file in files {
            for line in file.lines where !line.drop(while: { $0 == " " }).hasPrefix("//") {
                for word in Self.words(of: line) { uses[word, default: 0] += 1 }
            }
        }
        var declarations: [String: [String]] = [:]
        for file in files {
            for (number, line) in file.code {
                guard let name = Self.declared(by: line) else { continue }
                declarations[name, default: []].append("\(file.path):\(number)")
            }
        }
        #expect(declarations.count > 5_000)
        let unused = declarations.filter { uses[Substring($0.key)] == $0.value.count }
        let expected = Self.witnesses.union(Self.entries).union(Self.looks)
        for (name, places) in unused where !expected.contains(name) {
            Issue.record("\(name) is declared at \(places), and nothing uses it")
        }
        for name in expected where unused[name] == nil {
            Issue.record("\(name) is used, or gone: take it off the list")
        }
    }

    @Test func `what only tests look at is looked at by tests`() throws {
        let names = Set(Self.looks.map { Substring($0) })
        var found: Set<Substring> = []
        for file in try SourceTree.swiftFiles(below: "Tests/")
        where !file.path.hasPrefix("Tests/HearthArchitectureTests/") {
            for (_, line) in file.code { found.formUnion(names.intersection(Self.words(of: line))) }
        }
        #expect(found == names)
    }

    @Test(arguments: [
        ("    package static func f<A>(_ a: A) {", "f"), ("    private var isIn = false", "isIn"),
        ("package struct Held: Sendable {", "Held"), ("    case early, late", "early"),
        ("    case failed(code: Int)", "failed"), ("    case early = \"a\"", "early"),
        ("    package private(set) var a: Int", "a"),
    ])
    func `a declaration is read`(line: String, name: String) {
        #expect(Self.declared(by: line) == name)
    }

    @Test(arguments: [
        "public func f() {", "        case .early:", "        case early: f()",
        "        case A, B:",
        "    return value",
        "        case .failed(let error) = state", "    guard let value else {", "    if let a {",
    ])
    func `what declares nothing is passed over`(line: String) {
        #expect(Self.declared(by: line) == nil)
    }
}
