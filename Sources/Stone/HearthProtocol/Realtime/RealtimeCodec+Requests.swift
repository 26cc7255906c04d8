import HearthModel

/// Reading what clients send.
extension RealtimeCodec {
    /// Reads a message of a client.
    ///
    /// - Throws: An error that makes the connection useless. An error in one request alone gives
    ///   `RealtimeClientMessage.refused` with the number of the request.
    package static func decodeClient(
        _ message: [UInt8]
    ) throws(RealtimeCodecError) -> RealtimeClientMessage {
        try MessageCursor.readMessage(message) {
            (kind, cursor) throws(RealtimeCodecError) -> RealtimeClientMessage in
            switch kind {
            case "d": return try readRequest(&cursor)
            case "c": return try readControl(&cursor)
            default:
                try cursor.skip()
                return .unknown(kind)
            }
        }
    }

    private static func readControl(
        _ cursor: inout MessageCursor
    ) throws(RealtimeCodecError) -> RealtimeClientMessage {
        let fields = try cursor.readFields()
        switch try fields.text("t") {
        case "p": return .ping
        case "o": return .pong
        case let kind: return .unknown(kind)
        }
    }

    private static func readRequest(
        _ cursor: inout MessageCursor
    ) throws(RealtimeCodecError) -> RealtimeClientMessage {
        let fields = try cursor.readFields()
        guard let number = try fields.integer("r") else { throw .malformed("\"r\" is missing") }
        let kind = try fields.text("a")
        var body = try fields.require("b")
        do {
            let action = try readAction(kind, &body)
            return .request(RealtimeRequest(number: number, action: action))
        } catch {
            return .refused(number: number, error)
        }
    }

    private static func readAction(
        _ kind: String, _ body: inout MessageCursor
    ) throws(RealtimeCodecError) -> RealtimeAction {
        let fields = try body.readFields()
        switch kind {
        case "q": return .listen(try readListen(fields))
        case "n":
            return .unlisten(try fields.path(), try fields.query(), tag: try fields.integer("t"))
        case "g": return .get(try fields.path(), try fields.query())
        case "p":
            let hash = try fields.textIfThere("h")
            return .put(try fields.writePath(), try readNode(fields), hash: hash)
        case "m": return .merge(try fields.path(), try readMerge(fields))
        case "o": return .onDisconnectPut(try fields.writePath(), try readNode(fields))
        case "om": return .onDisconnectMerge(try fields.path(), try readMerge(fields))
        case "oc": return .onDisconnectCancel(try fields.writePath())
        case "auth": return .authenticate(try readCredential(.user, fields))
        case "gauth": return .authenticate(try readCredential(.service, fields))
        case "unauth": return .unauthenticate
        case "appcheck": return .appCheck(try fields.text("token"))
        // JavaScript misspells it.
        case "unappcheck", "unappeck": return .appCheck(nil)
        case "s": return .stats(try fields.value("c")?.members?.map(\.name) ?? [])
        default: return .unknown(kind)
        }
    }

    private static func readListen(
        _ fields: MessageCursor.Fields
    ) throws(RealtimeCodecError) -> RealtimeListen {
        let hash = try fields.textIfThere("h") ?? ""
        return RealtimeListen(
            try fields.path(), try fields.query(), tag: try fields.integer("t"), hash: hash,
            ranges: try fields.value("ch").flatMap(readRanges))
    }

    /// Hashes that make no sense are as good as none: the client is sent all.
    private static func readRanges(_ value: JSONValue) -> CompoundHash? {
        guard let hashes = value["hs"]?.elements, let posts = value["ps"]?.elements else {
            return nil
        }
        let paths = posts.compactMap { $0.string.flatMap(NodeRange.edge) }
        let texts = hashes.compactMap(\.string)
        guard paths.count == posts.count, texts.count == hashes.count else { return nil }
        return CompoundHash(posts: paths, hashes: texts)
    }

    private static func readNode(
        _ fields: MessageCursor.Fields
    ) throws(RealtimeCodecError) -> UnresolvedNode {
        var data = try fields.require("d")
        let place = try fields.writePath()
        return try readNode(&data, at: place, below: 0)
    }

    private static func readNode(
        _ data: inout MessageCursor, at place: WritePath, below depth: Int
    ) throws(RealtimeCodecError) -> UnresolvedNode {
        let node = try data.readNode(
            from: .client, depthMax: RealtimePath.depthMax - depth - place.path.depth)
        guard !place.isPriority || node.canBePriority else { throw .node(.refusedPriority) }
        return node
    }

    private static func readMerge(
        _ fields: MessageCursor.Fields
    ) throws(RealtimeCodecError) -> [RealtimeChange.Part] {
        let depth = try fields.path().depth
        var data = try fields.require("d")
        var writes: [RealtimeChange.Part] = []
        try data.readMembers { (name, cursor) throws(RealtimeCodecError) in
            guard let place = WritePath(name), place.isPriority || !place.path.isRoot else {
                throw .node(.refusedKey(name, reason: "it is no path that can be written to"))
            }
            writes.append(.init(place, try readNode(&cursor, at: place, below: depth)))
        }
        return writes
    }

    private static func readCredential(
        _ kind: RealtimeCredential.Kind, _ fields: MessageCursor.Fields
    ) throws(RealtimeCodecError) -> RealtimeCredential {
        let token = Secret(try fields.text("cred"))
        if try fields.value("noauth") == .boolean(true) {
            return RealtimeCredential(kind, token: token, override: .nobody)
        }
        let variable = try fields.value("authvar").map(RealtimeCredential.Override.variable)
        return RealtimeCredential(kind, token: token, override: variable)
    }
}
