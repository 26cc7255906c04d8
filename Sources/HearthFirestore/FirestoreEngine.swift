package import HearthModel

/// The Firestore client engine: takes inputs, decides, and returns what must be done.
package struct FirestoreEngine: Sendable {
    /// What a host decides for an engine.
    package struct Configuration: Hashable, Sendable {
        /// The database.
        package var database: DatabaseID
        /// The Firebase user at the start.
        package var user: UserID
        /// Which documents leave the cache.
        package var collection: CollectionPolicy
        /// How many documents in limbo are looked up at a time.
        package var limboResolutionCountMax: Int

        /// The defaults of the SDKs.
        package init(
            database: DatabaseID, user: UserID = .unauthenticated,
            collection: CollectionPolicy = .leastUsed(cacheByteCountMax: 100 << 20),
            limboResolutionCountMax: Int = 100
        ) {
            self.database = database
            self.user = user
            self.collection = collection
            self.limboResolutionCountMax = limboResolutionCountMax
        }
    }

    /// Makes an engine that has not started.
    package init(configuration: Configuration, seed: UInt64) {}

    /// Takes one input inside one transaction and returns what must be done after its commit.
    ///
    /// - Throws: Only what the store throws. The caller must then drop this value for the one
    ///   before, and give that one `turnFailed`.
    package mutating func take(
        _ input: Input, at now: Timestamp, in store: any FirestoreTransaction
    ) throws(StoreError) -> [Action] { [] }

    /// Takes the failure of an input whose transaction was undone.
    package mutating func turnFailed(_ input: Input, _ error: StoreError, at now: Timestamp)
        -> [Action]
    { [] }
}

/// Which documents leave the cache.
package enum CollectionPolicy: Hashable, Sendable {
    /// Whatever no target, queue or view holds, at once.
    case eager
    /// The least used, when the cache is larger than this; `nil` for never.
    case leastUsed(cacheByteCountMax: Int?)
}
