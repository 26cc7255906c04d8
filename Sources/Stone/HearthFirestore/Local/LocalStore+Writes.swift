import HashTreeCollections
import HearthEngine
import HearthModel

extension LocalStore {
    /// The most bytes of a document that writes may make here.
    ///
    /// The backend takes 1 MiB of one write. This limit leaves room for documents that many waiting
    /// writes pile up, and lets a document fit into one frame of the local socket.
    static let documentByteCountMax = 16 << 20

    /// Accepts writes, unless they would make a document too large or too deep to be told of.
    ///
    /// - Returns: As `write`; or why nothing was done.
    mutating func accept(
        _ mutations: [Mutation], by writer: Writer, at now: Timestamp,
        _ store: any FirestoreTransaction
    ) throws(StoreError) -> Result<(batch: MutationBatch, changed: [Document]), HearthError> {
        let effect = try effect(of: mutations, at: now, store)
        for document in effect.documents {
            if let error = Self.refusal(of: document) { return .failure(error) }
        }
        return .success(try append(effect, by: writer, store))
    }

    private static func refusal(of document: Document) -> HearthError? {
        func refusal(_ what: String) -> HearthError {
            HearthError(
                code: .invalidArgument,
                message: "With what waits for the backend, \(document.key) would \(what)")
        }
        if document.fields.byteCountBound > documentByteCountMax {
            return refusal(
                "be larger than \(documentByteCountMax >> 20) MiB. The backend takes documents of "
                    + "1 MiB.")
        }
        if document.fields.nesting > Value.nestingMax {
            return refusal(
                "hold maps and arrays more than \(Value.nestingMax) deep. The backend takes 20.")
        }
        return nil
    }

    /// Accepts writes: puts a batch in the queue and its effect in the overlays.
    ///
    /// - Returns: The batch, and the local documents that it changed.
    /// - Complexity: O(documents written), whatever the queue's length.
    mutating func write(
        _ mutations: [Mutation], by writer: Writer, at now: Timestamp,
        _ store: any FirestoreTransaction
    ) throws(StoreError) -> (batch: MutationBatch, changed: [Document]) {
        try append(try effect(of: mutations, at: now, store), by: writer, store)
    }

    /// What a batch would do here.
    private struct Effect {
        let batch: MutationBatch
        let overlays: [Overlay]
        let documents: [Document]
    }

    private mutating func append(
        _ effect: Effect, by writer: Writer, _ store: any FirestoreTransaction
    ) throws(StoreError) -> (batch: MutationBatch, changed: [Document]) {
        let queued = QueuedBatch(batch: effect.batch, user: user, writer: writer)
        try noteKnown(effect.batch.keys, store)
        try store.append(queued, effects: effect.overlays)
        try note(HistoryEvent.accepted, queued, effect.documents, store)
        return (effect.batch, effect.documents)
    }

    private mutating func effect(
        of mutations: [Mutation], at now: Timestamp, _ store: any FirestoreTransaction
    ) throws(StoreError) -> Effect {
        try store.enter(.writeLocally)
        let keys = MutationBatch.keys(of: mutations)
        var drafts: [Draft] = []
        drafts.reserveCapacity(keys.count)
        for key in keys { drafts.append(Draft(document: try store.remoteDocument(key))) }
        let promisedAt = nextPromise(after: drafts.lazy.map(\.document.version))
        let pending = try store.overlays(keys, of: user)
        if !pending.isEmpty {
            for index in keys.indices {
                drafts[index].mask = apply(pending[keys[index]], to: &drafts[index].document)
            }
        }
        let batch = MutationBatch(
            id: nextBatchID(), writtenAt: now.flooredToMicroseconds, promisedAt: promisedAt,
            baseMutations: Self.bases(of: mutations, on: drafts), mutations: mutations)
        var overlays: [Overlay] = []
        for index in drafts.indices {
            let isKnown = drafts[index].remote.isValid
            let mask = batch.apply(to: &drafts[index].document, mask: drafts[index].mask)
            let document = drafts[index].document
            // Without a remote document, only the whole state can be told.
            if let effect = Mutation.overlay(of: document, mask: isKnown ? mask : nil) {
                let createdAt = document.creation(
                    over: drafts[index].remote, promisedAt: promisedAt)
                overlays.append(
                    Overlay(
                        largestBatchID: batch.id, promisedAt: promisedAt, createdAt: createdAt,
                        mutation: effect))
            }
            if !document.isValid { drafts[index].document.becomeMissing(at: .zero) }
        }
        return Effect(batch: batch, overlays: overlays, documents: drafts.map(\.document))
    }

    /// A document on the way from its remote state to the state after a batch.
    private struct Draft {
        var document: Document
        /// The fields that pending batches change; `nil` for all.
        var mask: FieldMask? = .empty
        /// The document as the backend has it, as far as known.
        let remote: Document

        init(document: Document) {
            self.document = document
            remote = document
        }
    }

    /// What the increments among writes start from.
    private static func bases(of mutations: [Mutation], on drafts: [Draft]) -> [Mutation] {
        let transforming = mutations.filter { !$0.transforms.isEmpty }
        if transforming.isEmpty { return [] }
        var documents: [DocumentKey: Document] = [:]
        for draft in drafts { documents[draft.document.key] = draft.document }
        return transforming.compactMap { mutation in
            documents[mutation.key].flatMap { mutation.baseMutation(for: $0) }
        }
    }

    /// Moves an acknowledged batch from its user's queue into the remote documents, as answered.
    ///
    /// Another user may have signed in since, if the store had failed when the answer came.
    ///
    /// - Returns: The local documents of the batch.
    mutating func acknowledge(
        _ queued: QueuedBatch, _ answer: WriteAnswer, _ store: any FirestoreTransaction
    ) throws(StoreError) -> [Document] {
        try store.enter(.acknowledgeBatch)
        promises.heard(answer.committedAt)
        let batch = queued.batch
        let keys = batch.keys
        try noteKnown(keys, store)
        var documents: [Document] = []
        documents.reserveCapacity(keys.count)
        for key in keys { documents.append(try store.remoteDocument(key)) }
        // The batch leaves first: no index may list the batch's outgoing effect on the new
        // document.
        try leaveQueue(queued, store)
        for (index, remote) in documents.enumerated() {
            guard let document = Self.document(remote, after: batch, answer) else { continue }
            try store.setRemoteDocument(document)
            documents[index] = document
        }
        if answer.results.contains(where: { !$0.transformResults.isEmpty }) {
            let transformed = zip(batch.mutations, answer.results).filter {
                !$1.transformResults.isEmpty
            }
            try recomputeOverlays(of: Set(transformed.map(\.0.key)), by: queued.user, store)
        }
        let remotes = history.terms.isKept ? documents : []
        let overlays = try store.overlays(keys, of: user)
        if !overlays.isEmpty {
            for index in keys.indices { overlays[keys[index]]?.apply(to: &documents[index]) }
        }
        try note(HistoryEvent.committed, queued, documents, over: remotes, store)
        return documents
    }

    /// Takes a refused batch out of its user's queue and undoes its effect.
    ///
    /// - Returns: The local documents of the batch.
    mutating func reject(
        _ queued: QueuedBatch, because error: HearthError, _ store: any FirestoreTransaction
    ) throws(StoreError) -> [Document] {
        try store.enter(.rejectBatch)
        try noteKnown(queued.batch.keys, store)
        try leaveQueue(queued, store)
        try recomputeOverlays(of: Set(queued.batch.keys), by: queued.user, store)
        let documents = try localDocuments(queued.batch.keys, store)
        try note({ .rejected($0, error) }, queued, documents, store)
        return documents
    }

    /// Makes another user's queue and overlays count.
    ///
    /// The store computes the overlays anew: the remote documents below them have moved while
    /// nobody looked.
    ///
    /// - Returns: The local documents that one of the two queues writes to.
    mutating func changeUser(to user: UserID, _ store: any FirestoreTransaction)
        throws(StoreError) -> [Document]
    {
        try store.enter(.changeUser)
        let before = try store.writtenKeys(of: self.user)
        self.user = user
        let after = try store.writtenKeys(of: user)
        try recomputeOverlays(of: after, by: user, store)
        let written = before.union(after)
        // Answers that somebody remembers are the earlier user's.
        store.noteChanges(of: written)
        return try localDocuments(Array(written), store)
    }

    /// The next batch to send; `nil` if a held batch is next, which holds back all behind the held batch.
    func nextBatchToSend(after id: BatchID, _ store: any FirestoreTransaction) throws(StoreError)
        -> QueuedBatch?
    {
        try store.enter(.fillWritePipeline)
        return try store.nextBatchToSend(after: id, of: user)
    }

    /// Removes a batch and the overlays that end with it.
    mutating func leaveQueue(_ queued: QueuedBatch, _ store: any FirestoreTransaction)
        throws(StoreError)
    {
        try store.removeBatch(queued)
        try release(queued.batch.keys, store)
    }

    /// Notes that a batch no longer holds documents.
    mutating func release(_ keys: [DocumentKey], _ store: any FirestoreTransaction)
        throws(StoreError)
    {
        switch policy {
        case .eager: touched.formUnion(keys)
        case .leastUsed: try store.touch(keys, at: sequenceNumber())
        }
    }
}
