/// The JSON of an answer. Only who asked knows what it means.
package struct RealtimeBody: Hashable, Sendable {
    /// The JSON.
    package let json: [UInt8]

    /// Takes one JSON value.
    package init(json: [UInt8]) {
        self.json = json
    }

    /// The empty text, which answers most requests.
    package static let none = RealtimeBody.text("")

    /// A text, such as why a request was refused.
    package static func text(_ text: String) -> RealtimeBody {
        var json: [UInt8] = []
        JSONWriter.write(text, to: &json)
        return RealtimeBody(json: json)
    }

    /// The answer to a listen.
    package static func warnings(_ words: [String]) -> RealtimeBody {
        let list = JSONValue.array(words.map(JSONValue.string))
        return .value(.object(words.isEmpty ? [] : [.init(name: "w", value: list)]))
    }

    /// The answer to a get, in export form.
    package static func node(_ node: Node) -> RealtimeBody {
        RealtimeBody(json: node.json(.export))
    }

    /// Another kind of answer, such as the user of an authenticated connection.
    package static func value(_ value: JSONValue) -> RealtimeBody {
        RealtimeBody(json: JSONWriter.bytes(of: value))
    }

    /// The text, if the body is a string.
    package var text: String? { (try? JSONReader.read(json))?.string }

    /// The warnings to the client.
    package var warnings: [String] {
        (try? JSONReader.read(json))?["w"]?.elements?.compactMap(\.string) ?? []
    }

    /// Reads the body as the answer to a get.
    ///
    /// - Throws: Why the body is not a node.
    package func readNode() throws(NodeError) -> Node {
        try Node(json: json, from: .server)
    }
}
