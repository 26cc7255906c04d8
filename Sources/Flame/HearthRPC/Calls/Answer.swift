package import HearthModel

/// What a call of one request is answered with, as protobuf bytes.
package struct Answer: Sendable {
    /// The messages.
    package enum Content: Sendable {
        /// One message.
        case message([UInt8])
        /// Any number of messages, made one by one as they can be sent.
        case messages(any AnswerSource)
        /// None, but an error about which `trailing` says more. One without needs no `Answer`.
        case error(HearthError)
    }

    /// The messages.
    package let content: Content
    /// What goes before the first message.
    package var initial = CallMetadata()
    /// What goes after the last message, or after the error that ends them.
    package var trailing = CallMetadata()

    /// Answers without metadata.
    package init(_ content: Content) {
        self.content = content
    }

    /// One message.
    package static func message(_ bytes: [UInt8]) -> Answer { Answer(.message(bytes)) }

    /// Any number of messages, made one by one as they can be sent.
    package static func messages(_ source: any AnswerSource) -> Answer {
        Answer(.messages(source))
    }
}

/// Messages that are made as they can be sent, so that a large answer never lies in memory whole.
package protocol AnswerSource: Sendable {
    /// The next message; `nil` after the last.
    mutating func next() throws(HearthError) -> [UInt8]?
}

/// Messages that are there already.
package struct ReadyAnswers: AnswerSource {
    private var rest: ArraySlice<[UInt8]>

    /// Answers with these, in order.
    package init(_ messages: [[UInt8]]) {
        rest = messages[...]
    }

    package mutating func next() -> [UInt8]? { rest.popFirst() }
}
