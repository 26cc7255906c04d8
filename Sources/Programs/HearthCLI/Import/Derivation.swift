/// `TARGET=SOURCE:STEP:STEP...`, as it is typed after `--derive`: a field made from another.
///
///     country=code:before:-          "DE-BE" becomes "DE"
///     letter=name:first:1:upper
///     home=code:before:-:ref:countries
///
/// A backslash takes a colon as it is. A record without the source goes without the target.
struct Derivation: Hashable {
    /// One change to a text.
    enum Step: Hashable {
        /// The part before the first place of a text; all, if there is no such place.
        case before(String)
        /// The part after the first place of a text; all, if there is no such place.
        case after(String)
        /// So many characters from the start.
        case first(Int)
        /// So many characters from the end.
        case last(Int)
        case lower
        case upper
        /// A whole number, if the text is one.
        case integer
        /// The document of that name in a collection.
        case reference(String)
    }

    /// The new field.
    let target: FieldPathText
    /// What it is made from.
    let source: FieldPathText
    /// How.
    let steps: [Step]

    /// Reads a rule.
    init(parsing text: String) throws(ValueSyntaxError) {
        var rest = Substring(text)
        target = try FieldPathText(readingFrom: &rest, in: text)
        guard rest.first == "=" else {
            throw Self.error("\"=\" is missing after the new field", rest, in: text)
        }
        rest.removeFirst()
        source = try FieldPathText(readingFrom: &rest, in: text)
        var steps: [Step] = []
        while !rest.isEmpty {
            steps.append(try Self.readStep(&rest, in: text))
        }
        self.steps = steps
    }

    private static func readStep(
        _ rest: inout Substring, in text: String
    ) throws(ValueSyntaxError) -> Step {
        let start = rest
        let name = readPart(&rest)
        switch name {
        case "lower": return .lower
        case "upper": return .upper
        case "integer": return .integer
        case "before", "after", "first", "last", "ref":
            let place = rest
            guard let argument = readPart(&rest), !argument.isEmpty else {
                throw error("\"\(name ?? "")\" needs \":\" and an argument", place, in: text)
            }
            return try step(name ?? "", argument, at: place, in: text)
        case let other:
            throw error(
                "\"\(other ?? "")\" is no step; there are before:TEXT after:TEXT first:N last:N "
                    + "lower upper integer ref:COLLECTION", start, in: text)
        }
    }

    private static func step(
        _ name: String, _ argument: String, at place: Substring, in text: String
    ) throws(ValueSyntaxError) -> Step {
        switch name {
        case "before": return .before(argument)
        case "after": return .after(argument)
        case "ref":
            guard let path = PathText(argument), !path.isDocument else {
                throw error("\"\(argument)\" is no collection", place, in: text)
            }
            return .reference(path.description)
        default:
            guard let count = Int(argument), count >= 0 else {
                throw error("\"\(argument)\" is no count", place, in: text)
            }
            return name == "first" ? .first(count) : .last(count)
        }
    }

    /// Takes a colon and what follows it up to the next.
    private static func readPart(_ rest: inout Substring) -> String? {
        guard rest.popFirst() == ":" else { return nil }
        var part = ""
        while let character = rest.first, character != ":" {
            rest.removeFirst()
            part.append(character == "\\" ? rest.popFirst() ?? "\\" : character)
        }
        return part
    }

    private static func error(
        _ reason: String, _ rest: Substring, in text: String
    ) -> ValueSyntaxError {
        ValueSyntaxError(reason, at: text.utf8.count - rest.utf8.count, in: Array(text.utf8))
    }
}

// MARK: - At work

extension Derivation {
    /// The record with the new field; as it was, if the source is missing.
    func apply(to record: ValueLiteral) throws(ImportProblem) -> ValueLiteral {
        guard var value = record.value(at: source.names[...]) else { return record }
        for step in steps {
            guard let next = Self.apply(step, to: value) else {
                throw ImportProblem(
                    reason: "\(target) cannot be derived from \(source), which is "
                        + ValueWriter.write(value, as: .text))
            }
            value = next
        }
        return record.setting(value, at: target.names[...])
    }

    private static func apply(_ step: Step, to value: ValueLiteral) -> ValueLiteral? {
        guard case .string(let text) = value else { return nil }
        switch step {
        case .before(let mark):
            return .string(text.range(of: mark).map { String(text[..<$0.lowerBound]) } ?? text)
        case .after(let mark):
            return .string(text.range(of: mark).map { String(text[$0.upperBound...]) } ?? text)
        case .first(let count): return .string(String(text.prefix(count)))
        case .last(let count): return .string(String(text.suffix(count)))
        case .lower: return .string(text.lowercased())
        case .upper: return .string(text.uppercased())
        case .integer: return Int64(text).map(ValueLiteral.integer)
        case .reference(let collection):
            return text.isEmpty || text.utf8.contains(UInt8(ascii: "/"))
                ? nil : .reference("\(collection)/\(text)")
        }
    }
}

extension String {
    /// The first place of a text.
    fileprivate func range(of text: String) -> Range<String.Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) {
                return start..<index(start, offsetBy: text.count)
            }
            start = index(after: start)
        }
        return nil
    }
}

extension ValueLiteral {
    /// The value at a path of names; `nil` if a map on the way lacks the name.
    func value(at path: ArraySlice<String>) -> ValueLiteral? {
        guard let name = path.first else { return self }
        return self[name]?.value(at: path.dropFirst())
    }

    /// The map with a value at a path of names. A map replaces every other value on the way.
    func setting(_ value: ValueLiteral, at path: ArraySlice<String>) -> ValueLiteral {
        guard let name = path.first else { return value }
        var fields = self.fields ?? []
        let index = fields.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
        let before = index.map { fields[$0].value } ?? .map([])
        let field = Field(name: name, value: before.setting(value, at: path.dropFirst()))
        if let index { fields[index] = field } else { fields.append(field) }
        return .map(fields)
    }
}
