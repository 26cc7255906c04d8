import HashTreeCollections
import HearthModel

/// Finds the views that a change of documents may concern, among any number of views.
///
/// The index finds a view by the place where the view looks, and there by the view's demands. So a
/// change asks nothing of a view that looks for something else, unless the view shows the document:
/// then the document may be about to leave the view. Views without demands cannot be told apart by the
/// index, so the index looks at each of the place, and the view tells whether a document concerns it:
/// nothing behind a full limit does.
struct ViewIndex: Sendable {
    private var shelves: TreeDictionary<QueryPlace, ViewShelf> = [:]
    private var groupCount = 0
    private var documentCount = 0
    /// How many views and demands were looked at so far: what the index's work is measured by.
    private(set) var lookCount = 0

    /// The index of no views.
    init() {}

    /// Adds a view that shows nothing yet.
    ///
    /// - Returns: Whether it must be told what the view shows.
    mutating func insert(_ id: ViewID, _ query: Query) -> Bool {
        count(query, by: 1)
        let demands = ViewDemand.all(of: query)
        return shelves[QueryPlace(query), default: ViewShelf()].insert(id, demands)
    }

    /// Takes a view away that shows nothing any more.
    mutating func remove(_ id: ViewID, _ query: Query) {
        count(query, by: -1)
        let place = QueryPlace(query)
        shelves[place]?.remove(id, ViewDemand.all(of: query))
        if shelves[place]?.isEmpty ?? false { shelves[place] = nil }
    }

    /// Notes which documents a view came to show.
    mutating func show(_ keys: some Sequence<DocumentKey>, in id: ViewID, _ query: Query) {
        let place = QueryPlace(query)
        for key in keys { shelves[place]?.show(key, in: id) }
    }

    /// Notes which documents a view has ceased to show.
    mutating func hide(_ keys: some Sequence<DocumentKey>, from id: ViewID, _ query: Query) {
        let place = QueryPlace(query)
        for key in keys { shelves[place]?.hide(key, from: id) }
    }

    /// Adds each document to the findings of the views that the document may concern.
    ///
    /// - Parameter isConcerned: Asked of views without demands.
    /// - Complexity: O(documents * (shapes of demands + views without demands) where they lie + what is
    ///   found).
    mutating func collect(
        _ documents: [Document], into found: inout [ViewID: [Document]],
        _ isConcerned: (ViewID, Document) -> Bool
    ) {
        if shelves.isEmpty { return }
        var collection: ResourcePath?
        var shelf: ViewShelf?
        var start = 0
        for (index, document) in documents.enumerated() {
            let key = document.key
            // Documents that lie together are common.
            if collection?.isImmediateParent(of: key.path) != true {
                shelf?.collect(documents[start..<index], into: &found, isConcerned)
                start = index
                collection = key.collection
                shelf = shelves[.path(key.collection)]
                lookCount += shelf?.everybodyCount ?? 0
            }
            if let shelf { lookCount += shelf.collect(document, into: &found) }
            if documentCount > 0, let own = shelves[.path(key.path)] {
                lookCount += own.collectAll(document, into: &found, isConcerned)
            }
            if groupCount > 0, let group = shelves[.group(UTF8Text(key.collectionGroup))] {
                lookCount += group.collectAll(document, into: &found, isConcerned)
            }
        }
        shelf?.collect(documents[start...], into: &found, isConcerned)
    }

    /// Whether a view shows a document.
    ///
    /// - Parameter isShown: Asked of views about which the index was not told.
    func shows(_ key: DocumentKey, _ isShown: (ViewID) -> Bool) -> Bool {
        if shelves[.path(key.collection)]?.shows(key, isShown) ?? false { return true }
        if documentCount > 0, shelves[.path(key.path)]?.shows(key, isShown) ?? false { return true }
        guard groupCount > 0 else { return false }
        return shelves[.group(UTF8Text(key.collectionGroup))]?.shows(key, isShown) ?? false
    }

    private mutating func count(_ query: Query, by change: Int) {
        if query.collectionGroup != nil {
            groupCount += change
        } else if query.path.count.isMultiple(of: 2) {
            documentCount += change
        }
    }
}
