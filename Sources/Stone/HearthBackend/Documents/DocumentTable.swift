import HashTreeCollections
package import HearthModel

/// All documents of a database, with their past. Persistent: a copy is a snapshot that stays.
///
/// Documents are found by name in O(1). A collection knows its documents' names in order, and a
/// collection group knows its collections. All collections lie in one order, in which the
/// collections below a path are neighbours.
package struct DocumentTable: Sendable {
    private var records: TreeDictionary<DocumentKey, DocumentRecord> = [:]
    private var collections: TreeDictionary<ResourcePath, OrderedTree<DocumentKey>> = [:]
    private var paths = OrderedTree<ResourcePath>()
    private var groups: TreeDictionary<UTF8Text, OrderedTree<ResourcePath>> = [:]
    private(set) var indexes = IndexTable()
    /// The moment of the newest version. A read at a later moment sees the newest documents.
    private(set) var newest = SnapshotVersion.zero

    /// The table without documents.
    package init() {}

    /// How many documents are known, deleted ones included.
    package var recordCount: Int { records.count }

    /// The document as it is: found, or missing.
    package func document(_ key: DocumentKey) -> Document {
        records[key]?.current.document(key) ?? .missing(key, at: .zero)
    }

    /// The document as it was at a moment: found, or missing.
    package func document(_ key: DocumentKey, at moment: SnapshotVersion) -> Document {
        records[key]?.version(at: moment)?.document(key) ?? .missing(key, at: .zero)
    }

    /// Takes the changes of a commit, which is newer than all versions of the documents.
    mutating func append(_ changes: [DocumentChange]) {
        // The names of documents that nobody has heard of before, by collection.
        var added: [ResourcePath: [DocumentKey]] = [:]
        for change in changes {
            newest = max(newest, change.new.version)
            indexes.update(change)
            let version = DocumentRecord.Version(change.new)
            if records.change(change.key, { $0.append(version) }) == nil {
                records[change.key] = DocumentRecord(version)
                added[change.key.collection, default: []].append(change.key)
            }
        }
        for (path, keys) in added { add(keys, to: path) }
    }

    private mutating func add(_ keys: [DocumentKey], to path: ResourcePath) {
        if collections[path] == nil {
            paths.insert(path, by: { $0.compare(to: $1) })
            groups[UTF8Text(path.last), default: OrderedTree()]
                .insert(path, by: { $0.compare(to: $1) })
        }
        collections.updateValue(forKey: path, default: OrderedTree()) { names in
            for key in keys { names.insert(key, by: { $0.compare(to: $1) }) }
        }
    }

    /// Forgets the versions of a document that nobody asks for who asks at `moment` or later.
    mutating func forget(_ key: DocumentKey, before moment: SnapshotVersion) {
        guard var record = records[key] else { return }
        if record.forget(before: moment) {
            records[key] = record
            return
        }
        records[key] = nil
        let path = key.collection
        collections.change(path) { $0.remove(key, by: { $0.compare(to: $1) }) }
        guard collections[path]?.count == 0 else { return }
        collections[path] = nil
        paths.remove(path, by: { $0.compare(to: $1) })
        let group = UTF8Text(path.last)
        groups.change(group) { $0.remove(path, by: { $0.compare(to: $1) }) }
        if groups[group]?.count == 0 { groups[group] = nil }
    }
}

/// Indexes.
extension DocumentTable {
    /// Documents in a collection or group below which an index is not worth its memory.
    static let indexedCountMin = 64

    /// Makes the indexes that a query wishes for and the table lacks.
    ///
    /// - Complexity: O(1) if all indexes are there; else the cost of sorting the collection once.
    mutating func prepare(for plan: QueryPlan) {
        guard let space = plan.space else { return }
        for name in plan.wishedIndexes where indexes.index(name, of: space) == nil {
            guard holdsMany(in: space) else { return }
            var found: [Document] = []
            for path in paths(of: space) {
                collections[path]?.walk { key in
                    let document = document(key)
                    if document.isFound { found.append(document) }
                    return true
                }
            }
            indexes.add(FieldIndex(name, of: found), of: space)
        }
    }

    private func paths(of space: IndexTable.Space) -> [ResourcePath] {
        switch space {
        case .collection(let path): [path]
        case .group(let id): groups[id]?.elements ?? []
        }
    }

    private func holdsMany(in space: IndexTable.Space) -> Bool {
        var count = 0
        for path in paths(of: space) {
            count += collections[path]?.count ?? 0
            if count >= Self.indexedCountMin { return true }
        }
        return false
    }
}

/// Walks over documents that exist.
extension DocumentTable {
    /// Visits the documents of one collection in the order of their names, until `body` answers
    /// `false`.
    ///
    /// - Parameters:
    ///   - moment: The moment at which the documents are seen.
    ///   - body: Takes a document, and answers whether to go on.
    package func visit(
        collection path: ResourcePath, at moment: SnapshotVersion, _ body: (Document) -> Bool
    ) {
        visit(collection: path, at: moment, keys: 0..<keyCount(in: path), body)
    }

    /// How many names of a collection are known, deleted documents' ones included.
    func keyCount(in path: ResourcePath) -> Int { collections[path]?.count ?? 0 }

    /// The place of the first name in a collection that is not before another. O(log n).
    func place(of key: DocumentKey, in path: ResourcePath) -> Int {
        collections[path]?.firstIndex { $0.compare(to: key) >= 0 } ?? 0
    }

    /// Visits the documents at a range of places of a collection, until `body` answers `false`.
    ///
    /// The order is the order of names, or with `backwards` the reverse.
    func visit(
        collection path: ResourcePath, at moment: SnapshotVersion, keys places: Range<Int>,
        backwards: Bool = false, _ body: (Document) -> Bool
    ) {
        var rest = places.count
        if rest == 0 { return }
        func visit(_ key: DocumentKey) -> Bool {
            rest -= 1
            let document = document(key, at: moment)
            return (document.isFound ? body(document) : true) && rest > 0
        }
        if backwards {
            collections[path]?.walkBack(from: places.upperBound, visit)
        } else {
            collections[path]?.walk(from: places.lowerBound, visit)
        }
    }

    /// The collections of a group that lie below a path, in order.
    package func collections(group: String, below parent: ResourcePath) -> [ResourcePath] {
        var result: [ResourcePath] = []
        guard let tree = groups[UTF8Text(group)] else { return [] }
        tree.walk(from: tree.firstIndex { $0.compare(to: parent) >= 0 }) { path in
            guard parent.isPrefix(of: path) else { return false }
            result.append(path)
            return true
        }
        return result
    }

    /// The collections that lie at any depth below a path, in order.
    package func collections(below parent: ResourcePath) -> [ResourcePath] {
        var result: [ResourcePath] = []
        paths.walk(from: paths.firstIndex { $0.compare(to: parent) >= 0 }) { path in
            guard parent.isPrefix(of: path) else { return false }
            if path.count > parent.count { result.append(path) }
            return true
        }
        return result
    }

    /// Whether any document of the collection exists.
    package func holdsDocuments(
        collection path: ResourcePath, at moment: SnapshotVersion
    ) -> Bool {
        var isFound = false
        visit(collection: path, at: moment) { _ in
            isFound = true
            return false
        }
        return isFound
    }

    /// The collections that a query asks, in order.
    func collections(of plan: QueryPlan) -> [ResourcePath] {
        switch plan.scope {
        case .collection(let path): [path]
        case .group(let id, let parent): collections(group: id, below: parent)
        case .everything(let parent): collections(below: parent)
        case .children(let parent):
            collections(below: parent).filter { $0.count == parent.count + 1 }
        }
    }
}
