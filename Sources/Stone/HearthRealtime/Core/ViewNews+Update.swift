import HearthModel

extension ViewNews {
    /// The news of a view, cut to the whole node where that is less to tell.
    init(_ update: SyncTree.Update) {
        let outcome = update.outcome
        let changes = outcome.shown.node.differences(from: outcome.before)
        let isWhole = changes.contains { $0.place == WritePath(.root) }
        self.init(
            ListenTarget(update.path, update.query),
            isWhole ? .whole(outcome.shown.node) : .changes(changes),
            isComplete: outcome.isComplete, isValueTold: outcome.isValueTold)
    }
}
