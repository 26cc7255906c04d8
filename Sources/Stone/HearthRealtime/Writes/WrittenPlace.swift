import HearthModel

/// The pending writes that name a place or places below, and their joint effect there.
///
/// Most places have one write and nothing below, so such a place has no object of its own. Where a
/// visible write replaces all and no place above is replaced, the place knows the node that comes of
/// that write and of all later writes here and below (`whole`). What lies below a replaced place may
/// know an old node: the node is computed again when no write above replaces the place any more.
enum WrittenPlace: Sendable {
    case single(Part)
    indirect case several(Several)

    /// What one write does to the place.
    struct Part: Sendable {
        let id: WriteID
        let node: Node
        let isVisible: Bool
        /// Whether it writes the priority alone.
        let isPriority: Bool

        /// Whether listeners see the whole node replaced.
        var replaces: Bool { isVisible && !isPriority }

        /// The same write's part in another node.
        func with(_ node: Node) -> Part {
            Part(id: id, node: node, isVisible: isVisible, isPriority: isPriority)
        }

        /// The order of the writes; of one write the priority comes last.
        static func order(_ lhs: Part, _ rhs: Part) -> Int {
            if lhs.id != rhs.id { return lhs.id < rhs.id ? -1 : 1 }
            return (lhs.isPriority ? 1 : 0) - (rhs.isPriority ? 1 : 0)
        }
    }

    /// More than one write, or writes below.
    struct Several: Sendable {
        /// The writes that name the place, in their order.
        fileprivate(set) var parts = OrderedTree<Part>()
        fileprivate(set) var whole: Node?
        fileprivate(set) var below = KeyedTree<WrittenPlace>()

        /// The place, as it is kept; `nil` if nothing is there.
        fileprivate var place: WrittenPlace? {
            guard below.isEmpty else { return .several(self) }
            return parts.count == 1
                ? parts.first.map { .single($0) }
                : parts.count == 0 ? nil : .several(self)
        }
    }

    /// The node that the visible writes make of the place, whatever is there; `nil` if they do not
    /// replace all.
    var whole: Node? {
        switch self {
        case .single(let part): part.replaces ? part.node : nil
        case .several(let several): several.whole
        }
    }

    /// The places below.
    var below: KeyedTree<WrittenPlace> {
        if case .several(let several) = self { several.below } else { KeyedTree() }
    }

    private var several: Several {
        switch self {
        case .single(let part):
            var several = Several()
            several.parts.insert(part, by: Part.order)
            several.whole = whole
            return several
        case .several(let several): return several
        }
    }

    /// What the last visible write of the priority says, if no visible write replaces all.
    var priority: Part? { last { $0.isVisible && $0.isPriority } }

    /// A write's part; `nil` if the write does not name the place so.
    ///
    /// O(log n), n writes of the place: a long queue is settled from its oldest write on, so a search
    /// from the newest write back would pass every write that waits.
    ///
    /// - Parameter order: The order of the parts; only a test has another, which counts.
    func part(
        of id: WriteID, isPriority: Bool, by order: (Part, Part) -> Int = Part.order
    ) -> Part? {
        let wanted = Part(id: id, node: .empty, isVisible: true, isPriority: isPriority)
        switch self {
        case .single(let part): return order(wanted, part) == 0 ? part : nil
        case .several(let several):
            return several.parts.index(of: wanted, by: order).map { several.parts[$0] }
        }
    }

    /// The last part behind a write that fulfils a condition.
    ///
    /// Visits the parts from the newest back to the found one.
    func last(behind id: WriteID = WriteID(.min), where isFound: (Part) -> Bool) -> Part? {
        switch self {
        case .single(let part): return part.id > id && isFound(part) ? part : nil
        case .several(let several):
            var found: Part?
            several.parts.walkBack(from: several.parts.count) { part in
                if part.id > id, isFound(part) { found = part }
                return found == nil && part.id > id
            }
            return found
        }
    }

    // MARK: Changing

    /// Adds a part to what is at and below a place, behind all others.
    ///
    /// - Parameters:
    ///   - keys: The way from the place.
    ///   - isCovered: Whether a place above is replaced.
    static func add(
        _ part: Part, at keys: ArraySlice<ChildKey>, to place: inout WrittenPlace?, isCovered: Bool
    ) {
        if place == nil, keys.isEmpty { return place = .single(part) }
        // Taken out, what is below changes in place, unless a copy of the whole shares it.
        var several = place.take()?.several ?? Several()
        let isSeen = part.isVisible && !isCovered
        if isSeen, let whole = several.whole {
            let way = WritePath(RealtimePath(keys), isPriority: part.isPriority)
            several.whole = whole.setting(way, to: part.node)
        }
        if let key = keys.first {
            let isCovered = isCovered || several.whole != nil
            several.below.update(key) {
                add(part, at: keys.dropFirst(), to: &$0, isCovered: isCovered)
            }
        } else {
            let count = several.parts.count
            several.parts.insert(part, by: Part.order)
            precondition(several.parts.count > count, "Write \(part.id) is pending already")
            if isSeen, part.replaces { several.whole = part.node }
        }
        place = .several(several)
    }

    /// The taking away of a write's part, and what the way to the part's place told.
    struct Removal {
        fileprivate let id: WriteID
        fileprivate let isPriority: Bool
        /// Whether the write names the place so.
        fileprivate(set) var isFound = false
        /// Whether later visible writes hide all that the write did there.
        ///
        /// Below a replaced place only a write of that place does. A write of the same place is not
        /// enough: the older write may have emptied the node above, which lost its priority.
        fileprivate(set) var isCovered = false
        /// How many keys lead to the topmost place on the way that is left replaced.
        fileprivate(set) var wholeDepth: Int?

        /// The part of a write that names a place or its priority.
        init(_ id: WriteID, isPriority: Bool) {
            (self.id, self.isPriority) = (id, isPriority)
        }
    }

    /// Takes a part away from a place or from the places below. The caller must rebuild what knew of
    /// the part.
    ///
    /// - Parameter keys: The way from the place, as a slice of the way from the root.
    static func remove(
        _ removal: inout Removal, at keys: ArraySlice<ChildKey>, from place: inout WrittenPlace?
    ) {
        place?.noteCover(of: &removal, at: keys)
        guard let key = keys.first else {
            guard let part = place?.part(of: removal.id, isPriority: removal.isPriority) else {
                return
            }
            removal.isFound = true
            remove(part, from: &place)
            if removal.wholeDepth == nil, place?.whole != nil {
                removal.wholeDepth = keys.startIndex
            }
            return
        }
        guard case .several(var several)? = place else { return }
        place = nil  // As in `add`: what is below changes in place.
        if removal.wholeDepth == nil, several.whole != nil { removal.wholeDepth = keys.startIndex }
        several.below.update(key) { remove(&removal, at: keys.dropFirst(), from: &$0) }
        place = several.place
    }

    /// Takes out a part that the place has.
    private static func remove(_ part: Part, from place: inout WrittenPlace?) {
        guard case .several(var several)? = place else { return place = nil }
        place = nil  // As in `add`: the parts change in place.
        several.parts.remove(part, by: Part.order)
        place = several.place
    }

    /// Notes whether later writes of this place, on the way to the part, hide the whole part.
    private func noteCover(of removal: inout Removal, at keys: ArraySlice<ChildKey>) {
        guard !removal.isCovered, removal.wholeDepth == nil else { return }
        let takesPriority = removal.isPriority && keys.isEmpty
        // From the newest back: mostly the newest write of a place covers the older ones.
        removal.isCovered =
            last(behind: removal.id) { $0.isVisible && (!$0.isPriority || takesPriority) } != nil
    }

    /// Computes anew what the topmost replaced place on a way knows, or the places below if nothing
    /// replaces it any more.
    static func rebuild(_ place: inout WrittenPlace?, at keys: ArraySlice<ChildKey>) {
        guard case .several(var several)? = place else { return }
        if several.whole != nil { return place = place?.rebuilt() }
        guard let key = keys.first else { return }
        place = nil  // As in `add`: what is below changes in place.
        several.below.update(key) { rebuild(&$0, at: keys.dropFirst()) }
        place = .several(several)
    }

    /// What a place knows, computed anew, if nothing above is replaced.
    private func rebuilt() -> WrittenPlace {
        guard case .several(var several) = self else { return self }
        if let base = last(where: \.replaces) {
            var later: [Placed] = []
            collect(from: .root) { placed in
                if placed.part.isVisible, placed.part.id > base.id { later.append(placed) }
            }
            several.whole = later.inOrder.reduce(base.node) {
                $0.setting($1.place, to: $1.part.node)
            }
        } else {
            several.whole = nil
            several.below = several.below.mapValues { $0.rebuilt() }
        }
        return .several(several)
    }

    // MARK: Collecting

    /// A part with the place that it names.
    typealias Placed = (place: WritePath, part: Part)

    /// Visits the parts here and below. The parts of a place come behind the parts below the place.
    func collect(from path: RealtimePath, _ body: (Placed) -> Void) {
        if case .several(let several) = self {
            several.below.visit { key, child in child.collect(from: path.appending(key), body) }
        }
        visitParts { body((WritePath(path, isPriority: $0.isPriority), $0)) }
    }

    /// Visits the parts here, in the order of their writes.
    func visitParts(_ body: (Part) -> Void) {
        switch self {
        case .single(let part): body(part)
        case .several(let several):
            several.parts.walk {
                body($0)
                return true
            }
        }
    }
}

extension [WrittenPlace.Placed] {
    /// The parts in the order of their writes. Of one write a priority stays behind the places below.
    var inOrder: [Element] { sorted { $0.part.id < $1.part.id } }
}
