import HearthModel

/// The news for a stream up to a moment, gathered over the stream's targets: each document is told
/// once, with the names of all targets that hold the document or have lost it.
struct StreamNews: Sendable {
    private struct Item: Sendable {
        var document: Document
        var isChanged = false
        /// By the shown fields of the document, in the order in which targets were gathered.
        var updated: [(projection: [FieldPath]?, targets: [WireTargetID])] = []
        var removed: [WireTargetID] = []
    }

    private var items: [DocumentKey: Item] = [:]
    private var order: [DocumentKey] = []

    /// Adds a target's news of a document.
    mutating func add(_ news: WatchNews, for target: WireTargetID, _ projection: [FieldPath]?) {
        let key = news.document.key
        if items[key] == nil { order.append(key) }
        var item = items[key] ?? Item(document: news.document)
        item.isChanged = item.isChanged || news.isChanged
        if !news.isMember {
            item.removed.append(target)
        } else if let index = item.updated.firstIndex(where: { $0.projection == projection }) {
            item.updated[index].targets.append(target)
        } else {
            item.updated.append((projection, [target]))
        }
        items[key] = item
    }

    /// The messages, one for each document and way to show it.
    ///
    /// - Parameter moment: The moment that the gathered news reaches.
    func messages(at moment: SnapshotVersion) -> [WatchChange] {
        order.flatMap { key in items[key].map { Self.messages(of: $0, at: moment) } ?? [] }
    }

    private static func messages(of item: Item, at moment: SnapshotVersion) -> [WatchChange] {
        let key = item.document.key
        let removed = item.removed.sorted()
        if item.updated.isEmpty {
            // A document that is only out of a limit's window has nothing new to say of itself.
            let document = item.document.isMissing || item.isChanged ? item.document : nil
            var change = DocumentWatchChange(
                updated: [], removed: removed, key: key, document: document)
            if document == nil { change.readAt = moment }
            return [.document(change)]
        }
        return item.updated.enumerated().map { index, group in
            let shown = group.projection.map { item.document.keeping($0) } ?? item.document
            return .document(
                DocumentWatchChange(
                    updated: group.targets.sorted(), removed: index == 0 ? removed : [], key: key,
                    document: shown))
        }
    }
}

extension WatchChange {
    /// All targets are consistent at a moment.
    static func snapshot(at moment: SnapshotVersion, _ token: ResumeToken?) -> WatchChange {
        .target(
            TargetWatchChange(kind: .noChange, targets: [], resumeToken: token, readAt: moment))
    }
}
