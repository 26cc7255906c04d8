import HearthModel

/// Methods of text.
extension Evaluator {
    mutating func method(
        _ name: String, of text: String, _ arguments: [RuleValue]
    ) throws(EvaluationError) -> RuleValue {
        try spend(text.utf8.count / 8 + 1)
        switch (name, arguments.first, arguments.count) {
        case ("size", _, 0): return .integer(Int64(text.utf16.count))
        case ("lower", _, 0): return .string(Self.mapped(text, 0x41...0x5A))
        case ("upper", _, 0): return .string(Self.mapped(text, 0x61...0x7A))
        case ("trim", _, 0): return .string(Self.trimmed(text))
        case ("toUtf8", _, 0): return .bytes(Array(text.utf8))
        case ("matches", .string(let pattern)?, 1):
            return .boolean(try matches(text, pattern))
        case ("split", .string(let pattern)?, 1): return .list(try split(text, pattern))
        case ("replace", .string(let pattern)?, 2):
            guard case .string(let template) = arguments[1] else {
                throw .unsupported("string.replace(\(arguments.typeNames))")
            }
            return .string(try replace(pattern, in: text, by: template))
        default:
            throw refusal(
                name, "string", arguments,
                ["size", "lower", "upper", "trim", "toUtf8", "matches", "split", "replace"])
        }
    }

    /// The text of a value that has one.
    func text(of value: RuleValue) throws(EvaluationError) -> String {
        switch value {
        case .null: return "null"
        case .boolean(let flag): return flag ? "true" : "false"
        case .integer(let number): return "\(number)"
        case .float(let number): return RuleMath.text(of: number)
        case .string(let text): return text
        case .path(let path): return path.segments.isEmpty ? "/" : path.text
        case .bytes, .timestamp, .duration, .latlng, .list, .set, .map, .vector, .mapDiff,
            .constraint:
            throw .unsupported("string(\(value.typeName))")
        }
    }

    /// Letters of ASCII change their case, and no others, as in production.
    private static func mapped(_ text: String, _ letters: ClosedRange<UInt8>) -> String {
        String(
            decoding: text.utf8.map { letters.contains($0) ? $0 ^ 0x20 : $0 }, as: UTF8.self)
    }

    private static func trimmed(_ text: String) -> String {
        let bytes = text.utf8
        let isContent: (UInt8) -> Bool = { $0 > 0x20 }
        guard let start = bytes.firstIndex(where: isContent),
            let end = bytes.lastIndex(where: isContent)
        else { return "" }
        return String(text[start...end])
    }

    private mutating func matches(
        _ text: String, _ pattern: String
    ) throws(EvaluationError) -> Bool {
        var matcher = try matcher(pattern, text)
        let isMatch = matcher.matchesWhole()
        try settle(matcher)
        return isMatch
    }

    /// The pieces between the matches; empty ones at the end do not count.
    private mutating func split(
        _ text: String, _ pattern: String
    ) throws(EvaluationError) -> [RuleValue] {
        var matcher = try matcher(pattern, text)
        var pieces: [String] = []
        var start = 0
        for places in try found(&matcher) {
            pieces.append(matcher.content(start..<places[0]))
            start = places[1]
        }
        pieces.append(matcher.content(start..<matcher.text.count))
        while pieces.count > 1, pieces.last?.isEmpty ?? false { pieces.removeLast() }
        return pieces.map { .string($0) }
    }

    /// The text with every match replaced; `$1` in the template is the first group, and a backslash
    /// takes the meaning of the next character away.
    private mutating func replace(
        _ pattern: String, in text: String, by template: String
    ) throws(EvaluationError) -> String {
        var matcher = try matcher(pattern, text)
        var result = ""
        var start = 0
        for places in try found(&matcher) {
            result += matcher.content(start..<places[0])
            result += Self.filled(template, places, matcher)
            start = places[1]
            guard result.utf8.count < RulesLimits.workMax / 16 else { throw .tooMuchWork }
        }
        return result + matcher.content(start..<matcher.text.count)
    }

    private static func filled(
        _ template: String, _ places: PatternMatcher.Places, _ matcher: PatternMatcher
    ) -> String {
        var result = String.UnicodeScalarView()
        var rest = template.unicodeScalars[...]
        let groupCount = places.count / 2
        while let scalar = rest.popFirst() {
            if scalar == "\\", let literal = rest.popFirst() {
                result.append(literal)
                continue
            }
            guard scalar == "$", var group = rest.first?.digit else {
                result.append(scalar)
                continue
            }
            rest.removeFirst()
            // As many digits as there may be in the number of a group.
            while let digit = rest.first?.digit, group * 10 + digit < groupCount {
                group = group * 10 + digit
                rest.removeFirst()
            }
            guard group < groupCount, places[group * 2] >= 0 else { continue }
            result.append(contentsOf: matcher.text[places[group * 2]..<places[group * 2 + 1]])
        }
        return String(result)
    }

    /// All matches, none overlapping another.
    private mutating func found(
        _ matcher: inout PatternMatcher
    ) throws(EvaluationError) -> [PatternMatcher.Places] {
        var result: [PatternMatcher.Places] = []
        var start = 0
        while start <= matcher.text.count, let places = matcher.first(from: start) {
            result.append(places)
            start = places[1] == places[0] ? places[1] + 1 : places[1]
        }
        try settle(matcher)
        return result
    }

    private func matcher(
        _ pattern: String, _ text: String
    ) throws(EvaluationError) -> PatternMatcher {
        do {
            return PatternMatcher(try Pattern(pattern), text, work: work)
        } catch {
            throw EvaluationError("Invalid regular expression pattern. Pattern: \(pattern).")
        }
    }

    private mutating func settle(_ matcher: PatternMatcher) throws(EvaluationError) {
        work = matcher.work
        guard work > 0 else { throw .tooMuchWork }
    }
}

extension PatternMatcher {
    /// A piece of the text.
    func content(_ range: Range<Int>) -> String {
        var result = String.UnicodeScalarView()
        result.append(contentsOf: text[range])
        return String(result)
    }
}

extension Unicode.Scalar {
    /// The value of a decimal digit of ASCII; `nil` for any other character.
    fileprivate var digit: Int? { ("0"..."9").contains(self) ? Int(value) - 0x30 : nil }
}
