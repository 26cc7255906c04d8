package import HearthEngine
import HearthModel

/// A store in memory, for databases that need not outlive the process, and for tests.
///
/// The store keeps one value of persistent collections (`MemoryState`). Opening a group, a
/// savepoint and a rollback are each a copy of the value. O(1).
package final class MemoryStore: FailureInjecting {
    private let open = MemoryTransaction()
    private var committed = MemoryState()
    package private(set) var isGroupOpen = false

    /// Makes an empty store.
    package init() {}

    package var failing: Set<StoreOperation> {
        get { open.failing }
        set { open.failing = newValue }
    }

    package func begin() throws(StoreError) {
        precondition(!isGroupOpen, "A group is already open")
        open.state = committed
        open.changes = DocumentChanges(after: open.changes)
        isGroupOpen = true
    }

    package func turn<Result>(
        _ body: (any FirestoreTransaction) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        precondition(isGroupOpen, "A turn outside a group")
        let before = open.state
        do throws(StoreError) {
            return try body(open)
        } catch {
            open.state = before
            throw error
        }
    }

    package var changes: DocumentChanges {
        var changes = open.changes
        changes.heard = committed.globals.lastRemoteVersion
        return changes
    }

    package func commit() throws(StoreError) {
        precondition(isGroupOpen, "A commit outside a group")
        committed = open.state
        open.state = MemoryState()
        isGroupOpen = false
    }

    package func rollback() {
        open.state = MemoryState()
        isGroupOpen = false
    }
}

/// One group of turns on a `MemoryStore`: the state as the turns so far have left it.
package final class MemoryTransaction: FirestoreTransaction {
    var state = MemoryState()
    package internal(set) var changes = DocumentChanges()
    var failing: Set<StoreOperation> = []

    init() {}

    package var changeNumber: UInt64 { changes.number }

    package func enter(_ operation: StoreOperation) throws(StoreError) {
        if failing.contains(operation) { throw .injected(operation) }
    }

    package func globals() throws(StoreError) -> StoreGlobals { state.globals }

    package func setGlobals(_ globals: StoreGlobals) throws(StoreError) {
        state.globals = globals
    }
}
