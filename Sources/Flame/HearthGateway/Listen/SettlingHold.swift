import HearthModel

/// Holds back documents with a write that the backend has not answered yet.
///
/// The backend mostly answers within a fraction of a second. The listener then hears of one change
/// with the real time, as it would from the backend itself. A write that waits longer is shown
/// twice: with its promised time, and when it has settled.
///
/// Where each document is shown for its own sake, each is held back for itself. Where a limit or an
/// offset ties documents together, all news waits for as long as any of it does.
struct SettlingHold: Sendable {
    /// Until when each document is held back, as the client was shown it.
    private var names: [DocumentKey: Duration] = [:]
    /// Until when all is held back.
    private var whole: Duration?

    /// Whether nothing is held back.
    var isEmpty: Bool { names.isEmpty && whole == nil }

    /// When something that is held back is due; `nil` for nothing. O(names).
    var endsAt: Duration? {
        guard let first = names.values.min() else { return whole }
        return min(first, whole ?? first)
    }

    /// Holds nothing back any more.
    ///
    /// - Returns: The names that may have changed, including the names held back.
    mutating func release(_ changed: ChangedNames) -> ChangedNames {
        defer { self = SettlingHold() }
        return joined(changed)
    }

    /// Whether all news may be shown now, where documents depend on each other.
    mutating func mayShow(
        _ newest: DocumentSet, shown: DocumentSet?, _ changed: ChangedNames, at now: Duration,
        for window: Duration
    ) -> Bool {
        guard waits(newest, shown, changed) else {
            whole = nil
            return true
        }
        let end = whole ?? now + window
        whole = now < end ? end : nil
        return whole == nil
    }

    /// The picture in which each waiting document keeps its shown state.
    ///
    /// - Returns: The picture, and the names that may differ from the shown picture.
    mutating func each(
        of newest: DocumentSet, shown: DocumentSet, _ changed: ChangedNames, at now: Duration,
        for window: Duration
    ) -> (documents: DocumentSet, names: ChangedNames) {
        var told: Set<DocumentKey> = []
        for name in candidates(newest, shown, changed) {
            guard let new = newest[name], new.hasLocalMutations,
                new.updateTime != shown[name]?.updateTime,
                case let end = names[name] ?? now + window, now < end
            else {
                names[name] = nil
                told.insert(name)
                continue
            }
            names[name] = end
        }
        if names.isEmpty { return (newest, .only(told)) }
        let documents =
            told.count < names.count
            ? shown.taking(told, from: newest) : newest.taking(names.keys, from: shown)
        return (documents, .only(told))
    }

    private func joined(_ changed: ChangedNames) -> ChangedNames {
        guard case .only(let names) = changed else { return .all }
        return .only(names.union(self.names.keys))
    }

    private func candidates(
        _ newest: DocumentSet, _ shown: DocumentSet, _ changed: ChangedNames
    ) -> Set<DocumentKey> {
        switch joined(changed) {
        case .only(let names): names
        case .all: Set(newest.keys).union(shown.keys)
        }
    }

    private func waits(
        _ newest: DocumentSet, _ shown: DocumentSet?, _ changed: ChangedNames
    ) -> Bool {
        func waits(_ document: Document) -> Bool {
            document.hasLocalMutations && document.updateTime != shown?[document.key]?.updateTime
        }
        switch changed {
        case .only(let names): return names.contains { newest[$0].map(waits) ?? false }
        case .all: return newest.documents.contains(where: waits)
        }
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
