import HashTreeCollections
package import HearthModel

/// The live views by their numbers and their targets. A copy is two references.
package struct ViewRows: Sendable {
    /// A view with its target.
    package struct Row: Sendable {
        /// The target; several queries may share it.
        package let targetID: TargetID
        /// Whether the table notes which documents the view shows.
        let isNoted: Bool
        fileprivate var box: Boxed<View>

        /// Puts a view beside its target.
        init(_ view: View, target: TargetID, isNoted: Bool) {
            targetID = target
            self.isNoted = isNoted
            box = Boxed(view)
        }

        /// The view.
        package var view: View {
            _read { yield box.value }
        }
    }

    private var rows: TreeDictionary<ViewID, Row> = [:]
    private var byTarget: TreeDictionary<TargetID, [ViewID]> = [:]

    /// No views.
    init() {}

    /// How many there are.
    var count: Int { rows.count }

    /// All of them, oldest first.
    var ids: [ViewID] { rows.keys.sorted() }

    /// The oldest of the views behind one and up to another, so many at most. O(views).
    func ids(behind first: ViewID, through last: ViewID, atMost count: Int) -> [ViewID] {
        rows.keys.lazy.filter { $0 > first && $0 <= last }.least(count)
    }

    /// The row of a view.
    package subscript(id: ViewID) -> Row? { rows[id] }

    /// The views of a target, oldest first.
    package func ids(of target: TargetID) -> [ViewID] { byTarget[target] ?? [] }

    /// The oldest view of a target; what the backend named, all of them know alike.
    package func first(of target: TargetID) -> Row? {
        byTarget[target]?.first.flatMap { rows[$0] }
    }

    /// Adds a view, which must be the newest.
    mutating func insert(_ id: ViewID, _ row: Row) {
        rows[id] = row
        byTarget[row.targetID, default: []].append(id)
    }

    /// Removes a view, and returns it.
    mutating func remove(_ id: ViewID) -> Row? {
        guard let row = rows.removeValue(forKey: id) else { return nil }
        byTarget[row.targetID]?.removeAll { $0 == id }
        if byTarget[row.targetID]?.isEmpty ?? false { byTarget[row.targetID] = nil }
        return row
    }

    /// Changes a view in its place.
    mutating func change<Result>(_ id: ViewID, _ body: (inout View) -> Result) -> Result? {
        rows[id]?.change(body)
    }
}

extension ViewRows.Row {
    fileprivate mutating func change<Result>(_ body: (inout View) -> Result) -> Result {
        body(&box.value)
    }
}
