import HearthModel

/// What a view shows of writes that are not confirmed yet.
extension View {
    /// How a shown document changed; `nil` if it did not, for whoever listens.
    func kind(
        from old: Document, to new: Document, _ settles: Bool
    ) -> DocumentChange.Kind? {
        if old.content != new.content {
            // An acknowledged write shows what it will be only when the watch stream says so.
            let waitsForWatch =
                old.hasLocalMutations && new.hasCommittedMutations && !new.hasLocalMutations
            return waitsForWatch && !settles ? nil : .modified
        }
        return mutatedKeys.contains(old.key) != isMutated(new, settles) ? .metadata : nil
    }

    /// Whether writes in the document count as pending: local ones, and acknowledged ones of which
    /// this view has shown the local state.
    func isMutated(_ document: Document, _ settles: Bool) -> Bool {
        document.hasLocalMutations
            || (!settles && mutatedKeys.contains(document.key) && document.hasCommittedMutations)
    }
}
