import HearthFirestore
import HearthModel

extension ViewSnapshot {
    /// Makes one difference of several successive differences.
    ///
    /// - Parameters:
    ///   - differences: At least one, oldest first.
    ///   - base: What the receiver has before the oldest.
    /// - Complexity: O(what the differences name).
    init(joining differences: [ViewSnapshot], behind base: ViewSnapshot) {
        precondition(!differences.isEmpty, "Nothing is joined")
        self = differences[differences.endIndex - 1]
        self.base = base.id
        changes = []
        refreshed = []
        missingKeys = []
        settledDepartures = []
        hiddenKeys = []
        rejectedWrites = []
        var named: Set<DocumentKey> = []
        for difference in differences {
            for key in difference.changes.lazy.map(\.document.key) where named.insert(key).inserted
            {
                name(key, behind: base)
            }
            for key in difference.refreshed where named.insert(key).inserted {
                name(key, behind: base)
            }
            missingKeys += difference.missingKeys.filter { documents[$0] == nil }
            settledDepartures += difference.settledDepartures
            hiddenKeys += difference.hiddenKeys
            rejectedWrites = rejectedWrites.followed(by: difference.rejectedWrites)
        }
    }

    /// Tells of a document as it is now. A document that has come and gone again is not told of.
    private mutating func name(_ key: DocumentKey, behind base: ViewSnapshot) {
        if documents[key] != nil {
            refreshed.append(key)
        } else if let document = base.documents[key] {
            changes.append(DocumentChange(.removed, document))
        }
    }
}
