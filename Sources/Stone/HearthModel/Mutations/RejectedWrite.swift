/// A rejected write, in the form that listeners receive when the write had changed their results.
package struct RejectedWrite: Hashable, Sendable {
    /// The most rejected writes kept for a listener without a snapshot since; the newest stay.
    package static let countMax = 100

    /// The batch's place in the queue.
    package let batch: BatchID
    /// Why the write was rejected.
    package let error: HearthError

    /// Names a write.
    package init(_ batch: BatchID, _ error: HearthError) {
        self.batch = batch
        self.error = error
    }
}

extension [RejectedWrite] {
    /// These and later rejected writes, each once; if there are too many, the newest.
    package func followed(by later: [RejectedWrite]) -> [RejectedWrite] {
        if isEmpty || later.isEmpty { return isEmpty ? later : self }
        let known = Set(map(\.batch))
        return (self + later.filter { !known.contains($0.batch) }).suffix(RejectedWrite.countMax)
    }
}
