package import HearthModel

/// What a host learns from a note of its engine, for the status and the figures.
package enum EngineNews: Hashable, Sendable {
    /// Whether the backend can be reached is known better.
    case onlineState(OnlineState)
    /// The cache stands to the backend otherwise than before.
    case syncState(SyncState)
    /// The store failed or works again.
    ///
    /// A host that has seen the store's failure reports the failure itself.
    case store
    /// The backend committed a batch that was sent.
    case committed
    /// The backend refused a batch.
    case rejected
    /// A connection to the backend failed.
    case connectionFailed(HearthError)
    /// The backend answered, after a connection had failed.
    case connectionRecovered
    /// Batches that hold only once cannot be marked, or with `nil` can be again.
    case marking(failure: HearthError?)
    /// The least used were collected.
    case collected(count: Int)
    /// So many documents were read since the last such news.
    case read(LedgerSums)
    /// There are other pins, or they take another number of bytes.
    case pinned(PinFigures)
    /// The bundles that are on their way into the cache.
    case loading([BundleLoading])
    /// The database lacks something from now on, with an account in sentences for operators.
    ///
    /// A loss takes the place of an earlier one of the same thing, unless the earlier one is of a newer edition.
    case lost(LossName, account: String)
    /// The database lacks nothing of this edition of a thing any more, nor of older editions, if it ever did.
    case madeGood(LossName)
    /// The database is empty, as if nobody had ever used the database. No loss that the engine has told holds any more.
    case cleared
    /// For the journal alone.
    case other
}
