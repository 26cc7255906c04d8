package import HearthModel

/// The documents whose local state a group of turns may have changed.
///
/// A document too many does no harm; a document too few would let a memory of documents tell a lie.
/// So the notes of a failed turn stay, and beyond a bound the documents are not told apart.
package struct DocumentChanges: Hashable, Sendable {
    /// Documents told apart. Beyond the bound, a memory of documents had better forget them all.
    package static let countMax = 4_096

    /// Every document.
    package static let all: DocumentChanges = {
        var changes = DocumentChanges()
        changes.insertAll()
        return changes
    }()

    /// The documents, unless all of them may have changed.
    package private(set) var keys: Set<DocumentKey> = []
    /// Whether any document may have changed.
    package private(set) var isAll = false

    /// Up to when the backend has told the engine, behind the commit; `nil` if the store cannot say.
    ///
    /// Is told with each commit, and changes no document.
    package var heard: SnapshotVersion?

    /// How many changes were noted since the store was opened, in earlier groups too.
    package private(set) var number: UInt64 = 0

    /// Nothing has changed.
    package init() {}

    /// Nothing has changed since a group with these changes.
    package init(after last: DocumentChanges) { number = last.number }

    /// Whether no document has changed.
    package var isEmpty: Bool { !isAll && keys.isEmpty }

    /// Whether a document may have changed.
    package func contains(_ key: DocumentKey) -> Bool { isAll || keys.contains(key) }

    /// Notes a document.
    package mutating func insert(_ key: DocumentKey) {
        number += 1
        guard !isAll else { return }
        keys.insert(key)
        if keys.count > Self.countMax { insertAll() }
    }

    /// Notes every document.
    package mutating func insertAll() {
        number += 1
        keys = []
        isAll = true
    }
}
