import HearthModel

/// The documents that left a view's results by writes of this machine, until the backend shows the
/// same results.
///
///     departed --acknowledged--> answered --the backend told up to the version--> settled
///
/// A write that sets documents and deletes others is one change at the backend. The view shows the
/// whole change when the write is accepted. A program that waits for the backend must hear when the
/// backend has confirmed the change: for each document that left, as for each document with a
/// waiting write.
///
/// Persistent: a copy is cheap.
struct ViewDepartures: Sendable {
    /// The documents that left.
    private(set) var keys = DepartedKeys()
    /// The documents whose write was acknowledged, and the version of each.
    private var answered = AwaitedVersions<DocumentKey>()
    /// The documents for which nobody need wait any more, since the last decision.
    private var settled: Set<DocumentKey> = []

    /// The first version at which a document settles though the backend is silent; `nil` for none.
    var awaitedVersion: SnapshotVersion? { answered.first }

    /// Notes how a document that is not among the results is known.
    ///
    /// - Parameter hasLeft: Whether the document has just left the results.
    mutating func note(_ document: Document, hasLeft: Bool) {
        let key = document.key
        guard hasLeft || keys.contains(key) else { return }
        guard document.hasPendingWrites else { return settle(key) }
        keys.insert(key)
        answered.set(document.hasCommittedMutations ? document.version : nil, of: key)
    }

    /// Notes that a document is among the results, or will be there unless a limit keeps it out.
    mutating func settle(_ key: DocumentKey) {
        guard keys.remove(key) else { return }
        answered.set(nil, of: key)
        settled.insert(key)
    }

    /// Ends the waiting for acknowledged writes once the backend has had time to tell of the
    /// writes.
    ///
    /// - Parameter version: Up to where the backend has told of the target; `nil` if it does not
    ///   tell: then nobody waits for what is acknowledged.
    /// - Returns: The documents that have settled since the last decision, by key.
    mutating func settle(upTo version: SnapshotVersion?) -> [DocumentKey] {
        if keys.isEmpty && settled.isEmpty { return [] }
        for key in version.map({ answered.items(upTo: $0) }) ?? answered.all { settle(key) }
        defer { settled = [] }
        return settled.filter { !keys.contains($0) }.sorted()
    }
}
