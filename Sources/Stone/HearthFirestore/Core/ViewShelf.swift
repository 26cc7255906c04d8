import HashTreeCollections
import HearthModel

/// The views of one place, by demand, and the views that show each document.
struct ViewShelf: Sendable {
    /// Views that show a document; nearly always one.
    private enum Holders: Sendable {
        case one(ViewID)
        case several(TreeSet<ViewID>)
    }

    /// The views that demand the same values.
    fileprivate struct Bucket: Sendable {
        /// The views that demand nothing more.
        var plain: TreeSet<ViewID> = []
        /// The views that also demand a stretch, by the stretch's field.
        var stretches: TreeDictionary<FieldPath, RangeTree<ViewID>> = [:]

        var isEmpty: Bool { plain.isEmpty && stretches.isEmpty }
    }

    /// The views without demands.
    ///
    /// Every change looks at the views without demands, so the shelf does not note the views'
    /// documents.
    private var undemanding: TreeSet<ViewID> = []
    private var demanding:
        TreeDictionary<ViewDemand.Shape, TreeDictionary<[EquivalentValue], Bucket>> = [:]
    private var holders: TreeDictionary<DocumentKey, Holders> = [:]

    /// The shelf of no views.
    init() {}

    /// Whether there are no views.
    var isEmpty: Bool { undemanding.isEmpty && demanding.isEmpty && holders.isEmpty }

    /// How many views are looked at for every document.
    var everybodyCount: Int { undemanding.count }

    /// Adds a view.
    ///
    /// - Returns: Whether what it shows is to be noted.
    mutating func insert(_ id: ViewID, _ demands: [ViewDemand]) -> Bool {
        if demands.contains(where: \.isEmpty) {
            undemanding.insert(id)
            return false
        }
        for demand in demands {
            demanding[demand.shape, default: [:]][demand.values, default: Bucket()]
                .insert(id, demand.stretch)
        }
        return true
    }

    /// Takes a view away.
    mutating func remove(_ id: ViewID, _ demands: [ViewDemand]) {
        undemanding.remove(id)
        for demand in demands {
            demanding[demand.shape]?[demand.values]?.remove(id, demand.stretch)
            guard demanding[demand.shape]?[demand.values]?.isEmpty ?? false else { continue }
            demanding[demand.shape]?[demand.values] = nil
            if demanding[demand.shape]?.isEmpty ?? false { demanding[demand.shape] = nil }
        }
    }

    /// Notes that a view shows a document.
    mutating func show(_ key: DocumentKey, in id: ViewID) {
        switch holders.updateValue(.one(id), forKey: key) {
        case nil, .one(id): return
        case .one(let other): holders[key] = .several([other, id])
        case .several(var ids):
            ids.insert(id)
            holders[key] = .several(ids)
        }
    }

    /// Notes that a view shows a document no more.
    mutating func hide(_ key: DocumentKey, from id: ViewID) {
        switch holders[key] {
        case nil: return
        case .one(let holder): if holder == id { holders[key] = nil }
        case .several(var ids):
            ids.remove(id)
            holders[key] = ids.count == 1 ? ids.first.map { .one($0) } : .several(ids)
        }
    }

    /// Adds documents to the findings of the views without demands that the documents may concern.
    func collect(
        _ documents: ArraySlice<Document>, into found: inout [ViewID: [Document]],
        _ isConcerned: (ViewID, Document) -> Bool
    ) {
        for id in undemanding {
            let concerning = documents.filter { isConcerned(id, $0) }
            if !concerning.isEmpty { found[id, default: []] += concerning }
        }
    }

    /// Adds a document to the findings of all views that the document may concern.
    ///
    /// - Returns: How much was looked at.
    func collectAll(
        _ document: Document, into found: inout [ViewID: [Document]],
        _ isConcerned: (ViewID, Document) -> Bool
    ) -> Int {
        collect([document], into: &found, isConcerned)
        return undemanding.count + collect(document, into: &found)
    }

    /// Adds a document to the findings of views with demands.
    ///
    /// A view is concerned if the view shows the document, or if the document meets the view's
    /// demand.
    ///
    /// - Returns: How much was looked at.
    func collect(_ document: Document, into found: inout [ViewID: [Document]]) -> Int {
        if demanding.isEmpty { return 0 }
        var ids = holders(of: document.key)
        var count = 0
        if document.isFound {
            for (shape, views) in demanding {
                for values in shape.values(metBy: document) {
                    count += 1
                    guard let bucket = views[values] else { continue }
                    ids = ids.isEmpty ? bucket.plain : ids.union(bucket.plain)
                    for (field, tree) in bucket.stretches {
                        guard let place = ViewDemand.Stretch.place(of: document, by: field) else {
                            continue
                        }
                        count += tree.visit(place) { ids.insert($0) }
                    }
                }
            }
        }
        for id in ids { found[id, default: []].append(document) }
        return count + ids.count
    }

    /// Whether a view shows a document.
    func shows(_ key: DocumentKey, _ isShown: (ViewID) -> Bool) -> Bool {
        holders[key] != nil || undemanding.contains(where: isShown)
    }

    private func holders(of key: DocumentKey) -> TreeSet<ViewID> {
        switch holders[key] {
        case nil: []
        case .one(let id): [id]
        case .several(let ids): ids
        }
    }
}

extension ViewShelf.Bucket {
    fileprivate mutating func insert(_ id: ViewID, _ stretch: ViewDemand.Stretch?) {
        guard let stretch else {
            plain.insert(id)
            return
        }
        stretches[stretch.field, default: RangeTree()].insert(stretch.range, id)
    }

    fileprivate mutating func remove(_ id: ViewID, _ stretch: ViewDemand.Stretch?) {
        guard let stretch else {
            plain.remove(id)
            return
        }
        stretches[stretch.field]?.remove(stretch.range, id)
        if stretches[stretch.field]?.count == 0 { stretches[stretch.field] = nil }
    }
}
