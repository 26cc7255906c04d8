import HashTreeCollections
import HearthModel

/// The listens that the backend is asked for, or shall be once a connection is open.
struct ListenTable: Sendable {
    /// One listen.
    struct Row: Sendable {
        let target: ListenTarget
        let tag: ListenTag?
        /// The number of the request on the open connection; `nil` if there was none.
        fileprivate(set) var request: Int?
        /// Whether the backend said on the open connection that it has told all.
        fileprivate(set) var isConfirmed = false

        /// Whether the listen goes on only until a listen that covers it is sent.
        fileprivate(set) var isLeaving = false

        /// Whether the open connection was asked.
        var isSent: Bool { request != nil }
    }

    private var rows: TreeDictionary<ListenTarget, Row> = [:]
    /// The places of the listens to a whole node.
    private var whole = PathTree<ListenTarget>()
    /// How many listens of each place the open connection was asked for.
    private var sentCounts = PathTree<Int>()
    private var confirmedCount = 0
    /// The listens of which the backend has yet to tell all, by place.
    private var unconfirmed = PathTree<TreeSet<ListenTarget>>()
    /// The listens that go on until another listen is sent, by the other.
    private var leaving: TreeDictionary<ListenTarget, [ListenTarget]> = [:]
    /// How often a listen was told all or ended, or the connection with all of them.
    private(set) var toldCount = 0

    /// Whether nothing is asked for.
    var isEmpty: Bool { rows.isEmpty }

    /// Whether the backend has yet to tell all of some listen.
    var hasUnconfirmed: Bool { confirmedCount < rows.count }

    /// A listen.
    subscript(target: ListenTarget) -> Row? { rows[target] }

    /// All listens, by place.
    var all: [Row] { rows.values.sorted { $0.target.path < $1.target.path } }

    /// Whether the open connection was asked for the whole node of a place, or of a place above.
    func coversWhole(_ path: RealtimePath) -> Bool {
        var isCovered = false
        whole.walk(to: path) { listen, _ in
            isCovered = rows[listen]?.isSent ?? false
            return !isCovered
        }
        return isCovered
    }

    /// Whether some listen gets the whole node of a place, or of a place above, or shall get it once
    /// the backend is asked.
    func wantsWhole(_ path: RealtimePath) -> Bool {
        var isWanted = false
        whole.walk(to: path) { _, _ in
            isWanted = true
            return false
        }
        return isWanted
    }

    /// Whether the backend has told all of a query, or of its place or a place above, on the open
    /// connection.
    func isConfirmed(_ target: ListenTarget) -> Bool {
        var isConfirmed = rows[target]?.isConfirmed ?? false
        whole.walk(to: target.path) { listen, _ in
            isConfirmed = isConfirmed || rows[listen]?.isConfirmed ?? false
            return !isConfirmed
        }
        return isConfirmed
    }

    /// Whether the backend has yet to tell all of a listen at a place, above or below, and has not told
    /// all of the place by another.
    func isAwaited(at path: RealtimePath) -> Bool {
        guard hasUnconfirmed, !isConfirmed(ListenTarget(path, .all)) else { return false }
        var isAwaited = unconfirmed.subtree(at: path) != nil
        unconfirmed.walk(to: path) { _, _ in
            isAwaited = true
            return false
        }
        return isAwaited
    }

    /// Whether the open connection was asked for any listen at a place, above or below; the backend
    /// then tells of changes there.
    func touches(_ path: RealtimePath) -> Bool {
        var isTouched = sentCounts.subtree(at: path) != nil
        sentCounts.walk(to: path) { _, _ in
            isTouched = true
            return false
        }
        return isTouched
    }

    /// The topmost places below a place that listens get whole.
    private func wholePlaces(below path: RealtimePath) -> [RealtimePath] {
        var places: [RealtimePath] = []
        whole.subtree(at: path)?.walkDown { target, _ in
            places.append(target.path)
            return false
        }
        return places
    }

    /// What a node that is written to a place is at the topmost places below that listens get whole.
    func wholeParts(of node: Node, at place: WritePath) -> [CompoundWrite.Part] {
        if place.isPriority { return [] }
        return wholePlaces(below: place.path).map { path in
            let rest = RealtimePath(path.keys.dropFirst(place.path.depth))
            return (place: WritePath(path), node: node.node(at: rest))
        }
    }

    /// Adds a listen.
    mutating func add(_ target: ListenTarget, _ tag: ListenTag?) {
        remove(target)
        rows[target] = Row(target: target, tag: tag)
        setAwaited(target, true)
        if target.query.isComplete { whole[target.path] = target }
    }

    /// A listen goes on until the listen that covers it is sent, if the covering listen waits.
    ///
    /// - Returns: Whether the listen goes on.
    mutating func leaveLater(_ target: ListenTarget) -> Bool {
        guard let row = rows[target], row.isSent, !row.isLeaving else { return false }
        var cover: ListenTarget?
        whole.walk(to: target.path) { listen, _ in
            if listen != target, rows[listen]?.isSent == false { cover = listen }
            return cover == nil
        }
        guard let cover else { return false }
        rows[target]?.isLeaving = true
        leaving[cover, default: []].append(target)
        return true
    }

    /// A listen was sent, or is no more: nothing goes on for it.
    ///
    /// - Returns: The listens to end now.
    mutating func takeLeaving(for cover: ListenTarget) -> [Row] {
        let targets = leaving.removeValue(forKey: cover) ?? []
        return targets.compactMap { rows[$0] }.filter(\.isLeaving)
    }

    /// Takes a listen out.
    mutating func remove(_ target: ListenTarget) {
        guard let row = rows.removeValue(forKey: target) else { return }
        if row.isConfirmed { confirmedCount -= 1 }
        setAwaited(target, false)
        toldCount += 1
        if row.isSent { countSent(-1, at: target.path) }
        if target.query.isComplete { whole[target.path] = nil }
    }

    /// The open connection was asked, by a request's number.
    mutating func sent(_ target: ListenTarget, as request: Int) {
        guard let row = rows[target] else { return }
        if !row.isSent { countSent(1, at: target.path) }
        rows[target]?.request = request
    }

    private mutating func setAwaited(_ target: ListenTarget, _ isAwaited: Bool) {
        var targets = unconfirmed[target.path] ?? []
        if isAwaited { targets.insert(target) } else { targets.remove(target) }
        unconfirmed[target.path] = targets.isEmpty ? nil : targets
    }

    private mutating func countSent(_ difference: Int, at path: RealtimePath) {
        let count = (sentCounts[path] ?? 0) + difference
        sentCounts[path] = count > 0 ? count : nil
    }

    /// The backend has told all.
    mutating func confirm(_ target: ListenTarget) {
        guard let row = rows[target], !row.isConfirmed else { return }
        rows[target]?.isConfirmed = true
        confirmedCount += 1
        setAwaited(target, false)
        toldCount += 1
    }

    /// The connection is gone: another must be asked for everything.
    mutating func connectionLost() {
        for row in rows.values where row.isLeaving { remove(row.target) }
        leaving = [:]
        for row in rows.values where row.isConfirmed { setAwaited(row.target, true) }
        rows = rows.mapValues { Row(target: $0.target, tag: $0.tag) }
        sentCounts = PathTree()
        toldCount += 1
        confirmedCount = 0
    }
}
