import Hearth
import HearthConsole
import Testing

/// What would follow from an order.
struct SteerPreviewTests {
    private let queue = [
        QueuedBatch(id: 1, state: .sentUnanswered), QueuedBatch(id: 2),
        QueuedBatch(id: 3, user: "ada"),
        QueuedBatch(id: 4), QueuedBatch(id: 5, state: .held, user: "ada"),
        QueuedBatch(id: 6, user: "ada", heldBy: 5),
    ]

    @Test func `who holds a batch holds all behind it in the same user's queue`() {
        let preview = SteerPreview(.hold, [2], queue: queue)
        #expect(preview.reached == [2])
        #expect(preview.also == [4])
        #expect(preview.refused.isEmpty)
        #expect(preview.sentences.count == 2)
    }

    @Test func `who releases a batch lets those behind it follow, but not past another held one`() {
        #expect(SteerPreview(.release, [5], queue: queue).also == [6])
        let more =
            queue + [
                QueuedBatch(id: 7, state: .held, user: "ada"),
                QueuedBatch(id: 8, user: "ada", heldBy: 5),
            ]
        #expect(SteerPreview(.release, [5], queue: more).also == [6])
        #expect(SteerPreview(.release, [5, 7], queue: more).also == [6, 8])
    }

    @Test(arguments: [SteerOrder.hold, .cancel, .drop, .edit])
    func `a batch that was sent, or that is gone, makes the daemon refuse the whole order`(
        order: SteerOrder
    ) {
        let preview = SteerPreview(order, [1, 2, 99], queue: queue)
        #expect(preview.reached == [2])
        #expect(preview.refused.map(\.id) == [1, 99])
        #expect(
            preview.sentences.last?.contains("refuse the whole order because of 2 batches") == true)
    }

    @Test func `a letter in doubt is sent again only on somebody's word`() {
        let letters: [(id: Int64, isInDoubt: Bool)] = [(1, false), (2, true)]
        let careful = SteerPreview(
            .retryDeadLetters, letters: letters, missing: [9], evenIfApplied: false)
        #expect(careful.reached == [1])
        #expect(careful.refused.map(\.id) == [9, 2])
        let bold = SteerPreview(.retryDeadLetters, letters: letters, evenIfApplied: true)
        #expect(bold.reached == [1, 2])
        #expect(bold.sentences.contains("1 of them may be applied twice."))
        let dropped = SteerPreview(.dropDeadLetters, letters: letters, evenIfApplied: false)
        #expect(dropped.reached == [1, 2] && dropped.refused.isEmpty)
    }
}
