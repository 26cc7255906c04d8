import HearthBackend
import HearthModel

/// What the backend held after each of its commits. A copy of its documents is free.
final class BackendHistory {
    private var versions: [SnapshotVersion] = []
    private var tables: [DocumentTable] = []

    /// Notes what the backend holds now.
    func note(_ documents: DocumentTable, at version: SnapshotVersion) {
        versions.append(version)
        tables.append(documents)
    }

    /// When the backend last committed something.
    var newest: SnapshotVersion { versions.last ?? .zero }

    /// Where documents can be looked up as they were at a version.
    func documents(at version: SnapshotVersion) -> (DocumentKey) -> Document {
        guard let index = versions.lastIndex(where: { $0 <= version }) else {
            return { .missing($0, at: .zero) }
        }
        let table = tables[index]
        return { table.document($0) }
    }
}
