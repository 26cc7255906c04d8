import HashTreeCollections
import HearthModel

/// The views that look at one place, by what they demand, and which of them show which document.
struct ViewShelf: Sendable {
    /// Views that show a document; nearly always one.
    private enum Holders: Sendable {
        case one(ViewID)
        case several(TreeSet<ViewID>)
    }

    /// Those that demand nothing: they are asked always, so what they show is not noted.
    private var undemanding: TreeSet<ViewID> = []
    private var demanding:
        TreeDictionary<ViewDemand.Shape, TreeDictionary<[EquivalentValue], TreeSet<ViewID>>> = [:]
    private var holders: TreeDictionary<DocumentKey, Holders> = [:]

    /// The shelf of no views.
    init() {}

    /// Whether there are no views.
    var isEmpty: Bool { undemanding.isEmpty && demanding.isEmpty && holders.isEmpty }

    /// How many views are asked about every document.
    var everybodyCount: Int { undemanding.count }

    /// Adds a view.
    ///
    /// - Returns: Whether what it shows is to be noted.
    mutating func insert(_ id: ViewID, _ demands: [ViewDemand]) -> Bool {
        if demands.contains(where: \.shape.isEmpty) {
            undemanding.insert(id)
            return false
        }
        for demand in demands {
            demanding[demand.shape, default: [:]][demand.values, default: []].insert(id)
        }
        return true
    }

    /// Takes a view away.
    mutating func remove(_ id: ViewID, _ demands: [ViewDemand]) {
        undemanding.remove(id)
        for demand in demands {
            demanding[demand.shape]?[demand.values]?.remove(id)
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

    /// Visits the views that are asked about every document.
    func everybody(_ body: (ViewID) -> Void) {
        for id in undemanding { body(id) }
    }

    /// Adds a document to what is found for all views that it may concern.
    ///
    /// - Returns: How much was looked at.
    func collectAll(_ document: Document, into found: inout [ViewID: [Document]]) -> Int {
        for id in undemanding { found[id, default: []].append(document) }
        return undemanding.count + collect(document, into: &found)
    }

    /// Adds a document to what is found for the views that show it, or of which it meets a demand.
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
                    guard let met = views[values] else { continue }
                    ids = ids.isEmpty ? met : ids.union(met)
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
