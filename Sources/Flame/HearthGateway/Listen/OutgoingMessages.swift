/// The messages of a watch stream that wait for their client, in the order of their sending.
///
/// Most streams tell few messages at a time, and have none for most of the time: what was told takes
/// no memory, and the place of a few messages is used again.
struct OutgoingMessages: Sendable {
    /// So many places stay once all messages have been taken.
    private static let placeCountMax = 8

    private var messages: [ListenMessage] = []
    private var takenCount = 0

    /// Whether no message waits.
    var isEmpty: Bool { messages.isEmpty }

    /// Puts a message behind the others.
    mutating func append(_ message: ListenMessage) { messages.append(message) }

    /// Takes the first message; `nil` for none.
    mutating func popFirst() -> ListenMessage? {
        guard takenCount < messages.count else { return nil }
        var message = ListenMessage.alive
        swap(&message, &messages[takenCount])
        takenCount += 1
        if takenCount == messages.count {
            messages.removeAll(keepingCapacity: takenCount <= Self.placeCountMax)
            takenCount = 0
        }
        return message
    }
}
