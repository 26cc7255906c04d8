package import HearthModel

/// Writing what the service sends.
extension RealtimeCodec {
    /// The bytes of the first message of a connection.
    package static func encode(_ hello: RealtimeHello) -> [UInt8] {
        control(
            "h",
            .object([
                .init(name: "ts", value: .integer(hello.time)),
                .init(name: "v", value: .string(hello.version)),
                .init(name: "h", value: .string(hello.host)),
                .init(name: "s", value: .string(hello.session)),
            ]))
    }

    /// The bytes that tell a client to stop for good.
    package static func shutdown(reason: String) -> [UInt8] { control("s", .string(reason)) }

    /// The bytes that send a client to another host.
    package static func reset(host: String) -> [UInt8] { control("r", .string(host)) }

    private static func control(_ kind: String, _ body: JSONValue) -> [UInt8] {
        var writer = MessageWriter()
        writer.add(#"{"t":"c","d":{"t":""# + kind + #"","d":"#)
        writer.add(value: body)
        writer.add("}}")
        return writer.bytes
    }

    /// The bytes of an answer.
    package static func encode(_ answer: RealtimeAnswer) -> [UInt8] {
        var writer = MessageWriter(capacity: answer.body.json.count + 64)
        writer.add(#"{"t":"d","d":{"r":"#)
        writer.add(String(answer.number))
        writer.add(#","b":{"s":"#)
        writer.add(text: answer.status.word)
        writer.add(member: "d", json: answer.body.json)
        writer.add("}}}")
        return writer.bytes
    }

    /// The bytes of a message that the server sends without a request.
    package static func encode(_ push: RealtimePush) -> [UInt8] {
        SharedPush(push).message(tag: push.tag)
    }
}

/// The bytes of a push without the tag: a push to many listeners is encoded once.
package struct SharedPush: Hashable, Sendable {
    /// What all its messages begin with.
    package let start: [UInt8]

    /// Encodes a push. Its own tag does not count. O(n).
    package init(_ push: RealtimePush) {
        var writer = MessageWriter()
        writer.add(#"{"t":"d","d":{"a":"#)
        writer.add(text: push.kind)
        writer.add(#","b":"#)
        Self.writeBody(of: push, to: &writer)
        start = writer.bytes
    }

    /// How many bytes all its messages share.
    package var byteCount: Int { start.count }

    /// The message for listeners with this tag.
    package func message(tag: Int?) -> [UInt8] {
        start + Array(Self.ending(tag: tag).utf8)
    }

    /// What follows `start` in the message for listeners with this tag.
    package static func ending(tag: Int?) -> String {
        tag.map { #","t":\#($0)}}}"# } ?? "}}}"
    }

    /// Writes all but the last brace, before which the tag goes.
    private static func writeBody(of push: RealtimePush, to writer: inout MessageWriter) {
        switch push {
        case .overwrite(let place, let node, _):
            writer.begin(place.bareText)
            writer.add(member: "d", json: node.json(.export))
        case .merge(let path, let told, _):
            writer.begin(path.bareText)
            writer.add(merge: told.map { ($0.place, $0.node.json(.export)) })
        case .ranges(let path, let merges, _):
            writer.begin(path.bareText)
            writer.add(#","d":["#)
            for (index, merge) in merges.enumerated() {
                if index > 0 { writer.add(",") }
                write(merge, to: &writer)
            }
            writer.add("]")
        case .revoked(let path, let queries):
            writer.begin(path.bareText)
            if !queries.isEmpty {
                writer.add(member: "q", .array(queries.map(QueryObject.encode)))
            }
        case .authRevoked(let status, let reason), .appCheckRevoked(let status, let reason):
            writer.add(#"{"s":"#)
            writer.add(text: status.word)
            writer.add(member: "d", .string(reason))
        case .debug(let text):
            writer.add(#"{"msg":"#)
            writer.add(text: text)
        case .unknown:
            writer.add("{")
        }
    }

    private static func write(_ merge: RangeMerge, to writer: inout MessageWriter) {
        writer.add("{")
        for (name, edge) in [("s", merge.range.start), ("e", merge.range.end)] {
            guard let edge else { continue }
            writer.add(#"""# + name + #"":"#)
            writer.add(text: edge.bareText)
            writer.add(",")
        }
        writer.add(#""m":"#)
        writer.add(json: merge.update.json(.export))
        writer.add("}")
    }
}

extension RealtimePush {
    /// The tag of the filtered listen; `nil` for default listens and for a connection.
    package var tag: Int? {
        switch self {
        case .overwrite(_, _, let tag), .merge(_, _, let tag), .ranges(_, _, let tag): tag
        case .revoked, .authRevoked, .appCheckRevoked, .debug, .unknown: nil
        }
    }

    /// The wire's word for it.
    var kind: String {
        switch self {
        case .overwrite: "d"
        case .merge: "m"
        case .ranges: "rm"
        case .revoked: "c"
        case .authRevoked: "ac"
        case .appCheckRevoked: "apc"
        case .debug: "sd"
        case .unknown(let kind): kind
        }
    }
}
