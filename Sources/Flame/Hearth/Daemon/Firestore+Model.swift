package import HearthModel
import HearthWire

/// What Hearth's own console needs besides a program's calls: values in the form of the model, which
/// keeps every bit of a value.
extension Firestore {
    /// A query in the form of the model.
    package func query(_ model: HearthModel.Query) -> Query {
        Query(firestore: self, model: model)
    }

    /// Writes, and waits until the write is durable on this machine.
    ///
    /// - Returns: The number of the batch in the queue.
    /// - Throws: `FirestoreError` as every write.
    package func accept(_ mutations: [Mutation]) async throws -> Int64 {
        try await write(mutations, until: .accepted).accepted()
    }

    /// A part of the collections that the cache knows; see `cachedCollections`.
    ///
    /// - Parameters:
    ///   - path: The document or the root that the collections lie below.
    ///   - after: The last collection of the part before; the root for the first part.
    ///   - countMax: How many collections at most.
    /// - Throws: `FirestoreError`: `unavailable` if no daemon answers.
    package func cachedCollections(
        below path: ResourcePath, after: ResourcePath, countMax: Int
    ) async throws -> (paths: [ResourcePath], hasMore: Bool) {
        let page = Inquiry.CollectionPage(below: path, after: after, countMax: countMax)
        let answer = try await operatorDesk.inquire(.collections(page))
        guard case .collections(let list) = answer else { throw operatorDesk.unexpected(answer) }
        return (list.paths, list.hasMore)
    }

    /// The collections right below a document or the root, as the backend lists them to the daemon; the first
    /// thousand, and whether there are more. Google bills a read for it.
    ///
    /// - Throws: `FirestoreError`: `unavailable` if the backend cannot be asked, `permissionDenied` if the
    ///   daemon is a user to whom the backend lists nothing.
    package func backendCollections(
        below path: ResourcePath
    ) async throws -> (paths: [ResourcePath], hasMore: Bool) {
        let page = Inquiry.CollectionPage(below: path, isOfBackend: true)
        let answer = try await operatorDesk.inquire(.collections(page))
        guard case .collections(let list) = answer else { throw operatorDesk.unexpected(answer) }
        return (list.paths, list.hasMore)
    }
}

extension DocumentSnapshot {
    /// The document in the form of the model; `nil` if there is none.
    package var model: Document? { document }
}

extension PendingWrite {
    /// A write in the form of the model.
    package init(model mutation: Mutation, in firestore: Firestore) {
        self.init(mutation, in: firestore)
    }

    /// The write in the form of the model, checked like any write.
    ///
    /// - Throws: `FirestoreError` `invalidArgument`; see `PendingWrite`.
    package func modelMutation() throws -> Mutation { try mutation() }
}
