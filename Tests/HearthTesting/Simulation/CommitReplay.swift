import HearthBackend
import HearthModel

/// A backend to which every batch comes once and bears no mark, in the order of the commits.
struct CommitReplay {
    private var backend = Backend(identity: 1, run: 1)

    /// Makes a commit at the time at which it was made.
    mutating func commit(_ mutations: [Mutation], at version: SnapshotVersion) {
        let own = mutations.filter { $0.key.collection != Scenery.marks }
        if own.isEmpty { return }
        // A commit that fails here leaves documents that differ.
        _ = try? backend.commit(own, in: StoryReader.database, at: version.timestamp)
        _ = backend.takeActions()
    }

    /// Where a backend has something else.
    func differences(from table: DocumentTable, in keys: [DocumentKey]) -> [String] {
        let own = backend.documents(of: StoryReader.database)
        return keys.compactMap { key in
            let (document, expected) = (table.document(key), own.document(key))
            let isSame =
                document.isFound == expected.isFound && document.fields == expected.fields
            return isSame
                ? nil
                : "the backend has \(StoryText.document(document)), and every batch once makes "
                    + StoryText.document(expected)
        }
    }
}
