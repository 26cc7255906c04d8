package import HearthModel

/// Drafts of snapshots for reads of the cache.
extension View {
    /// Shows matches that have been sorted already, in a view of nothing yet.
    package func draft(filling found: DocumentSet) -> Draft {
        var draft = draft(EmptyCollection<Document>())
        fill(&draft, with: found)
        trim(&draft)
        return draft
    }

    /// Goes on with a draft's successor, which may match no more.
    package func draft(_ successor: Document, continuing earlier: Draft) -> Draft {
        var draft = earlier
        bring([successor], into: &draft)
        trim(&draft)
        return draft
    }

    /// Goes on with what the cache finds for `refillQuery`.
    package func draft(_ found: some Sequence<Document>, continuing earlier: Draft) -> Draft {
        var draft = earlier
        let (results, reserve) = divide(found)
        draft.reserve = reserve
        draft.needsRefill = false
        bring(results, into: &draft)
        trim(&draft)
        return draft
    }
}
