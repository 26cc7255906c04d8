import HearthModel
import HearthWire

/// The updates that wait for a listener, joined to one update when the listener takes the updates.
///
/// To add an update costs as much as the update's changes. To join compares the documents that any of
/// the updates changed; all documents, if the changes are more.
struct UnseenUpdates: Sendable {
    private let first: ViewUpdate
    /// The newest update, with the rejected writes of all; `nil` while there is one update.
    private var last: ViewUpdate?
    /// The documents that changed; `nil` if all documents are to be compared.
    private var changedKeys: Set<DocumentKey>?

    /// One update waits.
    init(_ first: ViewUpdate) {
        self.first = first
    }

    /// Another update waits.
    mutating func append(_ next: ViewUpdate) {
        if last == nil, first.previous != nil {
            changedKeys = Set(first.changes.lazy.map(\.document.key))
        }
        var next = next
        next.flags.rejectedWrites = (last ?? first).flags.rejectedWrites.followed(
            by: next.flags.rejectedWrites)
        changedKeys?.formUnion(next.changes.lazy.map(\.document.key))
        last = next
        let documentCount = next.documents.count + (first.previous?.count ?? 0)
        if let keys = changedKeys, keys.count > documentCount { changedKeys = nil }
    }

    /// The newest state, and what has changed since the state before the first update.
    var joined: ViewUpdate {
        guard let last else { return first }
        let (old, new) = (first.previous, last.documents)
        guard let old, let changedKeys else {
            return ViewUpdate(from: old, to: new, flags: last.flags)
        }
        let removed = changedKeys.compactMap { new.contains($0) ? nil : old[$0] }
        let changes = ViewUpdate.changes(
            from: old, to: new, removed: new.order.sorted(removed),
            candidates: new.order.sorted(changedKeys.compactMap { new[$0] }))
        return ViewUpdate(previous: old, documents: new, changes: changes, flags: last.flags)
    }
}
