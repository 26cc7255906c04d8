/// A write that was rejected, as those are told of it whose results it had changed.
package struct RejectedWrite: Hashable, Sendable {
    /// How many of them are kept for who has not been told of any picture since: the newest.
    package static let countMax = 100

    /// Its place in the queue.
    package let batch: BatchID
    /// Why.
    package let error: HearthError

    /// Names a write.
    package init(_ batch: BatchID, _ error: HearthError) {
        self.batch = batch
        self.error = error
    }
}

extension [RejectedWrite] {
    /// These and later ones, each once; if they are too many, the newest.
    package func followed(by later: [RejectedWrite]) -> [RejectedWrite] {
        if isEmpty || later.isEmpty { return isEmpty ? later : self }
        let known = Set(map(\.batch))
        return (self + later.filter { !known.contains($0.batch) }).suffix(RejectedWrite.countMax)
    }
}
