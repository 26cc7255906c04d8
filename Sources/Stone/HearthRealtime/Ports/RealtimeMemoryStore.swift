package import HearthEngine
import HearthModel

/// A store in memory, for databases that need not outlive the process, and for tests.
///
/// The store keeps one value of persistent collections (`RealtimeMemoryState`). Opening a group, a
/// savepoint and a rollback are each a copy of the value. O(1).
package final class RealtimeMemoryStore: RealtimeStore {
    private let open = RealtimeMemoryTransaction()
    private var committed = RealtimeMemoryState()
    package private(set) var isGroupOpen = false
    /// The steps that fail when a turn enters them.
    package var failing: Set<RealtimeStep> {
        get { open.failing }
        set { open.failing = newValue }
    }

    /// Makes an empty store.
    package init() {}

    package func begin() throws(StoreError) {
        precondition(!isGroupOpen, "A group is already open")
        open.state = committed
        isGroupOpen = true
    }

    package func turn<Result>(
        _ body: (any RealtimeTransaction) throws(StoreError) -> Result
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

    package func commit() throws(StoreError) {
        precondition(isGroupOpen, "A commit outside a group")
        committed = open.state
        open.state = RealtimeMemoryState()
        isGroupOpen = false
    }

    package func rollback() {
        open.state = RealtimeMemoryState()
        isGroupOpen = false
    }
}
