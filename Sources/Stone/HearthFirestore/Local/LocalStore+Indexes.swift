import HearthEngine
import HearthModel

/// What is asked of the local indexes.
package enum IndexRequest: Hashable, Sendable {
    /// Only the answer.
    case list
    /// Makes these the indexes that somebody asked for; others that were asked for go.
    case configure([FieldIndex])
    /// Adds one.
    case add(FieldIndex)
    /// Drops one, however it was made.
    case remove(FieldIndex)
    /// Drops all, however they were made.
    case removeAll
    /// Whether costly queries get an index by themselves.
    case setAutomaticCreation(isEnabled: Bool)
}

/// The local indexes of a database.
package struct IndexReport: Hashable, Sendable {
    /// The existing indexes, in the order of their making.
    package let indexes: [StoredIndex]
    /// Whether costly queries get an index by themselves.
    package let createsAutomatically: Bool

    /// Reports.
    package init(indexes: [StoredIndex], createsAutomatically: Bool) {
        self.indexes = indexes
        self.createsAutomatically = createsAutomatically
    }
}

extension LocalStore {
    /// Carries out a request.
    ///
    /// - Returns: The indexes as they are then, and whether there is something to backfill.
    mutating func manageIndexes(_ request: IndexRequest, _ store: any FirestoreTransaction)
        throws(StoreError) -> (report: IndexReport, hasWork: Bool)
    {
        try store.enter(.manageIndexes)
        let present = try store.indexes()
        var hasWork = false
        switch request {
        case .list:
            break
        case .configure(let wanted):
            for old in present where !old.isAutomatic && !wanted.contains(old.index) {
                try store.removeIndex(old.id)
                hasWork = true
            }
            for index in wanted {
                if try store.addIndex(index, isAutomatic: false) { hasWork = true }
            }
        case .add(let index):
            hasWork = try store.addIndex(index, isAutomatic: false)
        case .remove(let index):
            for old in present where old.index == index {
                try store.removeIndex(old.id)
                hasWork = true
            }
        case .removeAll:
            for old in present { try store.removeIndex(old.id) }
            hasWork = !present.isEmpty
        case .setAutomaticCreation(let isEnabled):
            globals.createsIndexes = isEnabled
        }
        let report = IndexReport(
            indexes: try store.indexes(), createsAutomatically: globals.createsIndexes)
        return (report, hasWork)
    }

    /// Makes the indexes that a costly query wanted, if that is switched on.
    ///
    /// - Returns: Whether there is something to backfill.
    func makeWantedIndexes(_ wanted: [FieldIndex], _ store: any FirestoreTransaction)
        throws(StoreError) -> Bool
    {
        guard globals.createsIndexes, !wanted.isEmpty else { return false }
        var room = IndexLimits.indexCountMax - (try store.indexes().count)
        var hasWork = false
        for index in wanted where room > 0 {
            guard try store.addIndex(index, isAutomatic: true) else { continue }
            hasWork = true
            room -= 1
        }
        return hasWork
    }
}
