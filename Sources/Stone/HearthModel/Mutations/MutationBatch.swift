/// Writes that stand or fall together, as they wait in the queue.
package struct MutationBatch: Hashable, Sendable {
    /// The place in the queue.
    package let id: BatchID
    /// When the batch was accepted here.
    package let writtenAt: Timestamp
    /// The time that documents show as their last change until the backend has spoken.
    ///
    /// `nil` for a batch that shows none, as a dead letter.
    package let promisedAt: Timestamp?
    /// Local patches that make computing the batch again harmless; never sent.
    package let baseMutations: [Mutation]
    /// The writes, in the user's order.
    package let mutations: [Mutation]
    private let basePlaces: WritePlaces
    private let places: WritePlaces

    /// Joins writes.
    ///
    /// - Parameters:
    ///   - id: The place in the queue.
    ///   - writtenAt: When the batch was accepted here.
    ///   - promisedAt: The time that documents show as their last change until the backend has
    ///     spoken; `nil` for a batch that shows none.
    ///   - baseMutations: Local patches that make computing the batch again harmless; never sent.
    ///   - mutations: The writes, in the user's order.
    package init(
        id: BatchID, writtenAt: Timestamp, promisedAt: Timestamp? = nil,
        baseMutations: [Mutation] = [], mutations: [Mutation]
    ) {
        self.id = id
        self.writtenAt = writtenAt
        self.promisedAt = promisedAt
        self.baseMutations = baseMutations
        self.mutations = mutations
        basePlaces = WritePlaces(of: baseMutations)
        places = WritePlaces(of: mutations)
    }

    /// The documents written, each once, in the user's order.
    package var keys: [DocumentKey] { Self.keys(of: mutations) }

    /// The documents that writes are to, each once, in their order.
    package static func keys(of mutations: [Mutation]) -> [DocumentKey] {
        if mutations.count == 1 { return [mutations[0].key] }
        var seen: Set<DocumentKey> = []
        return mutations.map(\.key).filter { seen.insert($0).inserted }
    }

    /// The same writes under a promise, or under none.
    package func promised(at promisedAt: Timestamp?) -> MutationBatch {
        MutationBatch(
            id: id, writtenAt: writtenAt, promisedAt: promisedAt, baseMutations: baseMutations,
            mutations: mutations)
    }

    /// Shows the batch in one document; see `Mutation.apply`. O(writes to it).
    package func apply(to document: inout Document, mask: FieldMask?) -> FieldMask? {
        var mask = mask
        basePlaces.visit(document.key, in: baseMutations) {
            mask = baseMutations[$0].apply(to: &document, mask: mask, writtenAt: writtenAt)
        }
        places.visit(document.key, in: mutations) {
            let existed = document.exists
            mask = mutations[$0].apply(to: &document, mask: mask, writtenAt: writtenAt)
            if !existed { document.becomeCreated(promisedAt) }
        }
        if document.hasLocalMutations { document.promisedAt = promisedAt }
        return mask
    }

    /// The last of the first so many writes that is to a document. O(writes to it).
    package func lastPlace(of key: DocumentKey, before count: Int) -> Int? {
        var last: Int?
        places.visit(key, in: mutations) { if $0 < count { last = $0 } }
        return last
    }

    /// Applies the acknowledged writes to one cached remote document. O(writes to the document).
    ///
    /// - Parameter results: The result of each of `mutations`.
    /// - Throws: The `HearthError` of the first write that `document` cannot take.
    package func applyAcknowledged(to document: inout Document, _ results: [Mutation.Result])
        throws(HearthError)
    {
        try places.visit(document.key, in: mutations) { place throws(HearthError) in
            guard place < results.count else { return }
            // If nothing is known of the document, only the write's condition tells that the write
            // created it.
            let isCreation =
                document.isMissing || mutations[place].precondition == .exists(false)
            try mutations[place].applyAcknowledged(to: &document, results[place])
            if isCreation, document.isFound { document.createdAt = results[place].version }
        }
    }
}
