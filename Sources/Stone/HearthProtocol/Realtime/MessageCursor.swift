import HearthModel

/// Walks over a message whose members may come in any order.
struct MessageCursor {
    private var cursor: JSONCursor

    init(_ message: [UInt8]) {
        cursor = JSONCursor(message)
    }

    /// Visits each member of an object; the visitor must pass the value.
    mutating func readMembers(
        _ visit: (String, inout MessageCursor) throws(RealtimeCodecError) -> Void
    ) throws(RealtimeCodecError) {
        let end = UInt8(ascii: "}")
        cursor.skipSpace()
        guard cursor.next == UInt8(ascii: "{") else { throw .malformed("an object is missing") }
        guard cursor.enter(until: end) else { return }
        repeat {
            let name = try wrap { (cursor) throws(JSONError) in try cursor.readName() }
            try visit(name, &self)
        } while try wrap { (cursor) throws(JSONError) in try cursor.goesOn(until: end) }
    }

    /// Reads an object with a tag and a body; the tag says how to read the body.
    ///
    /// - Returns: What `read` made of the body; `nil` if the tag or the body is missing.
    mutating func readTagged<Result>(
        _ tag: String, _ body: String,
        _ read: (String, inout MessageCursor) throws(RealtimeCodecError) -> Result
    ) throws(RealtimeCodecError) -> Result? {
        var kind: String?
        var early: MessageCursor?
        var result: Result?
        try readMembers { (name, cursor) throws(RealtimeCodecError) in
            if name == tag {
                kind = try cursor.readText()
            } else if name == body, let kind {
                result = try read(kind, &cursor)
            } else {
                if name == body { early = cursor }
                try cursor.skip()
            }
        }
        if let kind, var early { result = try read(kind, &early) }
        return result
    }

    /// Reads a message of either side, whole: `read` gets what the message is, and its body.
    ///
    /// - Throws: `RealtimeCodecError` for a message without a kind or a body, and what `read` throws.
    static func readMessage<Message>(
        _ bytes: [UInt8],
        _ read: (String, inout MessageCursor) throws(RealtimeCodecError) -> Message
    ) throws(RealtimeCodecError) -> Message {
        var cursor = MessageCursor(bytes)
        let message = try cursor.readTagged("t", "d", read)
        try cursor.finish()
        guard let message else { throw .malformed("\"t\" or \"d\" is missing") }
        return message
    }

    /// The members of an object by name, for readers that need an order of their own.
    mutating func readFields() throws(RealtimeCodecError) -> Fields {
        var fields = Fields()
        fields.all.reserveCapacity(Fields.usualCount)
        try readMembers { (name, cursor) throws(RealtimeCodecError) in
            guard fields.all.count < Fields.countMax else {
                throw .malformed("an object has more than \(Fields.countMax) members")
            }
            fields.all.append((name, cursor))
            try cursor.skip()
        }
        return fields
    }

    mutating func readText() throws(RealtimeCodecError) -> String {
        cursor.skipSpace()
        return try wrap { (cursor) throws(JSONError) in try cursor.readString() }
    }

    mutating func readInteger() throws(RealtimeCodecError) -> Int64 {
        cursor.skipSpace()
        switch try wrap({ (cursor) throws(JSONError) in try cursor.readNumber() }) {
        case .integer(let number): return number
        case .double(let number):
            guard let whole = Int64(exactly: number) else {
                throw .malformed("a number is not whole")
            }
            return whole
        }
    }

    mutating func readValue() throws(RealtimeCodecError) -> JSONValue {
        let json = try readJSON()
        do {
            return try JSONReader.read(json)
        } catch {
            throw .notJSON(error)
        }
    }

    /// The bytes of the next value.
    mutating func readJSON() throws(RealtimeCodecError) -> [UInt8] {
        cursor.skipSpace()
        let start = cursor.offset
        try skip()
        return cursor.passed(since: start)
    }

    /// Reads a node with at most `depthMax` keys above each other.
    mutating func readNode(
        from origin: NodeReader.Origin, depthMax: Int
    ) throws(RealtimeCodecError) -> UnresolvedNode {
        guard depthMax >= 0 else { throw .node(.tooDeep(depthMax: RealtimePath.depthMax)) }
        do {
            return try NodeReader.read(&cursor, from: origin, depthMax: depthMax)
        } catch {
            throw .node(error)
        }
    }

    /// Reads a list; the visitor must pass each element.
    mutating func readList(
        _ visit: (inout MessageCursor) throws(RealtimeCodecError) -> Void
    ) throws(RealtimeCodecError) {
        let end = UInt8(ascii: "]")
        cursor.skipSpace()
        guard cursor.next == UInt8(ascii: "[") else { throw .malformed("a list is missing") }
        guard cursor.enter(until: end) else { return }
        repeat {
            try visit(&self)
        } while try wrap { (cursor) throws(JSONError) in
            try cursor.goesOn(until: end)
        }
    }

    mutating func skip() throws(RealtimeCodecError) {
        try wrap { (cursor) throws(JSONError) in try cursor.skipValue() }
    }

    mutating func finish() throws(RealtimeCodecError) {
        try wrap { (cursor) throws(JSONError) in try cursor.finish() }
    }

    private mutating func wrap<Result>(
        _ body: (inout JSONCursor) throws(JSONError) -> Result
    ) throws(RealtimeCodecError) -> Result {
        do {
            return try body(&cursor)
        } catch {
            throw .notJSON(error)
        }
    }

    /// Members that were passed, each with the cursor before its value.
    struct Fields {
        /// The protocol's objects have a handful of members. Each that is kept costs more than its text.
        static let countMax = 32
        /// As many as nearly all objects have.
        fileprivate static let usualCount = 4

        fileprivate var all: [(name: String, cursor: MessageCursor)] = []

        /// The cursor before a member's value; of several of one name, the first.
        func find(_ name: String) -> MessageCursor? {
            all.first { $0.name == name }?.cursor
        }

        func require(_ name: String) throws(RealtimeCodecError) -> MessageCursor {
            guard let cursor = find(name) else { throw .malformed("\"\(name)\" is missing") }
            return cursor
        }

        func text(_ name: String) throws(RealtimeCodecError) -> String {
            var cursor = try require(name)
            return try cursor.readText()
        }

        func textIfThere(_ name: String) throws(RealtimeCodecError) -> String? {
            guard var cursor = find(name) else { return nil }
            return try cursor.readText()
        }

        func value(_ name: String) throws(RealtimeCodecError) -> JSONValue? {
            guard var cursor = find(name) else { return nil }
            return try cursor.readValue()
        }

        func integer(_ name: String) throws(RealtimeCodecError) -> Int? {
            guard var cursor = find(name) else { return nil }
            return Int(truncatingIfNeeded: try cursor.readInteger())
        }

        func path() throws(RealtimeCodecError) -> RealtimePath {
            let text = try text("p")
            guard let path = RealtimePath(text) else {
                throw .malformed("\"p\" is no path")
            }
            return path
        }

        func writePath() throws(RealtimeCodecError) -> WritePath {
            guard let path = WritePath(try text("p")) else {
                throw .malformed("\"p\" is no path that can be written to")
            }
            return path
        }

        func query() throws(RealtimeCodecError) -> QueryParameters {
            guard let value = try value("q") else { return .all }
            guard let query = QueryObject.decode(value) else {
                throw .malformed("\"q\" is no query")
            }
            return query
        }
    }
}
