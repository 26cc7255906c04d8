import HearthEngine
import HearthModel
import HearthWire

/// Pages of dead letters from the store of either database.
extension DeadLetterPage {
    /// Reads letters one at a time, as many as a page takes.
    ///
    /// - Parameter next: The first letter behind a batch; `nil` if there is none.
    init(
        _ page: Inquiry.BatchPage, next: (_ last: BatchID) throws(StoreError) -> Letter?
    ) throws(StoreError) {
        self.init(letters: [], hasMore: false)
        var budget = PageBudget(countMax: page.countBound)
        var last = page.after
        while let letter = try next(last) {
            last = letter.batch.id
            guard budget.takes(letter.batch.byteCount) else {
                hasMore = true
                break
            }
            letters.append(letter)
        }
    }
}
