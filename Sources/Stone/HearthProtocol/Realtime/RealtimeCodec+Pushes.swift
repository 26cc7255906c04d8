package import HearthModel

/// Reading what the service sends.
extension RealtimeCodec {
    /// Reads a message of the service.
    ///
    /// - Throws: `RealtimeCodecError` for a message that is not of the protocol.
    package static func decodeServer(
        _ message: [UInt8]
    ) throws(RealtimeCodecError) -> RealtimeServerMessage {
        try MessageCursor.readMessage(message) {
            (kind, cursor) throws(RealtimeCodecError) -> RealtimeServerMessage in
            switch kind {
            case "d": return try readData(&cursor)
            case "c": return try readControl(&cursor)
            default:
                try cursor.skip()
                return .unknown(kind)
            }
        }
    }

    private static func readControl(
        _ cursor: inout MessageCursor
    ) throws(RealtimeCodecError) -> RealtimeServerMessage {
        let fields = try cursor.readFields()
        switch try fields.text("t") {
        case "h": return .hello(try readHello(fields))
        case "s": return .shutdown(reason: try fields.text("d"))
        case "r": return .reset(host: try fields.text("d"))
        case "e": return .error(try fields.text("d"))
        case "p": return .ping
        case "o": return .pong
        case let kind: return .unknown(kind)
        }
    }

    private static func readHello(
        _ fields: MessageCursor.Fields
    ) throws(RealtimeCodecError) -> RealtimeHello {
        var body = try fields.require("d")
        let hello = try body.readFields()
        var time = try hello.require("ts")
        return RealtimeHello(
            time: try time.readInteger(), host: try hello.text("h"), session: try hello.text("s"),
            version: try hello.text("v"))
    }

    private static func readData(
        _ cursor: inout MessageCursor
    ) throws(RealtimeCodecError) -> RealtimeServerMessage {
        let fields = try cursor.readFields()
        if let text = try fields.textIfThere("error") { return .error(text) }
        var body = try fields.require("b")
        if let number = try fields.integer("r") {
            let answer = try body.readFields()
            var data = answer.find("d")
            return .answer(
                RealtimeAnswer(
                    number: number, status: RealtimeStatus(try answer.text("s")),
                    body: RealtimeBody(json: try data?.readJSON() ?? RealtimeBody.none.json)))
        }
        return .push(try readPush(try fields.text("a"), &body))
    }

    private static func readPush(
        _ kind: String, _ body: inout MessageCursor
    ) throws(RealtimeCodecError) -> RealtimePush {
        let fields = try body.readFields()
        let tag = try fields.integer("t")
        switch kind {
        case "d":
            var data = try fields.require("d")
            let place = try fields.writePath()
            return .overwrite(place, try readNode(&data, for: place), tag: tag)
        case "m": return .merge(try fields.path(), try readTold(fields), tag: tag)
        case "rm": return .ranges(try fields.path(), try readMerges(fields), tag: tag)
        case "c": return .revoked(try fields.path(), try readQueries(fields))
        case "ac":
            return .authRevoked(try readStatus(fields), reason: try fields.textIfThere("d") ?? "")
        case "apc":
            return .appCheckRevoked(
                try readStatus(fields), reason: try fields.textIfThere("d") ?? "")
        case "sd": return .debug(try fields.textIfThere("msg") ?? "")
        default: return .unknown(kind)
        }
    }

    private static func readStatus(
        _ fields: MessageCursor.Fields
    ) throws(RealtimeCodecError) -> RealtimeStatus {
        RealtimeStatus(try fields.text("s"))
    }

    /// Reads a node of the service, which leaves nothing open and can be at its place.
    private static func readNode(
        _ cursor: inout MessageCursor, for place: WritePath
    ) throws(RealtimeCodecError) -> Node {
        let read = try cursor.readNode(from: .server, depthMax: RealtimePath.depthMax)
        guard let node = read.node else { throw .node(.refusedServerValue) }
        guard !place.isPriority || node.canBePriority else { throw .node(.refusedPriority) }
        return node
    }

    private static func readTold(
        _ fields: MessageCursor.Fields
    ) throws(RealtimeCodecError) -> [RealtimeTold] {
        var data = try fields.require("d")
        var told: [RealtimeTold] = []
        try data.readMembers { (name, cursor) throws(RealtimeCodecError) in
            guard let place = WritePath(name) else { throw .malformed("a key is no path") }
            told.append(.init(place, try readNode(&cursor, for: place)))
        }
        return told
    }

    private static func readMerges(
        _ fields: MessageCursor.Fields
    ) throws(RealtimeCodecError) -> [RangeMerge] {
        var data = try fields.require("d")
        var merges: [RangeMerge] = []
        try data.readList { (cursor) throws(RealtimeCodecError) in
            let merge = try cursor.readFields()
            var update = try merge.require("m")
            let range = NodeRange(
                after: try readEdge("s", of: merge), through: try readEdge("e", of: merge))
            let node = try readNode(&update, for: WritePath(.root))
            merges.append(RangeMerge(range: range, update: node))
        }
        return merges
    }

    private static func readEdge(
        _ name: String, of fields: MessageCursor.Fields
    ) throws(RealtimeCodecError) -> RealtimePath? {
        guard let text = try fields.textIfThere(name) else { return nil }
        guard let edge = NodeRange.edge(text) else { throw .malformed("\"\(name)\" is no path") }
        return edge
    }

    private static func readQueries(
        _ fields: MessageCursor.Fields
    ) throws(RealtimeCodecError) -> [QueryParameters] {
        guard let list = try fields.value("q") else { return [] }
        let queries = (list.elements ?? []).map(QueryObject.decode)
        guard list.elements != nil, queries.allSatisfy({ $0 != nil }) else {
            throw .malformed("\"q\" is no list of queries")
        }
        return queries.compactMap { $0 }
    }
}
