package import HearthEngine
package import HearthFirestore

/// A store whose steps fail on demand, with any store behind it.
package final class FailingStore: FirestoreStore {
    private var attached: (any FirestoreStore)?
    /// The steps that fail, as long as they are in the set.
    package var failing: Set<StoreOperation> = []
    /// Whether the next commit fails, as if the disk had refused it.
    package var failsNextCommit = false
    /// Which of the next calls of a transaction fails, counted from 1; `nil` for none, and again once
    /// it has failed.
    package var failingCall: Int?

    /// Whether anything is to fail.
    package var mayFail: Bool { !failing.isEmpty || failsNextCommit || failingCall != nil }

    /// Stands before `base`.
    package init(_ base: any FirestoreStore) {
        attached = base
    }

    /// Releases the store, so that the store closes, and opens another store in its place; nothing
    /// fails any more.
    package func reopen(_ open: () throws(StoreError) -> any FirestoreStore) throws(StoreError) {
        attached = nil
        failing = []
        failsNextCommit = false
        failingCall = nil
        attached = try open()
    }

    private var base: any FirestoreStore {
        guard let attached else { preconditionFailure("A turn on a store that did not open") }
        return attached
    }

    package var isGroupOpen: Bool { base.isGroupOpen }

    package func begin() throws(StoreError) { try base.begin() }

    package func turn<Result>(
        _ body: (any FirestoreTransaction) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try base.turn { transaction throws(StoreError) in
            try body(FailingTransaction(transaction, of: self))
        }
    }

    /// Fails if this is the call that is to.
    func noteCall() throws(StoreError) {
        guard let call = failingCall else { return }
        failingCall = call > 1 ? call - 1 : nil
        if call <= 1 { throw .io("the call was made to fail") }
    }

    /// Looks at what is stored, which never fails on demand.
    func look<Result>(
        _ body: (any FirestoreTransaction) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try base.transaction(body)
    }

    package func commit() throws(StoreError) {
        guard failsNextCommit else { return try base.commit() }
        failsNextCommit = false
        base.rollback()
        throw .io("the commit was made to fail")
    }

    package func rollback() { base.rollback() }
}
