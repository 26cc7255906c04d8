import HearthBackend
import HearthModel
import HearthRPC
import NIOHTTP1

/// Answers of the Realtime Database's REST.
extension HTTPReply {
    static let realtimeType = "application/json; charset=utf-8"

    /// The answer to a call of REST.
    static func realtime(_ reply: RealtimeReply, isPretty: Bool) -> HTTPReply {
        var bytes = realtimeBody(reply.body)
        if isPretty { bytes = JSONIndenter.indent(bytes) }
        var result = HTTPReply(
            status: reply.status.rawValue, contentType: bytes.isEmpty ? nil : realtimeType,
            body: bytes)
        if let tag = reply.tag { result.headers.add(name: "etag", value: tag) }
        return result
    }

    /// The JSON in the body of an answer or an event.
    static func realtimeBody(_ body: RealtimeReply.Body) -> [UInt8] {
        switch body {
        case .none: []
        case .node(let node, let withPriorities): node.json(withPriorities ? .export : .plain)
        case .keys(let keys): object(keys) { key in (key.text, Array("true".utf8)) }
        case .children(let children, let withPriorities):
            object(children) { child in
                (child.place.bareText, child.node.json(withPriorities ? .export : .plain))
            }
        case .name(let key): object([key]) { key in ("name", quoted(key.text)) }
        case .error(let text): object([text]) { text in ("error", quoted(text)) }
        }
    }

    /// An error in the form of the Realtime Database.
    ///
    /// - Parameter status: The status of HTTP; `nil` for the status of the error's code.
    static func realtimeError(_ error: HearthError, status: Int? = nil) -> HTTPReply {
        HTTPReply(
            status: status ?? httpStatus(error.code), contentType: realtimeType,
            body: object([error.message]) { text in ("error", quoted(text)) })
    }

    private static func object<Element>(
        _ elements: [Element], _ member: (Element) -> (String, [UInt8])
    ) -> [UInt8] {
        var bytes = Array("{".utf8)
        for element in elements {
            let (name, value) = member(element)
            if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
            JSONWriter.write(name, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            bytes += value
        }
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }

    private static func quoted(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        JSONWriter.write(text, to: &bytes)
        return bytes
    }
}
