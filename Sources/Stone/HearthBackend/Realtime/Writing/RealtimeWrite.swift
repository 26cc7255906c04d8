import HearthModel

/// A write as it was asked for: one place, or several together.
struct RealtimeWrite: Sendable {
    /// Where the write is made. All places are there or below.
    let base: RealtimePath
    /// Whether it is told as a merge.
    let isMerge: Bool
    /// In the order of paths; none at or below another.
    let parts: [RealtimeChange.Part]

    /// The places that the write names.
    var places: [WritePath] { parts.map(\.place) }

    /// A put.
    ///
    /// - Throws: `failed` for a place that is too deep, or in `.info`.
    init(_ place: WritePath, _ node: UnresolvedNode) throws(RealtimeRefusal) {
        base = place.path
        isMerge = false
        parts = [RealtimeChange.Part(place, node)]
        try checkPlaces()
    }

    /// A merge.
    ///
    /// - Throws: `failed` for a place that is too deep, or in `.info`, and for a place at or below
    ///   another place: nobody could tell which of the two should count.
    init(
        below base: RealtimePath, _ children: [RealtimeChange.Part]
    ) throws(RealtimeRefusal) {
        self.init(
            base: base, isMerge: true,
            placing: children.map { .init($0.place.below(base), $0.node) })
        for (first, second) in zip(parts, parts.dropFirst()) where first.place.covers(second.place)
        {
            throw RealtimeRefusal(
                .failed,
                "\(second.place) is at or below \(first.place); one update cannot write both.")
        }
        if parts.contains(where: { !$0.place.isPriority && $0.place.path == base }) {
            throw RealtimeRefusal(.failed, "An update at \(base) has an empty path in it.")
        }
        try checkPlaces()
    }

    /// A write of parts in any order, none at or below another, each counted from the root.
    init(base: RealtimePath, isMerge: Bool, placing parts: [RealtimeChange.Part]) {
        self.base = base
        self.isMerge = isMerge
        self.parts = parts.sorted { WritePath.compare($0.place, $1.place) < 0 }
    }

    /// What the write makes of a tree.
    ///
    /// The result has no server values left to resolve, and all its timestamps are the same.
    ///
    /// - Parameter now: Milliseconds since 1970.
    /// - Throws: `failed` for a priority that is no number, string or null.
    func applied(to root: Node, at now: Int64) throws(RealtimeRefusal) -> TreeChange {
        var result = root
        // A priority comes last, when the content that has the priority is there.
        for part in parts.filter({ !$0.place.isPriority }) + parts.filter(\.place.isPriority) {
            let existing = root.node(at: part.place)
            let node = part.node.resolved(over: existing, at: now)
            if part.place.isPriority, !node.isEmpty, node.leaf?.canBePriority != true {
                throw RealtimeRefusal(
                    .failed, "What is written at \(part.place) must be a number, a string or null.")
            }
            result = result.setting(part.place, to: node)
        }
        return TreeChange(
            before: root, after: result, base: base, isMerge: isMerge, writing: places)
    }

    private func checkPlaces() throws(RealtimeRefusal) {
        if base.isInfo || parts.contains(where: { $0.place.path.isInfo }) {
            throw RealtimeRefusal(.failed, "Invalid path: .info belongs to the client.")
        }
        for part in parts where part.place.path.depth > RealtimePath.depthMax {
            throw RealtimeRefusal(
                .failed,
                "A path of \(part.place.path.depth) keys is too deep; "
                    + "\(RealtimePath.depthMax) are allowed."
            )
        }
    }
}
