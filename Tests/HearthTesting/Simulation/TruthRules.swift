import HearthFirestore
import HearthModel

/// A snapshot that says it is not from the cache shows a version of the backend, but for documents
/// that this client has written and the backend has not yet told of.
enum TruthRules {
    /// - Parameters:
    ///   - documents: What the backend had at the version that the snapshot shows.
    ///   - ahead: The documents that may show something else.
    static func faults(
        of snapshot: ViewSnapshot, _ documents: (DocumentKey) -> Document,
        ahead: Set<DocumentKey>
    ) -> [String] {
        let query = snapshot.query
        let all = Scenery.keys.map(documents).filter(\.isFound)
        let results = Scenery.results(of: query, among: all)
        let concerned = ahead.filter { isInScope($0, of: query) }
        var faults: [String] = []
        for shown in snapshot.documents.documents where !concerned.contains(shown.key) {
            let truth = documents(shown.key)
            if !truth.isFound || truth.fields != shown.fields {
                faults.append(
                    "it shows \(StoryText.document(shown)), and the backend had "
                        + StoryText.document(truth))
            }
        }
        // With writes on top, a limit's window may lie elsewhere.
        if query.limit != nil, !concerned.isEmpty { return faults }
        let shownKeys = Set(snapshot.documents.documents.map(\.key)).subtracting(concerned)
        let keys = Set(results.map(\.key)).subtracting(concerned)
        if shownKeys != keys {
            faults.append("it shows \(shownKeys.sorted()), and the backend had \(keys.sorted())")
        }
        return faults
    }

    private static func isInScope(_ key: DocumentKey, of query: Query) -> Bool {
        if let group = query.collectionGroup { return utf8Equals(key.collectionGroup, group) }
        return key.collection == query.path || key.path == query.path
    }
}
