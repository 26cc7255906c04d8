extension Query {
    /// Whether a document, as it is locally, belongs to the results before the limit.
    ///
    /// It must be found, lie where the query looks, have every field that the query sorts by, and
    /// pass filters and bounds.
    package func matches(_ document: Document, _ dialect: Dialect = .cache) -> Bool {
        guard document.isFound, matchesPath(document.key) else { return false }
        let orderBys = orderBys
        for orderBy in orderBys where !orderBy.field.isDocumentID {
            if document[orderBy.field] == nil { return false }
        }
        return filters.allSatisfy { $0.matches(document, dialect) }
            && (startAt?.admitsAsStart(document, orderBys: orderBys) ?? true)
            && (endAt?.admitsAsEnd(document, orderBys: orderBys) ?? true)
    }

    /// Whether the query looks where a document lies.
    package func matchesPath(_ key: DocumentKey) -> Bool {
        if let collectionGroup {
            return path.count < key.path.count && path.isPrefix(of: key.path)
                && utf8Equals(key.collectionGroup, collectionGroup)
        }
        if path.count.isMultiple(of: 2) { return path == key.path }
        return path.isImmediateParent(of: key.path)
    }
}
