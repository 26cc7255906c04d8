package import HearthModel

/// What a commit did.
package struct CommitOutcome: Hashable, Sendable {
    /// When: the update time of every document that it changed.
    package let version: SnapshotVersion
    /// One result for each write, in order. A delete's version is zero; a write that changed
    /// nothing has the version of the document as it was.
    package let results: [Mutation.Result]

    /// Joins the parts.
    package init(version: SnapshotVersion, results: [Mutation.Result]) {
        self.version = version
        self.results = results
    }
}

/// A document before and after a commit.
struct DocumentChange: Sendable {
    let old: Document
    let new: Document

    /// The name, the same before and after.
    var key: DocumentKey { new.key }
}
