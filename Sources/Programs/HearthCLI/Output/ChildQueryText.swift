/// A query for children in the options that ask it: `--order-by v --limit-to-last 2`.
enum ChildQueryText {
    /// The options that ask a query, ready for a shell; `nil` if no options ask it, because a program's query
    /// has a key beside the value of a bound.
    ///
    /// - Parameter object: The query in the form of the Realtime Database's protocol, as `KeptPlace` has it.
    static func options(of object: String) -> String? {
        guard let query = try? ValueReader.read(Array(object.utf8), wideIntegers: .double),
            query.fields != nil, let start = Bound(startOf: query), let end = Bound(endOf: query),
            let words = words(of: query, from: start, to: end)
        else { return nil }
        return words.map(ShellText.word).joined(separator: " ")
    }

    /// One end of the range; without a value the query has no such end.
    private struct Bound: Hashable {
        let value: ValueLiteral?
        let isInclusive: Bool

        init?(startOf query: ValueLiteral) {
            self.init(
                query["sp"], key: query["sn"], isInclusive: query["sin"], outside: "[MAX_NAME]")
        }

        init?(endOf query: ValueLiteral) {
            self.init(
                query["ep"], key: query["en"], isInclusive: query["ein"], outside: "[MIN_NAME]")
        }

        /// Reads an end. `nil` if the end names a key, other than the key `outside` with which a
        /// bound leaves out a value.
        private init?(
            _ value: ValueLiteral?, key: ValueLiteral?, isInclusive: ValueLiteral?, outside: String
        ) {
            self.value = value
            self.isInclusive = isInclusive != .boolean(false)
            if let key, self.isInclusive || key != .string(outside) { return nil }
        }
    }

    private static func words(
        of query: ValueLiteral, from start: Bound, to end: Bound
    ) -> [String]? {
        var words: [String] = []
        if let order = query["i"] {
            guard case .string(let path) = order else { return nil }
            words += ["--order-by", path]
        }
        if let value = start.value, start == end, start.isInclusive {
            words += ["--equal-to", text(of: value)]
        } else {
            if let value = start.value {
                words += [start.isInclusive ? "--start-at" : "--start-after", text(of: value)]
            }
            if let value = end.value {
                words += [end.isInclusive ? "--end-at" : "--end-before", text(of: value)]
            }
        }
        if let limit = query["l"] {
            guard case .integer(let count) = limit else { return nil }
            let isLast = query["vf"] == .string("r")
            words += [isLast ? "--limit-to-last" : "--limit-to-first", "\(count)"]
        }
        return words
    }

    /// The value as an argument: text goes without quotes if it is read back as text.
    private static func text(of value: ValueLiteral) -> String {
        if case .string(let text) = value,
            !text.unicodeScalars.contains(where: TerminalText.isOrder),
            (try? ValueReader.readArgument(text, wideIntegers: .double)) == value
        {
            return text
        }
        return ValueWriter.write(value, as: .json)
    }
}
