import HearthModel

/// The documents right behind the results of a limited view.
///
/// With a reserve the engine need not search the cache each time a result leaves.
///
///     results + reserve = all that matches, as far as the horizon
///
/// A view does not hear when a document that the view does not show ceases to match. So the engine
/// must read a document from the reserve again; but if the document still matches, its place is
/// right.
struct ViewReserve: Sendable {
    /// The view's limit; the view shows as many documents as the limit allows.
    private let limit: Query.Limit
    /// The documents, each with only the fields that decide its place.
    private var documents: DocumentSet
    /// The end of the reserve's knowledge; `nil` if no documents lie behind.
    private var horizon: Document?

    /// The reserve of a view that shows all that matches.
    init(behind limit: Query.Limit, order: DocumentOrder) {
        self.limit = limit
        documents = DocumentSet(order: order)
    }

    /// How many documents a reserve behind a limit holds at most.
    ///
    /// The engine searches the cache once for as many leaving results. A search may take a fifth of
    /// a second; a name and its sort keys take 300 bytes.
    static func countMax(behind limit: Query.Limit) -> Int { min(max(limit.count, 32), 128) }

    /// How many documents there are.
    var count: Int { documents.count }

    /// Whether a change of a document may change the reserve: the document is in the reserve, or lies
    /// before the horizon.
    func isConcerned(by document: Document) -> Bool {
        if documents.contains(document.key) { return true }
        guard document.isFound else { return false }
        return horizon.map { !isNearer($0, document) } ?? true
    }

    /// The next document, if the document precedes the last result or the limit has room.
    func successor(behind results: DocumentSet) -> DocumentKey? {
        guard let next = limit.near(documents) else { return nil }
        if results.count < limit.count { return next.key }
        return limit.far(results).map { isNearer(next, $0) } ?? true ? next.key : nil
    }

    /// Whether the results are complete, if no document of the reserve precedes the last result.
    func isEnough(for results: DocumentSet) -> Bool {
        guard let horizon else { return true }
        guard results.count == limit.count, let last = limit.far(results) else { return false }
        return !isNearer(horizon, last)
    }

    /// Takes in a document that matches and is not shown.
    mutating func insert(_ document: Document) {
        if let horizon, isNearer(horizon, document) { return }
        documents.insert(place(of: document))
        guard documents.count > Self.countMax(behind: limit), let last = limit.far(documents) else {
            return
        }
        documents.remove(last.key)
        endHere()
    }

    /// Takes a document away, because it is looked at or shown.
    mutating func remove(_ key: DocumentKey) { documents.remove(key) }

    /// Notes that nobody knows what lies behind the last document.
    mutating func endHere() {
        if let last = limit.far(documents) { horizon = last }
    }

    private func isNearer(_ one: Document, _ other: Document) -> Bool {
        let order = documents.order.compare(one, other)
        return limit.end == .first ? order < 0 : order > 0
    }

    /// A document's name and sort keys.
    private func place(of document: Document) -> Document {
        let names = documents.order.orderBys.compactMap(\.field.segments.first)
        let fields = document.fields.entries.filter { entry in
            names.contains { utf8Equals($0, entry.key) }
        }
        return .found(document.key, at: .zero, MapValue(entries: fields))
    }
}

extension Query.Limit {
    /// The document of a set that counts first.
    fileprivate func near(_ documents: DocumentSet) -> Document? {
        end == .first ? documents.first : documents.last
    }

    /// The document of a set that counts last.
    func far(_ documents: DocumentSet) -> Document? {
        end == .first ? documents.last : documents.first
    }
}
