import HearthModel

/// What a view shows of writes that are not confirmed yet.
extension View {
    /// How a shown document changed; `nil` if it did not, for whoever listens.
    func kind(
        from old: Document, to new: Document, _ settles: Bool
    ) -> DocumentChange.Kind? {
        if old.content != new.content {
            // Only the watch stream tells what the document becomes by an acknowledged write.
            let waitsForWatch =
                old.hasLocalMutations && new.hasCommittedMutations && !new.hasLocalMutations
            return waitsForWatch && !settles ? nil : .modified
        }
        return mutatedKeys.contains(old.key) != isMutated(new, settles) ? .metadata : nil
    }

    /// Whether the view counts the writes in a document as pending.
    ///
    /// Local writes count. An acknowledged write counts if the view has shown the write's local
    /// state.
    func isMutated(_ document: Document, _ settles: Bool) -> Bool {
        document.hasLocalMutations
            || (!settles && mutatedKeys.contains(document.key) && document.hasCommittedMutations)
    }

    /// Notes how a document is known that is not among the results and was not.
    func noteAbsent(_ document: Document, in draft: inout Draft) {
        guard draft.departures.keys.contains(document.key) else { return }
        draft.departures.note(document, hasLeft: false)
        if document.hasLocalMutations { draft.hidden.append(document.key) }
        if document.isMissing && !document.hasPendingWrites { draft.missing.append(document.key) }
    }
}
