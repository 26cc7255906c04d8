/// Reads RFC 8259 from bytes: strict, without recursion deeper than a limit.
package struct JSONReader {
    /// How deep arrays and objects may nest. Three levels a Firestore map, twenty maps, and room.
    package static let depthMax = 256

    private var cursor: JSONCursor
    private var depth = 0

    /// Reads one value; `bytes` may hold nothing else except white space around the value.
    ///
    /// - Throws: `JSONError` for bytes that are not one JSON value.
    /// - Complexity: O(n).
    package static func read(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
        var reader = JSONReader(cursor: JSONCursor(bytes))
        let value = try reader.readValue()
        try reader.cursor.finish()
        return value
    }

    private mutating func readValue() throws(JSONError) -> JSONValue {
        cursor.skipSpace()
        guard let byte = cursor.next else {
            throw cursor.error("it ends where a value should be")
        }
        switch byte {
        case UInt8(ascii: "{"): return try readObject()
        case UInt8(ascii: "["): return try readArray()
        case UInt8(ascii: "\""): return .string(try cursor.readString())
        case UInt8(ascii: "t"): return try readWord("true", .boolean(true))
        case UInt8(ascii: "f"): return try readWord("false", .boolean(false))
        case UInt8(ascii: "n"): return try readWord("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            switch try cursor.readNumber() {
            case .integer(let number): return .integer(number)
            case .double(let number): return .double(number)
            }
        default: throw cursor.error("no value starts like this")
        }
    }

    private mutating func readWord(_ word: StaticString, _ value: JSONValue) throws(JSONError)
        -> JSONValue
    {
        try cursor.readWord(word)
        return value
    }

    private mutating func enter(until end: UInt8) throws(JSONError) -> Bool {
        depth += 1
        guard depth <= Self.depthMax else {
            throw cursor.error("it nests deeper than \(Self.depthMax)")
        }
        return cursor.enter(until: end)
    }

    private mutating func readArray() throws(JSONError) -> JSONValue {
        let end = UInt8(ascii: "]")
        var elements: [JSONValue] = []
        if try enter(until: end) {
            repeat { elements.append(try readValue()) } while try cursor.goesOn(until: end)
        }
        depth -= 1
        return .array(elements)
    }

    private mutating func readObject() throws(JSONError) -> JSONValue {
        let end = UInt8(ascii: "}")
        var members: [JSONValue.Member] = []
        var names: Set<UTF8Text> = []
        if try enter(until: end) {
            repeat {
                let name = try cursor.readName()
                let value = try readValue()
                guard names.insert(UTF8Text(name)).inserted else {
                    throw cursor.error("the member \"\(name)\" is there twice")
                }
                members.append(.init(name: name, value: value))
            } while try cursor.goesOn(until: end)
        }
        depth -= 1
        return .object(members)
    }
}
