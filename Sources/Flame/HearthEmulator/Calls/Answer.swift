import HearthModel

/// What a call of one request is answered with, as protobuf bytes.
enum Answer: Sendable {
    /// One message.
    case message([UInt8])
    /// Any number of messages, made one by one as they can be sent.
    case messages(any AnswerSource)
}

/// Messages that are made as they can be sent, so that a large answer never lies in memory whole.
protocol AnswerSource: Sendable {
    /// The next message; `nil` after the last.
    mutating func next() throws(HearthError) -> [UInt8]?
}

/// Messages that are there already.
struct ReadyAnswers: AnswerSource {
    private var rest: ArraySlice<[UInt8]>

    /// Answers with these, in order.
    init(_ messages: [[UInt8]]) {
        rest = messages[...]
    }

    mutating func next() -> [UInt8]? { rest.popFirst() }
}
