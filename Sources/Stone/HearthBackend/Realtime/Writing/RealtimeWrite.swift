import HearthModel

/// A write as it was asked for: one place, or several together.
struct RealtimeWrite: Sendable {
    /// One place with what is to be there.
    struct Part: Sendable {
        let place: WritePath
        let node: UnresolvedNode
    }

    /// Where the write is made. All places are there or below.
    let base: RealtimePath
    /// Whether it is told as a merge.
    let isMerge: Bool
    /// In the order of paths; none at or below another.
    let parts: [Part]

    /// The places that the write names.
    var places: [WritePath] { parts.map(\.place) }

    /// A put.
    ///
    /// - Throws: `failed` for a place that is too deep, or in `.info`.
    init(_ place: WritePath, _ node: UnresolvedNode) throws(RealtimeRefusal) {
        base = place.path
        isMerge = false
        parts = [Part(place: place, node: node)]
        try checkPlaces()
    }

    /// A merge.
    ///
    /// - Throws: `failed` for a place that is too deep, or in `.info`, and for a place at or below
    ///   another place: nobody could tell which of the two should count.
    init(
        below base: RealtimePath, _ children: [RealtimeBackend.WrittenChild]
    ) throws(RealtimeRefusal) {
        self.base = base
        isMerge = true
        parts = children.map { Part(place: $0.place.below(base), node: $0.node) }
            .sorted { WritePath.compare($0.place, $1.place) < 0 }
        for (first, second) in zip(parts, parts.dropFirst()) where first.covers(second) {
            throw RealtimeRefusal(
                .failed,
                "\(second.place) is at or below \(first.place); one update cannot write both.")
        }
        if parts.contains(where: { !$0.place.isPriority && $0.place.path == base }) {
            throw RealtimeRefusal(.failed, "An update at \(base) has an empty path in it.")
        }
        try checkPlaces()
    }

    private init(base: RealtimePath, isMerge: Bool, parts: [Part]) {
        self.base = base
        self.isMerge = isMerge
        self.parts = parts
    }

    /// The write without its parts at a place and below; `nil` if no part is left.
    func without(_ place: WritePath) -> RealtimeWrite? {
        let rest = parts.filter { !place.covers($0.place) }
        if rest.count == parts.count { return self }
        return rest.isEmpty ? nil : RealtimeWrite(base: base, isMerge: isMerge, parts: rest)
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

extension RealtimeWrite.Part {
    fileprivate func covers(_ other: Self) -> Bool { place.covers(other.place) }
}
