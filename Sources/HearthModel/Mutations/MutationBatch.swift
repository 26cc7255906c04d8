/// Writes that stand or fall together, as they wait in the queue.
package struct MutationBatch: Hashable, Sendable {
    /// The place in the queue.
    package let id: BatchID
    /// When the batch was accepted here.
    package let writtenAt: Timestamp
    /// Local patches that make computing the batch again harmless; never sent.
    package let baseMutations: [Mutation]
    /// The writes, in the user's order.
    package let mutations: [Mutation]

    /// Joins writes.
    package init(
        id: BatchID, writtenAt: Timestamp, baseMutations: [Mutation] = [], mutations: [Mutation]
    ) {
        self.id = id
        self.writtenAt = writtenAt
        self.baseMutations = baseMutations
        self.mutations = mutations
    }

    /// The documents written, each once, in the user's order.
    package var keys: [DocumentKey] { Self.keys(of: mutations) }

    /// The documents that writes are to, each once, in their order.
    package static func keys(of mutations: [Mutation]) -> [DocumentKey] {
        if mutations.count == 1 { return [mutations[0].key] }
        var seen: Set<DocumentKey> = []
        return mutations.map(\.key).filter { seen.insert($0).inserted }
    }

    /// Shows the batch in one document; see `Mutation.apply`.
    package func apply(to document: inout Document, mask: FieldMask?) -> FieldMask? {
        var mask = mask
        for mutation in baseMutations where mutation.key == document.key {
            mask = mutation.apply(to: &document, mask: mask, writtenAt: writtenAt)
        }
        for mutation in mutations where mutation.key == document.key {
            mask = mutation.apply(to: &document, mask: mask, writtenAt: writtenAt)
        }
        return mask
    }

    /// Brings one cached remote document to what the acknowledgement means.
    ///
    /// - Parameter results: One for each of `mutations`.
    package func applyAcknowledged(to document: inout Document, _ results: [Mutation.Result])
        throws(HearthError)
    {
        for (mutation, result) in zip(mutations, results) where mutation.key == document.key {
            try mutation.applyAcknowledged(to: &document, result)
        }
    }
}

/// The net effect of all pending batches on one document.
package struct Overlay: Hashable, Sendable {
    /// The newest batch in it; the overlay goes when that batch leaves the queue.
    package let largestBatchID: BatchID
    /// The effect as one write, without precondition.
    package let mutation: Mutation

    /// Joins an effect with its newest batch.
    package init(largestBatchID: BatchID, mutation: Mutation) {
        self.largestBatchID = largestBatchID
        self.mutation = mutation
    }

    /// The document that the effect is on.
    package var key: DocumentKey { mutation.key }

    /// Shows the effect in the remote document. The fields it changed count as local writes.
    package func apply(to document: inout Document) {
        _ = mutation.apply(
            to: &document, mask: .empty, writtenAt: Timestamp(seconds: 0, nanoseconds: 0))
    }
}
