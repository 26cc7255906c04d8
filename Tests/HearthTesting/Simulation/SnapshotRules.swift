import HearthFirestore
import HearthModel

/// What every snapshot must keep, whatever has happened.
enum SnapshotRules {
    static func faults(of snapshot: ViewSnapshot, on screen: SimulatedClient.Screen) -> [String] {
        faultsOfResult(snapshot) + faultsOfBase(snapshot, screen)
            + faultsOfChanges(snapshot, screen) + faultsOfIndexes(snapshot, screen)
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
        if !Set(snapshot.mutatedKeys).isSubset(of: documents.map(\.key)) {
            faults.append("\(snapshot.mutatedKeys) are pending, and not all of them are shown")
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

    /// The changes, applied to the listener's former results, give the present results.
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
            if change.kind != .removed, change.document != snapshot.documents[key] {
                faults.append("\(key) is told otherwise than it is shown")
            }
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

    /// The changes, applied in turn, each at its place, give the results in their order: that is
    /// what the old and new indexes of changes are counted in.
    private static func faultsOfIndexes(
        _ snapshot: ViewSnapshot, _ screen: SimulatedClient.Screen
    ) -> [String] {
        let order = snapshot.query.order
        var places = screen.order
        for change in snapshot.changes {
            let document = change.document
            let oldIndex = places.firstIndex { $0.key == document.key }
            if (oldIndex == nil) != (change.kind == .added) {
                return ["\(document.key) has the old place \(String(describing: oldIndex))"]
            }
            if let oldIndex { places.remove(at: oldIndex) }
            if change.kind == .removed { continue }
            let newIndex = places.firstIndex { order.compare($0, document) > 0 }
            places.insert(document, at: newIndex ?? places.count)
        }
        let reached = places.map(\.key)
        let shown = snapshot.documents.documents.map(\.key)
        return reached == shown ? [] : ["the changes lead to \(reached), and it shows \(shown)"]
    }
}
