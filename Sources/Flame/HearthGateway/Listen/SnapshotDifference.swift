import HearthModel

/// The news that turns the picture that a client was shown into another picture.
///
/// A client knows a document's state by name and update time, so the two decide what has changed: a
/// document whose update time is equal would be ignored.
struct SnapshotDifference: Equatable, Sendable {
    /// The documents that are there no more.
    private(set) var removed: [DocumentKey] = []
    /// The documents that are new or otherwise, in the order of the query.
    private(set) var changed: [Document] = []

    /// Compares two pictures.
    ///
    /// - Parameters:
    ///   - old: What the client was shown; `nil` for nothing.
    ///   - names: What may differ. O(names), or O(documents) for all.
    ///   - again: What must be told even if it does not differ, because the client may have been
    ///     told of a later picture in part. A client ignores what it has.
    init(
        from old: DocumentSet?, to new: DocumentSet, among names: ChangedNames,
        again: Set<DocumentKey> = []
    ) {
        switch names {
        case .only(let names):
            for name in names.union(again) {
                compare(old?[name], new[name], name, isTold: again.contains(name))
            }
            changed = new.order.sorted(changed)
        case .all:
            for document in new.documents {
                let key = document.key
                compare(old?[key], document, key, isTold: again.contains(key))
            }
            let gone = Set(old?.keys.filter { !new.contains($0) } ?? [])
            removed = Array(gone.union(again.filter { !new.contains($0) }))
        }
        removed.sort()
    }

    /// Whether the pictures are equal.
    var isEmpty: Bool { removed.isEmpty && changed.isEmpty }

    /// The documents that are told of.
    var names: Set<DocumentKey> { Set(removed).union(changed.lazy.map(\.key)) }

    private mutating func compare(
        _ old: Document?, _ new: Document?, _ key: DocumentKey, isTold: Bool
    ) {
        switch (old, new) {
        case (let old?, let new?):
            if isTold || old.updateTime != new.updateTime { changed.append(new) }
        case (nil, let new?): changed.append(new)
        case (.some, nil): removed.append(key)
        case (nil, nil): if isTold { removed.append(key) }
        }
    }
}
