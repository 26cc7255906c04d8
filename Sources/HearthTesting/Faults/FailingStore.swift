package import HearthFirestore

/// A store whose steps fail on demand, whatever store is behind it.
package final class FailingStore: FirestoreStore {
    private var base: any FirestoreStore
    /// The steps that fail, as long as they are in the set.
    package var failing: Set<StoreOperation> = []

    /// Stands before `base`.
    package init(_ base: any FirestoreStore) {
        self.base = base
    }

    /// Stands before another store from now on, as after a restart; nothing fails any more.
    package func replaceBase(with base: any FirestoreStore) {
        self.base = base
        failing = []
    }

    package var isGroupOpen: Bool { base.isGroupOpen }

    package func begin() throws(StoreError) { try base.begin() }

    package func turn<Result>(
        _ body: (any FirestoreTransaction) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let failing = failing
        return try base.turn { transaction throws(StoreError) in
            try body(FailingTransaction(transaction, failing: failing))
        }
    }

    package func commit() throws(StoreError) { try base.commit() }

    package func rollback() { base.rollback() }
}
