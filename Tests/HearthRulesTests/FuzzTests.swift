import HearthModel
import HearthRules
import HearthTestSupport
import Testing

/// Rule sets that nobody wrote: each is refused or answers, and soon.
struct FuzzTests {
    /// Sources in the form of the grammar, with little sense.
    struct Grammar {
        var random: SeededGenerator

        mutating func source() -> String {
            let version = random.pick(["1", "2", "2"])
            let functions = (0..<3).map { index in
                let binding = version == "2" ? "let c = \(expression(2)); " : ""
                return "function f\(index)(a, b) { \(binding)return \(expression(2)); }"
            }
            let matches = (0..<2).map { _ in match(2) }
            return RulesSpec.framed((functions + matches).joined(separator: "\n"), version: version)
        }

        private mutating func match(_ depth: Int) -> String {
            let path = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                random.pick(["/rooms", "/{x}", "/{y}", "/{z=**}", "/a", "/(b)"])
            }.joined()
            let inner = depth > 0 && Bool.random(using: &random) ? match(depth - 1) : ""
            let methods = random.pick(["read", "write", "get, list", "create, update", "delete"])
            return "match \(path) { allow \(methods): if \(expression(3)); \(inner) }"
        }

        mutating func expression(_ depth: Int) -> String {
            guard depth > 0 else {
                return random.pick([
                    "true", "false", "null", "1", "-1", "9223372036854775807", "0.5", "'a'", "''",
                    "b'a'", "[]", "{}", "x", "y", "z", "a", "b", "c", "resource", "request",
                    "resource.data", "resource.data.n", "resource.data.s", "resource.data.l",
                    "request.auth.uid", "request.resource.data", "request.query", "request.time",
                    "/databases/$(database)/documents/rooms/a", "request.path",
                ])
            }
            let left = expression(depth - 1)
            switch Int.random(in: 0..<12, using: &random) {
            case 0...2:
                let op = random.pick([
                    "&&", "||", "==", "!=", "<", "<=", ">", ">=", "in", "+", "-", "*", "/", "%",
                ])
                return "(\(left) \(op) \(expression(depth - 1)))"
            case 3: return "!\(left)"
            case 4: return "(\(left) ? \(expression(depth - 1)) : \(expression(depth - 1)))"
            case 5: return "(\(left))[\(expression(depth - 1))]"
            case 6: return "(\(left))[\(expression(1)):\(expression(1))]"
            case 7: return "[\(left), \(expression(depth - 1))]"
            case 8:
                let name = random.pick([
                    "get", "exists", "getAfter", "existsAfter", "debug", "int", "float", "string",
                    "path", "math.abs", "math.pow", "math.round", "timestamp.value",
                    "timestamp.date", "duration.value", "duration.abs", "latlng.value",
                    "hashing.md5", "hashing.sha256", "hashing.crc32", "f0", "f1", "f2",
                ])
                let arguments = [left, expression(1), expression(1)]
                    .prefix(Int.random(in: 0...3, using: &random))
                return "\(name)(\(arguments.joined(separator: ", ")))"
            case 9:
                return "(\(left)) is \(random.pick(["int", "string", "map", "list", "number"]))"
            default:
                let name = random.pick([
                    "size", "keys", "values", "get", "diff", "hasAll", "hasAny", "hasOnly", "toSet",
                    "union", "concat", "join", "removeAll", "matches", "split", "replace", "lower",
                    "trim", "toUtf8", "toBase64", "affectedKeys", "year", "date", "seconds",
                    "distance", "bind",
                ])
                let arguments = [expression(1), expression(1)]
                    .prefix(Int.random(in: 0...2, using: &random))
                return "(\(left)).\(name)(\(arguments.joined(separator: ", ")))"
            }
        }
    }

    /// Asks everything of a set of rules.
    private static func ask(_ rules: RuleSet) throws {
        var spec = try RulesSpec("match /a/{b} { allow read; }")
        spec.rules = rules
        spec.put(
            "rooms/a",
            [
                "n": .integer(5), "s": .string("abc"), "l": .array([.integer(1), .string("x")]),
                "m": .map(["k": .null]),
            ])
        _ = spec.get("rooms/a")
        _ = spec.get("rooms/a/b/c", by: nil)
        _ = spec.create("rooms/b", ["n": .double(.nan)])
        _ = spec.update("rooms/a", ["n": .integer(.min)])
        _ = spec.delete("rooms/a")
        _ = try spec.list(
            "rooms", FieldFilter(field: FieldPath(["n"]), op: .greaterThan, value: .integer(1)))
        _ = try spec.list("", group: "rooms")
    }

    @Test func `rule sets of the grammar answer`() throws {
        var answered = 0
        for seed in 0..<Self.count {
            var grammar = Grammar(random: SeededGenerator(seed: UInt64(seed)))
            let source = grammar.source()
            guard let rules = try? RuleSet(source) else { continue }
            answered += 1
            try Self.ask(rules)
        }
        // Version 1 refuses some paths, and functions may call each other in a circle.
        #expect(answered > Self.count / 8)
    }

    @Test func `rule sets with changed bytes are refused or answer`() throws {
        let pieces = [
            "(", ")", "[", "]", "{", "}", "/", "$(", "'", "\"", "\\", "//", "/*", ".", "..", "=**",
            "&&", "||", "!", "-", "9", "\u{0}", "\u{FF}", "é", "\n", "match ", "allow ", "if ",
            "let ", "return ", "function ", "matches('", "(a*)*", "{1000}", "[^", "\\p{L}",
        ]
        for seed in 0..<Self.count {
            var random = SeededGenerator(seed: UInt64(seed) << 32)
            var grammar = Grammar(random: random)
            var bytes = Array(grammar.source().utf8)
            for _ in 0..<Int.random(in: 1...8, using: &random) where !bytes.isEmpty {
                let place = Int.random(in: bytes.indices, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &random)
                case 1: bytes.remove(at: place)
                case 2: bytes.insert(contentsOf: random.pick(pieces).utf8, at: place)
                default: bytes.removeSubrange(place..<min(place + 40, bytes.count))
                }
            }
            guard let rules = try? RuleSet(String(decoding: bytes, as: UTF8.self)) else {
                continue
            }
            try Self.ask(rules)
        }
    }

    @Test func `patterns that nobody wrote are refused or answer`() throws {
        let pieces = [
            "a", "b", ".", "*", "+", "?", "|", "(", ")", "(?:", "(?i)", "[", "]", "[^a-c]", "{2}",
            "{2,}", "{1,30}", "^", "$", "\\b", "\\w", "\\pL", "\\Q", "\\E", "[[:alpha:]]", "-",
        ]
        for seed in 0..<Self.count {
            var random = SeededGenerator(seed: UInt64(seed) &* 77)
            let pattern = (0..<Int.random(in: 1...14, using: &random)).map { _ in
                random.pick(pieces)
            }.joined()
            let literal = pattern.split(separator: "\\", omittingEmptySubsequences: false)
                .joined(separator: "\\\\")
            let name = random.pick(["matches('", "split('"])
            let body = "match /a/{b} { allow get: if 'abcabcaaaa'.\(name)\(literal)') == true; }"
            guard let spec = try? RulesSpec(body) else { continue }
            _ = spec.get("a/x")
        }
    }

    /// How many of each kind. `HEARTH_FUZZ_COUNT` asks for a longer run.
    private static let count = FuzzSettings.count
}
