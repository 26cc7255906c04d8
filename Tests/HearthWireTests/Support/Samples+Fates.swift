import HearthEngine
import HearthModel
import HearthWire

extension Samples {
    /// A page without letters that tells what became of a batch.
    static func letterless(_ end: BatchFate.End) -> DeadLetterPage {
        DeadLetterPage(
            letters: [], hasMore: false,
            fate: BatchFate(end, notedAt: Timestamp(seconds: 9, nanoseconds: 0)))
    }
}
