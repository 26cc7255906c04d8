import HashTreeCollections
import HearthModel

/// The views that lack documents of a bundle which the cache has, until the views are told at the bundle's end.
///
///     views with the names of documents > views alone > all views up to the last one
///
/// Where there is no room for more, what is kept becomes general. To tell a view more than it lacks costs work alone:
/// the view finds out what concerns it.
struct LackingViews: Sendable {
    /// What a view lacks.
    private struct Lack: Sendable {
        /// Nobody knows which documents.
        static let unknown = Lack(lists: nil)

        /// The names of documents, a list for each slice that has brought any.
        var lists: [[DocumentKey]]? = []
        /// How many names the lists count for.
        private(set) var nameCount = 0

        mutating func add(_ keys: [DocumentKey]) {
            guard lists != nil else { return }
            lists?.append(keys)
            nameCount += keys.count + BundleSlices.listNameCount
        }
    }

    /// How many looks at a document, whether the document lies where a view looks, count for one step of a turn.
    private static let lookCountOfStep = 32

    private var lacks: TreeDictionary<ViewID, Lack> = [:]
    /// How many names of documents are kept, as `BundleSlices.keptNameCountMax` counts.
    private(set) var nameCount = 0
    /// The last view that lacks documents, once `lacks` had no room for all such views. Up to the last view, any view
    /// may lack documents. `nil` as long as `lacks` has the views.
    private var lastOfAny: ViewID?
    /// The last view that was told, counted up to `lastOfAny`.
    private var toldOfAny = ViewID(0)

    /// No view lacks anything.
    init() {}

    /// Whether no view lacks anything.
    var isEmpty: Bool { lacks.isEmpty && lastOfAny == nil }

    /// How many views are kept one by one, as `BundleSlices.lackingViewCountMax` counts.
    var count: Int { lacks.count }

    /// Whether a view lacks documents, or may.
    func contains(_ view: ViewID) -> Bool {
        if let lastOfAny { return view > toldOfAny && view <= lastOfAny }
        return lacks[view] != nil
    }

    /// Notes documents that a view lacks.
    ///
    /// - Parameters:
    ///   - nameCountMax: How many names may be kept.
    ///   - countMax: How many views may be kept one by one.
    mutating func note(
        _ keys: [DocumentKey], of view: ViewID, nameCountMax: Int, countMax: Int
    ) {
        if let last = lastOfAny {
            lastOfAny = max(last, view)
            return
        }
        // The entry is taken out, so the lists grow in their place.
        var lack = lacks.removeValue(forKey: view) ?? Lack()
        nameCount -= lack.nameCount
        guard lacks.count < countMax else {
            lastOfAny = max(view, lacks.keys.max() ?? view)
            lacks = [:]
            nameCount = 0
            return
        }
        lack.add(keys)
        if nameCount + lack.nameCount > nameCountMax { lack = .unknown }
        nameCount += lack.nameCount
        lacks[view] = lack
    }

    /// Takes the views that one turn has time to tell, the oldest first and at least one, each with all documents that
    /// the view is told.
    ///
    /// - Parameters:
    ///   - untold: The documents that no view was told of.
    ///   - views: The views that there are.
    /// - Complexity: O(views + documents told), and O(`untold`) for a view without names.
    mutating func next(
        _ untold: TreeDictionary<DocumentKey, Document>, among views: ViewTable, stepCountMax: Int
    ) -> [(id: ViewID, documents: [Document])] {
        if let last = lastOfAny {
            return nextOfAny(through: last, untold, among: views, stepCountMax: stepCountMax)
        }
        var telling: [(id: ViewID, documents: [Document])] = []
        var stepsLeft = stepCountMax
        for view in lacks.keys.least(stepCountMax) {
            guard stepsLeft > 0, let lack = lacks.removeValue(forKey: view) else { break }
            nameCount -= lack.nameCount
            let documents =
                lack.lists?.joined().compactMap { untold[$0] } ?? untold.values.map { $0 }
            stepsLeft -= max(1, documents.count)
            if !documents.isEmpty { telling.append((view, documents)) }
        }
        return telling
    }

    /// Takes the next of all views, each with the documents that lie where the view looks.
    private mutating func nextOfAny(
        through last: ViewID, _ untold: TreeDictionary<DocumentKey, Document>,
        among views: ViewTable, stepCountMax: Int
    ) -> [(id: ViewID, documents: [Document])] {
        var telling: [(id: ViewID, documents: [Document])] = []
        var stepsLeft = stepCountMax
        let ids =
            untold.isEmpty
            ? [] : views.rows.ids(behind: toldOfAny, through: last, atMost: stepCountMax)
        for id in ids {
            guard stepsLeft > 0 else { return telling }
            toldOfAny = id
            guard let query = views[id]?.view.query else { continue }
            let documents = untold.values.filter { query.matchesPath($0.key) }
            stepsLeft -= max(1, documents.count + untold.count / Self.lookCountOfStep)
            if !documents.isEmpty { telling.append((id, documents)) }
        }
        if ids.count < stepCountMax { lastOfAny = nil }
        return telling
    }
}
