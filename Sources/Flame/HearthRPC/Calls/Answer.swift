package import HearthModel

/// The answer to a call of one request, as protobuf bytes.
package struct Answer: Sendable {
    /// The messages.
    package enum Content: Sendable {
        /// One message.
        case message([UInt8])
        /// Any number of messages; the source makes each when the transport can send it.
        case messages(any AnswerSource)
        /// No message, but an error about which `trailing` says more.
        ///
        /// An error without metadata needs no `Answer`.
        case error(HearthError)
    }

    /// The messages.
    package let content: Content
    /// Metadata before the first message.
    package var initial = CallMetadata()
    /// Metadata after the last message, or beside the error that ends the call.
    package var trailing = CallMetadata()

    /// Answers without metadata.
    package init(_ content: Content) {
        self.content = content
    }

    /// One message.
    package static func message(_ bytes: [UInt8]) -> Answer { Answer(.message(bytes)) }

    /// Any number of messages; `source` makes each when the transport can send it.
    package static func messages(_ source: any AnswerSource) -> Answer {
        Answer(.messages(source))
    }
}

/// Makes an answer's messages one by one, each when the transport can send the message.
///
/// So a large answer never lies in memory whole.
package protocol AnswerSource: Sendable {
    /// The next message; `nil` after the last.
    ///
    /// - Throws: The error that ends the answer; no message follows.
    mutating func next() throws(HearthError) -> [UInt8]?
}

/// Messages that are in memory already.
package struct ReadyAnswers: AnswerSource {
    private var rest: ArraySlice<[UInt8]>

    /// Answers with these, in order.
    package init(_ messages: [[UInt8]]) {
        rest = messages[...]
    }

    package mutating func next() -> [UInt8]? { rest.popFirst() }
}
