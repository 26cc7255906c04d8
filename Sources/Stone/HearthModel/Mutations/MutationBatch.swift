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

/// The net effect of all pending batches on one document.
package struct Overlay: Hashable, Sendable {
    /// The newest batch in it; the overlay goes when that batch leaves the queue.
    package let largestBatchID: BatchID
    /// The time that the newest batch has promised, if it has.
    package let promisedAt: Timestamp?
    /// The promise of the batch that made the document; `nil` if the newest batch did, or none.
    ///
    /// What the backend has told since of the document's creation is later, and counts.
    package let createdAt: Timestamp?
    /// The effect as one write, without precondition.
    package let mutation: Mutation

    /// Joins an effect with its newest batch.
    package init(
        largestBatchID: BatchID, promisedAt: Timestamp? = nil, createdAt: Timestamp? = nil,
        mutation: Mutation
    ) {
        self.largestBatchID = largestBatchID
        self.promisedAt = promisedAt
        self.createdAt = createdAt
        self.mutation = mutation
    }

    /// The document that the effect is on.
    package var key: DocumentKey { mutation.key }

    /// Shows the effect in the remote document. The fields it changed count as local writes.
    package func apply(to document: inout Document) {
        let existed = document.exists
        _ = mutation.apply(
            to: &document, mask: .empty, writtenAt: Timestamp(seconds: 0, nanoseconds: 0))
        if document.hasLocalMutations { document.promisedAt = promisedAt }
        if let createdAt {
            document.createdAt = max(document.createdAt, SnapshotVersion(createdAt))
        } else if !existed {
            document.becomeCreated(promisedAt)
        }
    }
}

extension Document {
    /// A batch that promises a time has made the document, if the document is there now.
    fileprivate mutating func becomeCreated(_ promisedAt: Timestamp?) {
        guard isFound else { return }
        createdAt = promisedAt.map { SnapshotVersion($0) } ?? .zero
    }

    /// What an effect must tell of the creation of a document that waiting batches have changed.
    ///
    /// - Parameters:
    ///   - remote: The document as the backend has it, as far as known.
    ///   - promisedAt: The promise of the newest batch.
    package func creation(over remote: Document, promisedAt: Timestamp?) -> Timestamp? {
        guard isFound, createdAt != remote.createdAt, createdAt != .zero else { return nil }
        let made = createdAt.timestamp
        return made == promisedAt && !remote.exists ? nil : made
    }
}
