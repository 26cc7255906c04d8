import HearthFirestore
import HearthModel

/// Holds back what writes have changed that the backend has not answered yet.
///
/// The backend mostly answers within a fraction of a second. The listener then hears of one change
/// with the real time, as it would from the backend itself, and of nothing if the write is rejected. A
/// write that waits longer is shown twice: as it was accepted, and when it has settled.
///
/// The backend shows a write whole, so all that a write sets or takes out of the results is held back
/// together (`ChangedGroups`), and news of other documents goes by. Where a limit or an offset ties
/// documents together, or a target names several, all news waits for as long as any of it does.
struct SettlingHold: Sendable {
    /// What a client was shown, and what is to be shown.
    struct Pictures {
        /// The documents of the newest snapshot.
        let newest: DocumentSet
        /// The documents that the client has; `nil` if the client has none.
        let shown: DocumentSet?
        /// The documents that left by writes that the backend has not confirmed.
        let departed: DepartedKeys
    }

    /// What has changed, where each document is shown for its own sake.
    private var groups = ChangedGroups()
    /// Until when all is held back.
    private var whole: Duration?

    /// Whether nothing is held back.
    var isEmpty: Bool { groups.isEmpty && whole == nil }

    /// When something that is held back is due; `nil` for nothing. O(1).
    var endsAt: Duration? {
        guard let first = groups.firstEnd else { return whole }
        return min(first, whole ?? first)
    }

    /// Whether a document by itself is held back.
    func holds(_ name: DocumentKey) -> Bool { whole != nil || groups.contains(name) }

    /// Notes documents that changed in one snapshot, for a target that shows each document by
    /// itself.
    mutating func join(_ names: some Sequence<DocumentKey>) { groups.join(names) }

    /// Holds nothing back any more.
    ///
    /// - Returns: The names that may have changed, including the names held back.
    mutating func release(_ changed: ChangedNames) -> ChangedNames {
        defer { self = SettlingHold() }
        guard case .only(let names) = changed else { return .all }
        return groups.isEmpty ? changed : .only(names.union(groups.names))
    }

    /// Whether all news may be shown now, where documents depend on each other.
    mutating func mayShow(
        _ pictures: Pictures, _ changed: ChangedNames, at now: Duration, for window: Duration
    ) -> Bool {
        guard pictures.wait(changed) else {
            self = SettlingHold()
            return true
        }
        let end = whole ?? now + window
        guard now < end else {
            self = SettlingHold()
            return true
        }
        whole = end
        return false
    }

    /// The picture to show: the documents of waiting groups stay as the client last saw them.
    ///
    /// - Parameter shown: What the client has.
    /// - Returns: The picture, and the names that may differ from the shown picture.
    mutating func each(
        of pictures: Pictures, shown: DocumentSet, _ changed: ChangedNames, at now: Duration,
        for window: Duration
    ) -> (documents: DocumentSet, names: ChangedNames) {
        let newest = pictures.newest
        let looked: Set<DocumentKey>
        switch changed {
        case .only(let names): looked = names
        case .all:
            // Which of the documents changed together, nobody knows.
            looked = pictures.differing.union(groups.names)
            groups.join(looked)
        }
        let told = groups.take(looked, at: now, for: window) { pictures.waits($0) }
        if groups.isEmpty { return (newest, .only(told)) }
        let documents =
            told.count < groups.count
            ? shown.taking(told, from: newest) : newest.taking(groups.names, from: shown)
        return (documents, .only(told))
    }
}

extension SettlingHold.Pictures {
    /// Whether a document is shown otherwise only by a write that waits for the backend.
    fileprivate func waits(_ name: DocumentKey) -> Bool {
        let old = shown?[name]
        guard let new = newest[name] else { return old != nil && departed.contains(name) }
        return new.hasLocalMutations && new.updateTime != old?.updateTime
    }

    /// Whether any of the changed documents waits.
    fileprivate func wait(_ changed: ChangedNames) -> Bool {
        switch changed {
        case .only(let names): names.contains { waits($0) }
        case .all:
            newest.keys.contains { waits($0) }
                || (!departed.isEmpty && shown?.keys.contains { waits($0) } ?? false)
        }
    }

    /// The documents in which the pictures differ. O(documents).
    fileprivate var differing: Set<DocumentKey> {
        var names: Set<DocumentKey> = []
        for name in newest.keys where newest[name]?.updateTime != shown?[name]?.updateTime {
            names.insert(name)
        }
        for name in shown?.keys.filter({ !newest.contains($0) }) ?? [] { names.insert(name) }
        return names
    }
}

extension DocumentSet {
    /// The set, with some documents taken from another set.
    fileprivate func taking(_ names: some Sequence<DocumentKey>, from other: DocumentSet)
        -> DocumentSet
    {
        var result = self
        for name in names {
            if let document = other[name] {
                result.insert(document)
            } else {
                result.remove(name)
            }
        }
        return result
    }
}
