import HearthEngine
import HearthModel

extension LocalStore {
    /// Takes a commit that came from no queue into the remote documents, as the backend answered.
    ///
    /// - Returns: The local documents that the commit moved. A document that the cache knows in a
    ///   later state is not among the moved documents.
    mutating func learn(
        _ mutations: [Mutation], _ answer: WriteAnswer, _ store: any FirestoreTransaction
    ) throws(StoreError) -> [Document] {
        try store.enter(.acknowledgeBatch)
        promises.heard(answer.committedAt)
        // The batch stands in no queue; it only applies the writes in their order.
        let batch = MutationBatch(
            id: .none, writtenAt: answer.committedAt.timestamp, mutations: mutations)
        try noteKnown(batch.keys, store)
        var documents: [DocumentKey: Document] = [:]
        for key in batch.keys {
            let remote = try store.remoteDocument(key)
            guard let moved = Self.document(remote, after: batch, answer) else { continue }
            try store.setRemoteDocument(moved)
            documents[key] = moved
        }
        try release(Array(documents.keys), store)
        let remotes = history.terms.isKept ? batch.keys.compactMap { documents[$0] } : []
        try recomputeOverlays(&documents, by: user, store)
        let locals = batch.keys.compactMap { documents[$0] }
        try noteHeard(remotes, locals, store)
        return locals
    }

    /// A remote document as a committed batch left it.
    ///
    /// - Returns: `nil` if the document is known as it is later, or cannot be told from what is known.
    static func document(
        _ remote: Document, after batch: MutationBatch, _ answer: WriteAnswer
    ) -> Document? {
        let last = batch.lastPlace(of: remote.key, before: answer.results.count)
        guard let version = last.map({ answer.results[$0].version }), remote.version < version
        else { return nil }
        var document = remote
        do {
            try batch.applyAcknowledged(to: &document, answer.results)
        } catch {
            // The backend broke its promise; what it stored will come by the watch stream.
            document.becomeUnknown(at: version)
        }
        guard document.isValid else { return nil }
        // Without a commit time from the backend, the version of the write is the read time.
        document.readAt = max(answer.committedAt, version)
        return document
    }
}
