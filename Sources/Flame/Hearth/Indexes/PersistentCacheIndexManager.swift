import HearthModel
import HearthWire

/// Manages the indexes of the machine's cache.
///
/// The indexes make queries of the cache quick. They do not concern the backend. All programs of
/// the machine share the indexes.
public final class PersistentCacheIndexManager: Sendable {
    private let firestore: Firestore

    init(firestore: Firestore) {
        self.firestore = firestore
    }

    /// Lets a costly query make the index that the query lacks.
    public func enableIndexAutoCreation() {
        begin(.setAutomaticCreation(isEnabled: true))
    }

    /// Lets no query make an index any more. The indexes that queries have made stay.
    public func disableIndexAutoCreation() {
        begin(.setAutomaticCreation(isEnabled: false))
    }

    /// Drops all indexes, automatic or asked for.
    public func deleteAllIndexes() {
        begin(.removeAll)
    }

    // MARK: The same, and more, with an answer

    /// The indexes of the cache, and whether queries make more.
    ///
    /// - Throws: `FirestoreError`: `unavailable` if no daemon answers.
    public func indexes() async throws -> CacheIndexes {
        try await change(.none)
    }

    /// Makes an index, if the cache lacks the index.
    ///
    /// - Returns: All indexes.
    /// - Throws: `FirestoreError`: `invalidArgument` for a bad field name, `unavailable` if no
    ///   daemon answers.
    @discardableResult
    public func createIndex(_ index: CacheIndex) async throws -> CacheIndexes {
        try await change(.add(try index.wire()))
    }

    /// Drops an index, automatic or asked for.
    ///
    /// - Returns: The indexes that are left.
    /// - Throws: `FirestoreError` as `createIndex`.
    @discardableResult
    public func deleteIndex(_ index: CacheIndex) async throws -> CacheIndexes {
        try await change(.remove(try index.wire()))
    }

    /// Drops all indexes, automatic or asked for.
    ///
    /// - Throws: `FirestoreError`: `unavailable` if no daemon answers.
    @discardableResult
    public func removeAllIndexes() async throws -> CacheIndexes {
        try await change(.removeAll)
    }

    /// Decides whether a costly query makes the index that the query lacks.
    ///
    /// - Returns: All indexes.
    /// - Throws: `FirestoreError`: `unavailable` if no daemon answers.
    @discardableResult
    public func setIndexAutoCreation(isEnabled: Bool) async throws -> CacheIndexes {
        try await change(.setAutomaticCreation(isEnabled: isEnabled))
    }

    fileprivate func change(_ change: IndexChange) async throws -> CacheIndexes {
        let event = try await firestore.request(.firestore(.manageIndexes(change)))
        guard case .indexes(let list) = event else { throw Firestore.unexpected(event) }
        return CacheIndexes(list)
    }

    private func begin(_ change: IndexChange) {
        let client = firestore.client
        client.request(client.nextOperation(), .firestore(.manageIndexes(change))) { _ in
            // Nobody waits for the answer. The forms with an answer report errors.
        }
    }
}

extension Firestore {
    /// The manager of the machine's cache indexes. Never `nil`: the daemon always has a cache.
    public var persistentCacheIndexManager: PersistentCacheIndexManager? {
        PersistentCacheIndexManager(firestore: self)
    }

    /// Configures the indexes of the machine's cache from a `firestore.indexes.json`.
    ///
    /// The cache drops all other indexes that a program or a file asked for. The indexes that
    /// queries made stay.
    ///
    /// - Throws: `FirestoreError` `invalidArgument` with the place of the mistake in the file.
    public func setIndexConfiguration(_ json: String) async throws {
        _ = try await PersistentCacheIndexManager(firestore: self).change(.configure(json))
    }
}

extension Firestore {
    /// Configures the indexes of the machine's cache from a `firestore.indexes.json`, and calls
    /// `completion`.
    public func setIndexConfiguration(
        _ json: String, completion: (@Sendable ((any Error)?) -> Void)?
    ) {
        request(.firestore(.manageIndexes(.configure(json))), completion)
    }
}

extension Query {
    /// Explains how the machine's cache answers the query: the plan and the cost.
    ///
    /// - Throws: `FirestoreError`: `invalidArgument` for a mistake in the query, `unavailable` if
    ///   no daemon answers.
    public func explain() async throws -> QueryExplanation {
        let event = try await firestore.request(.firestore(.explain(try validated())))
        guard case .explanation(let explanation) = event else { throw Firestore.unexpected(event) }
        return QueryExplanation(explanation)
    }
}
