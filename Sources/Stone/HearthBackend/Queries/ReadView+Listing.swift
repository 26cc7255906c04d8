package import HearthModel

/// Lists of documents and collections, in pages.
extension ReadView {
    /// Lists the documents that a plan for a listing asks for, without the plan's limit.
    ///
    /// - Parameter showMissing: Also names documents that do not exist but have collections below.
    /// - Throws: `HearthError` if an order is given with `showMissing`.
    package func list(_ plan: QueryPlan, showMissing: Bool) throws(HearthError) -> [Document] {
        guard !showMissing || plan.query.orderBys.isEmpty else {
            throw .argument("cannot specify an order when show_missing is true")
        }
        let (parent, collectionID) = (plan.query.parent, plan.query.source?.collectionID)
        let found = matches(plan, plan.admits)
        guard showMissing else { return found }
        var keys = Set(found.map(\.key))
        var result = found
        for path in documents.collections(below: parent) where path.count >= parent.count + 3 {
            guard let key = DocumentKey(path.prefix(parent.count + 2)),
                collectionID.map({ utf8Equals(key.collectionGroup, $0) }) ?? true,
                !keys.contains(key), documents.holdsDocuments(collection: path, at: moment)
            else { continue }
            keys.insert(key)
            result.append(.missing(key, at: .zero))
        }
        return result.sorted { $0.key < $1.key }
    }

    /// The ids of the collections directly below a document or the root, in order.
    package func collectionIDs(below parent: ResourcePath) -> [String] {
        var ids: [String] = []
        for path in documents.collections(below: parent) {
            let id = path.segments[parent.count]
            // Collections below one path are neighbours, so the last id is the only candidate.
            if let last = ids.last, utf8Equals(last, id) { continue }
            if documents.holdsDocuments(collection: path, at: moment) { ids.append(id) }
        }
        return ids
    }
}
