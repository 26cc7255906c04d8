/// What the next opening of a damaged store saves.
package struct StoreOutlook: Hashable, Sendable {
    /// What is wrong with the store, as a part of a sentence.
    package let reason: String
    /// How many batches wait that can be saved; others may be lost.
    package let waitingCount: Int
    /// How many rejected batches can be saved; others may be lost.
    package let rejectedCount: Int
}
