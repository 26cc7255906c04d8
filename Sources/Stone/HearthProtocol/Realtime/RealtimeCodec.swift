package import HearthModel

/// The messages of the Realtime Database's protocol, version 5, as JSON.
///
/// Shape: `{"t":"d","d":…}` carries data, `{"t":"c","d":{"t":…,"d":…}}` controls the connection.
/// Members may come in any order. `FrameSplitter` cuts a message that is longer than a frame, and
/// `FrameJoiner` joins the pieces.
///
/// - Source: firebase-js-sdk `realtime/Connection.ts` and `core/PersistentConnection.ts`.
package enum RealtimeCodec {
    /// What a client sends when it had nothing to say for 45 seconds. It is no JSON message, and a server must
    /// never send it.
    package static let keepAlive = Array("0".utf8)

    /// The bytes of a request that a client sends.
    package static func encode(_ request: RealtimeRequest) -> [UInt8] {
        var writer = MessageWriter()
        writer.add(#"{"t":"d","d":{"r":"#)
        writer.add("\(request.number)")
        writer.add(#","a":"#)
        writer.add(text: kind(of: request.action))
        writer.add(#","b":"#)
        writeBody(of: request.action, to: &writer)
        writer.add("}}")
        return writer.bytes
    }

    /// The bytes of a ping, for either side.
    package static let ping = Array(#"{"t":"c","d":{"t":"p","d":{}}}"#.utf8)

    /// The bytes of a pong, for either side.
    package static let pong = Array(#"{"t":"c","d":{"t":"o","d":{}}}"#.utf8)

    private static func kind(of action: RealtimeAction) -> String {
        switch action {
        case .listen: "q"
        case .unlisten: "n"
        case .get: "g"
        case .put: "p"
        case .merge: "m"
        case .onDisconnectPut: "o"
        case .onDisconnectMerge: "om"
        case .onDisconnectCancel: "oc"
        case .authenticate(let credential): credential.kind == .user ? "auth" : "gauth"
        case .unauthenticate: "unauth"
        case .appCheck(let token): token == nil ? "unappcheck" : "appcheck"
        case .stats: "s"
        case .unknown(let kind): kind
        }
    }

    private static func writeBody(of action: RealtimeAction, to writer: inout MessageWriter) {
        switch action {
        case .listen(let listen): write(listen, to: &writer)
        case .unlisten(let path, let query, let tag):
            writer.begin(path.description)
            write(query, tag: tag, to: &writer)
        case .get(let path, let query):
            writer.begin(path.description)
            writer.add(member: "q", QueryObject.encode(query))
        case .put(let place, let node, let hash):
            writer.begin(place.description)
            writer.add(member: "d", json: node.exportJSON)
            if let hash { writer.add(member: "h", .string(hash)) }
        case .onDisconnectPut(let place, let node):
            writer.begin(place.description)
            writer.add(member: "d", json: node.exportJSON)
        case .merge(let path, let writes), .onDisconnectMerge(let path, let writes):
            writer.begin(path.description)
            writer.add(merge: writes.map { ($0.place, $0.node.exportJSON) })
        case .onDisconnectCancel(let place):
            writer.begin(place.description)
            writer.add(member: "d", .null)
        case .authenticate(let credential): return write(credential, to: &writer)
        case .unauthenticate, .appCheck(nil), .unknown: return writer.add("{}")
        case .appCheck(.some(let token)):
            return writer.add(value: .object([.init(name: "token", value: .string(token))]))
        case .stats(let names):
            let counters = names.map { JSONValue.Member(name: $0, value: .integer(1)) }
            return writer.add(value: .object([.init(name: "c", value: .object(counters))]))
        }
        writer.add("}")
    }

    private static func write(_ listen: RealtimeListen, to writer: inout MessageWriter) {
        writer.begin(listen.path.description)
        write(listen.query, tag: listen.tag, to: &writer)
        writer.add(member: "h", .string(listen.hash))
        guard let ranges = listen.ranges else { return }
        let posts = ranges.posts.map { JSONValue.string($0.bareText) }
        writer.add(
            member: "ch",
            .object([
                .init(name: "hs", value: .array(ranges.hashes.map(JSONValue.string))),
                .init(name: "ps", value: .array(posts)),
            ]))
    }

    /// A query without a tag is told only if it is not for the whole node by priority.
    private static func write(
        _ query: QueryParameters, tag: Int?, to writer: inout MessageWriter
    ) {
        if tag != nil || !query.isDefault {
            writer.add(member: "q", QueryObject.encode(query))
        }
        if let tag { writer.add(member: "t", .integer(Int64(tag))) }
    }

    private static func write(_ credential: RealtimeCredential, to writer: inout MessageWriter) {
        var members: [JSONValue.Member] = [
            .init(name: "cred", value: .string(credential.token.revealed))
        ]
        switch credential.override {
        case nil: break
        case .variable(let value): members.append(.init(name: "authvar", value: value))
        case .nobody: members.append(.init(name: "noauth", value: .boolean(true)))
        }
        writer.add(value: .object(members))
    }
}

/// Puts a message together.
struct MessageWriter {
    private(set) var bytes: [UInt8] = []

    /// Starts with room for so many bytes.
    init(capacity: Int = 128) {
        bytes.reserveCapacity(capacity)
    }

    mutating func add(_ text: String) { bytes += text.utf8 }

    mutating func add(text: String) { JSONWriter.write(text, to: &bytes) }

    mutating func add(json: [UInt8]) { bytes += json }

    mutating func add(value: JSONValue) { bytes += JSONWriter.bytes(of: value) }

    /// Begins a body with its path.
    mutating func begin(_ path: String) {
        add(#"{"p":"#)
        add(text: path)
    }

    /// Adds a member that is not the first one.
    mutating func add(member name: String, _ value: JSONValue) {
        add(member: name, json: JSONWriter.bytes(of: value))
    }

    mutating func add(member name: String, json: [UInt8]) {
        add(#",""#)
        add(name)
        add(#"":"#)
        bytes += json
    }

    /// Adds what a merge writes or tells at places below its path.
    mutating func add(merge children: [(place: WritePath, json: [UInt8])]) {
        add(#","d":{"#)
        for (index, child) in children.enumerated() {
            if index > 0 { add(",") }
            add(text: child.place.bareText)
            add(":")
            bytes += child.json
        }
        add("}")
    }
}
