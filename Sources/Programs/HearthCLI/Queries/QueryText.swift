import Hearth

/// A named query on one line, as it is typed after `--query`:
///
///     NAME=COLLECTION [group] [where FIELD OP VALUE]... [order FIELD[:desc]]... [limit N]
///         [limit-to-last N]
///
/// The words that begin a part stand alone and outside quotes.
struct QueryText: Hashable {
    /// Which end a limit counts from.
    enum Limit: Hashable {
        case first(Int)
        case last(Int)
    }

    private enum Keyword: String {
        case group, `where`, order, limit
        case limitToLast = "limit-to-last"
    }

    /// The query's name.
    let name: String
    /// Where to look; an id if `isGroup`.
    let collection: PathText
    /// Whether to ask all collections of the id.
    private(set) var isGroup = false
    /// What must hold.
    private(set) var conditions: [Condition] = []
    /// How to sort.
    private(set) var orderings: [Ordering] = []
    /// How many.
    private(set) var limit: Limit?

    /// Why a text is no query.
    struct Problem: Error, Hashable, CustomStringConvertible {
        let description: String
    }

    /// Reads a query.
    init(parsing text: String) throws {
        guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")), equals != text.startIndex
        else {
            throw Problem(description: "a query is NAME=COLLECTION, perhaps with conditions")
        }
        name = String(text[..<equals])
        let words = Self.words(text[text.utf8.index(after: equals)...])
        guard let path = words.first.flatMap({ PathText(String($0)) }), !path.isDocument else {
            throw Problem(description: "\"\(name)\" names no collection, such as rooms")
        }
        collection = path
        var rest = words.dropFirst()
        while let word = rest.popFirst() {
            guard let keyword = Keyword(rawValue: String(word)) else {
                throw Problem(
                    description: "\"\(word)\" is none of group, where, order, limit, "
                        + "limit-to-last")
            }
            let operand = rest.prefix { Keyword(rawValue: String($0)) == nil }
            rest = rest.dropFirst(operand.count)
            let span = operand.first.map { first in
                String(text[first.startIndex..<(operand.last ?? first).endIndex])
            }
            try take(keyword, span ?? "")
        }
        if case .last? = limit, orderings.isEmpty {
            throw Problem(description: "limit-to-last needs an order")
        }
        if isGroup, collection.segments.count != 1 {
            throw Problem(description: "group takes a collection's id, not a path")
        }
    }

    private mutating func take(_ keyword: Keyword, _ operand: String) throws {
        switch keyword {
        case .group: isGroup = true
        case .where: conditions.append(try Condition(parsing: operand))
        case .order: orderings.append(try Ordering(parsing: operand))
        case .limit: limit = .first(try Self.number(operand))
        case .limitToLast: limit = .last(try Self.number(operand))
        }
    }

    private static func number(_ text: String) throws -> Int {
        guard let number = Int(text), number > 0 else {
            throw Problem(description: "a limit is a number from 1, not \"\(text)\"")
        }
        return number
    }

    /// Words between spaces; what stands in quotes or backticks is one word.
    ///
    /// By bytes: a combining mark behind a quote would join the quote as one character, yet is the
    /// first character of the quoted text.
    private static func words(_ text: Substring) -> [Substring] {
        let bytes = text.utf8
        var words: [Substring] = []
        var start: String.Index?
        var quote: UInt8?
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            if let open = quote {
                if byte == UInt8(ascii: "\\") {
                    index = bytes.index(after: index)
                    if index == bytes.endIndex { break }
                } else if byte == open {
                    quote = nil
                }
            } else if byte == UInt8(ascii: " ") {
                if let begun = start { words.append(text[begun..<index]) }
                start = nil
                index = bytes.index(after: index)
                continue
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "`") {
                quote = byte
            }
            start = start ?? index
            index = bytes.index(after: index)
        }
        if let begun = start { words.append(text[begun...]) }
        return words
    }

    /// The query in a database.
    func query(in firestore: Firestore) throws -> Query {
        var query: Query =
            isGroup
            ? firestore.collectionGroup(collection.description)
            : try firestore.validatedCollection(collection.description)
        for condition in conditions {
            query = query.whereFilter(try condition.filter(in: firestore))
        }
        for ordering in orderings {
            query = query.order(by: ordering.field.fieldPath, descending: ordering.isDescending)
        }
        switch limit {
        case .first(let count)?: return query.limit(to: count)
        case .last(let count)?: return query.limit(toLast: count)
        case nil: return query
        }
    }
}
