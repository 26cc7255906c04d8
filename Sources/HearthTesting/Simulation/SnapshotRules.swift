import HearthFirestore
import HearthModel

/// What every snapshot must keep, whatever has happened.
enum SnapshotRules {
    static func faults(of snapshot: ViewSnapshot, on screen: SimulatedClient.Screen) -> [String] {
        faultsOfResult(snapshot) + faultsOfBase(snapshot, screen)
            + faultsOfChanges(snapshot, screen)
    }

    /// The documents match, in order, and no more than the limit.
    private static func faultsOfResult(_ snapshot: ViewSnapshot) -> [String] {
        var faults: [String] = []
        let documents = snapshot.documents.documents
        let order = snapshot.query.order
        for document in documents where !snapshot.query.matches(document) {
            faults.append("\(StoryText.document(document)) does not match")
        }
        for (first, second) in zip(documents, documents.dropFirst())
        where order.compare(first, second) >= 0 {
            faults.append("\(first.key) stands before \(second.key)")
        }
        if let limit = snapshot.query.limit, documents.count > limit.count {
            faults.append("\(documents.count) documents, more than the limit")
        }
        let pending = Set(documents.filter(\.hasLocalMutations).map(\.key))
        if !pending.isSubset(of: snapshot.mutatedKeys) {
            faults.append("\(pending) wait for the backend, and the snapshot does not say so")
        }
        return faults
    }

    private static func faultsOfBase(
        _ snapshot: ViewSnapshot, _ screen: SimulatedClient.Screen
    ) -> [String] {
        if snapshot.base == screen.snapshot?.id { return [] }
        let base = snapshot.base.map { "\($0.rawValue)" } ?? "nothing"
        let seen = screen.snapshot.map { "\($0.id.rawValue)" } ?? "nothing"
        return ["it starts from \(base), and the listener has \(seen)"]
    }

    /// The changes, made to what the listener had, give what it has now.
    private static func faultsOfChanges(
        _ snapshot: ViewSnapshot, _ screen: SimulatedClient.Screen
    ) -> [String] {
        var faults: [String] = []
        var told: Set<DocumentKey> = Set(snapshot.refreshed)
        for change in snapshot.changes {
            let key = change.document.key
            if !told.insert(key).inserted { faults.append("\(key) is told twice") }
            let (was, isNow) = (screen.documents[key] != nil, snapshot.documents.contains(key))
            let isRight =
                switch change.kind {
                case .added: !was && isNow
                case .removed: was && !isNow
                case .modified, .metadata: was && isNow
                }
            if !isRight { faults.append("\(key) is told as \(change.kind)") }
        }
        for document in snapshot.documents.documents where !told.contains(document.key) {
            guard let before = screen.documents[document.key] else {
                faults.append("\(document.key) came untold")
                continue
            }
            if before.fields != document.fields
                || before.hasPendingWrites != document.hasPendingWrites
            {
                faults.append("\(document.key) changed untold")
            }
        }
        for key in screen.documents.keys
        where !snapshot.documents.contains(key) && !told.contains(key) {
            faults.append("\(key) left untold")
        }
        return faults
    }
}
