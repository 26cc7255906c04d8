import HashTreeCollections
package import HearthModel

/// Lets writes into the queues up to the limits, and tells when a full queue is news.
package struct QueueGate: Sendable {
    /// How much may wait. New limits do not make a known full queue news again.
    package var limits: QueueLimits
    /// Unix users with writes refused for the limits, since the gate last called their queue full.
    private var fullFor: TreeSet<UInt32> = []

    /// A refused write.
    package struct Refusal: Sendable {
        /// Why.
        package let error: HearthError
        /// Whether the queue was not known to be full for the user.
        package let isNews: Bool

        /// Joins the parts.
        package init(error: HearthError, isNews: Bool) {
            self.error = error
            self.isNews = isNews
        }
    }

    /// Nothing was refused yet.
    package init(limits: QueueLimits) {
        self.limits = limits
    }

    /// Why a Unix user may not write now; `nil` if nothing speaks against it.
    ///
    /// - Parameters:
    ///   - uid: The Unix user.
    ///   - own: The load of the user's waiting batches.
    ///   - all: The load of all waiting batches.
    package mutating func refusal(of uid: UInt32, own: QueueLoad, all: QueueLoad) -> Refusal? {
        if let error = limits.refusal(of: uid, own: own, all: all) {
            return Refusal(error: error, isNews: fullFor.insert(uid).inserted)
        }
        if fullFor.contains(uid), limits.isRelaxed(own: own, all: all) { fullFor.remove(uid) }
        return nil
    }
}
