import HearthModel
import HearthWire

/// The indexes of the machine's cache. They make queries of the cache quick and concern no backend.
///
/// All programs of the machine share them.
public final class PersistentCacheIndexManager: Sendable {
    private let firestore: Firestore

    init(firestore: Firestore) {
        self.firestore = firestore
    }

    /// Lets costly queries make the index that they lack.
    public func enableIndexAutoCreation() {
        begin(.setAutomaticCreation(isEnabled: true))
    }

    /// Lets no query make an index any more. Those that were made stay.
    public func disableIndexAutoCreation() {
        begin(.setAutomaticCreation(isEnabled: false))
    }

    /// Drops all indexes, however they were made.
    public func deleteAllIndexes() {
        begin(.removeAll)
    }

    // MARK: The same, and more, with an answer

    /// The indexes that there are, and whether queries make more.
    public func indexes() async throws -> CacheIndexes {
        try await change(.none)
    }

    /// Makes an index, if it is not there.
    @discardableResult
    public func createIndex(_ index: CacheIndex) async throws -> CacheIndexes {
        try await change(.add(try index.wire()))
    }

    /// Drops an index, however it was made.
    @discardableResult
    public func deleteIndex(_ index: CacheIndex) async throws -> CacheIndexes {
        try await change(.remove(try index.wire()))
    }

    /// Drops all indexes, however they were made.
    @discardableResult
    public func removeAllIndexes() async throws -> CacheIndexes {
        try await change(.removeAll)
    }

    /// Whether costly queries make the index that they lack.
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
            // Only a cache that cannot be used refuses, and everything else tells of that too.
        }
    }
}

extension Firestore {
    /// The indexes of the machine's cache. There always is one: the daemon keeps its cache.
    public var persistentCacheIndexManager: PersistentCacheIndexManager? {
        PersistentCacheIndexManager(firestore: self)
    }

    /// Makes the indexes of a `firestore.indexes.json` those of the machine's cache; others that
    /// somebody asked for go, those that queries made stay.
    ///
    /// - Throws: `FirestoreError` `invalidArgument`, which says where the file is wrong.
    public func setIndexConfiguration(_ json: String) async throws {
        _ = try await PersistentCacheIndexManager(firestore: self).change(.configure(json))
    }
}

extension Firestore {
    /// Makes the indexes of a `firestore.indexes.json` those of the machine's cache, and calls back.
    public func setIndexConfiguration(
        _ json: String, completion: (@Sendable ((any Error)?) -> Void)?
    ) {
        request(.firestore(.manageIndexes(.configure(json))), completion)
    }
}

extension Query {
    /// Tells how the query is answered from the machine's cache: by which plan, and at what cost.
    public func explain() async throws -> QueryExplanation {
        let event = try await firestore.request(.firestore(.explain(try validated())))
        guard case .explanation(let explanation) = event else { throw Firestore.unexpected(event) }
        return QueryExplanation(explanation)
    }
}
