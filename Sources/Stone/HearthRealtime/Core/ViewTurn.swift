import HearthModel

/// One operation on one view: its effect on the known data and on the children.
///
///     event side = filter(server side + pending writes)
///     event side = server side, in the same memory              where nothing is filtered or pending
///
/// If the operation comes from the server, the turn changes the server side first. The turn then
/// computes the event side from the server side, as far as the operation reaches. A view does not
/// show a child that is known only in part.
///
/// - Source: firebase-js-sdk `core/view/ViewProcessor.ts` for the rules about known data.
struct ViewTurn {
    /// The data that the view knows.
    private(set) var cache: ViewCache
    /// The changes of the children that the view shows.
    private(set) var changes = ChangeAccumulator()

    /// What lies beside the children that the view shows.
    private(set) var surroundings: Surroundings

    /// The orders that the view shares with others.
    private(set) var sortedNodes: SortedNodes

    let filter: NodeFilter
    let writes: WriteLayer
    /// The server's node of this place, if a view further up knows the whole node.
    let knownServer: Node?

    /// Begins a turn on the data that a view knows.
    init(
        _ cache: ViewCache, filter: NodeFilter, writes: WriteLayer, knownServer: Node?,
        _ sortedNodes: SortedNodes = SortedNodes()
    ) {
        self.cache = cache
        self.sortedNodes = sortedNodes
        self.filter = filter
        self.writes = writes
        self.knownServer = knownServer
        surroundings = Surroundings(writes, knownServer)
    }

    /// Whether the query shows less than the node.
    var isFiltering: Bool { !filter.query.isComplete }

    /// A filter of the same order that lets everything through.
    var openFilter: NodeFilter { NodeFilter(QueryParameters(index: filter.query.index)) }

    /// Carries out an operation, which counts from the view's place.
    mutating func take(_ operation: SyncOperation) {
        switch (operation.source, operation.change) {
        case (.user, .overwrite(let place, let node)): write(place, node)
        case (.user, .merge(let path, let parts)): write(path, parts)
        case (let source, .overwrite(let place, let node)):
            let isWhole = place.path.isRoot && !place.isPriority
            let filters = source == .query || (cache.server.isFiltered && !isWhole)
            takeFromServer(place, node, filters: filters)
        case (let source, .merge(let path, let parts)):
            let filters = source == .query || cache.server.isFiltered
            takeFromServer(path, parts, filters: filters)
        case (_, .acknowledged(let path, let affected)): acknowledged(path, affected)
        case (_, .reverted(let place)): reverted(place)
        case (let source, .listenComplete):
            cache.server.isComplete = true
            showServerChange(at: WritePath(.root))
            if source == .query { forgetOutside() }
        }
    }

    /// Keeps of the server's side what the query shows: nobody tells of the rest any more.
    private mutating func forgetOutside() {
        let shown = filter.view(of: cache.server.indexed)
        guard shown.count < cache.server.indexed.count else { return }
        cache.server.indexed = shown
        cache.server.isFiltered = true
    }

    // MARK: A program writes

    private mutating func write(_ place: WritePath, _ node: Node) {
        guard let key = place.path.keys.first else {
            if place.isPriority {
                filter.updatePriority(&cache.event.indexed, to: node.leaf)
            } else {
                show(node)
                cache.event.isComplete = true
                cache.event.isFiltered = isFiltering
            }
            return
        }
        let below = place.dropFirst(1)
        let isWhole = below.path.isRoot && !below.isPriority
        // Of a child that is not known, a part shows nothing.
        let child = isWhole ? node : knownChild(key)?.setting(below, to: node) ?? .empty
        show(child, at: key)
        cache.event.isFiltered = isFiltering
    }

    private mutating func write(_ path: RealtimePath, _ parts: CompoundWrite) {
        // A window shrinks before it grows: first the children that are shown.
        let (shown, others) = parted(parts, from: path)
        for part in shown + others { write(part.place, part.node) }
    }

    private func parted(_ write: CompoundWrite, from path: RealtimePath)
        -> (shown: [CompoundWrite.Part], others: [CompoundWrite.Part])
    {
        var (shown, others): ([CompoundWrite.Part], [CompoundWrite.Part]) = ([], [])
        for part in write.parts {
            let place = part.place.below(path)
            let isShown = place.path.keys.first.map(cache.event.isComplete(for:)) ?? true
            if isShown {
                shown.append((place, part.node))
            } else {
                others.append((place, part.node))
            }
        }
        return (shown, others)
    }

    /// A child as it is now on the event side; `nil` if that is not known.
    private func knownChild(_ key: ChildKey) -> Node? {
        if cache.event.isComplete(for: key) { return cache.event.node.child(key) }
        let server = knownServer.map { CacheNode(IndexedNode($0, by: .key), isComplete: true) }
        return writes.completeChild(key, over: server ?? cache.server)
    }

    // MARK: The server speaks

    /// Takes another node of the server.
    ///
    /// - Parameter filters: Whether the server's side is kept as the query shows it.
    private mutating func takeFromServer(_ place: WritePath, _ node: Node, filters: Bool) {
        let server = cache.server
        let serverFilter = filters ? filter : openFilter
        let filtersNow = filters && isFiltering
        let isWhole = place.path.isRoot && !place.isPriority
        var ignored = ChangeAccumulator()
        if isWhole {
            let next = sorted(node)
            serverFilter.update(&cache.server.indexed, to: next, noting: &ignored)
        } else if filtersNow, !server.isFiltered {
            let next = sorted(server.node.setting(place, to: node))
            serverFilter.update(&cache.server.indexed, to: next, noting: &ignored)
        } else if let key = place.path.keys.first {
            // Of a child that is not known, a part is not enough.
            let isPart = place.path.depth > 1 || place.isPriority
            guard !isPart || server.isComplete(for: key) else { return }
            let below = place.dropFirst(1)
            let child = server.node.child(key).setting(below, to: node)
            serverFilter.updateChild(
                &cache.server.indexed, key, to: child, successor: { _, _ in nil },
                noting: &ignored)
        } else {
            serverFilter.updatePriority(&cache.server.indexed, to: node.leaf)
        }
        cache.server.isComplete = server.isComplete || isWhole
        cache.server.isFiltered = filtersNow
        if cache.server.isComplete == server.isComplete, filtersNow == server.isFiltered {
            surroundings.serverChanged(ignored.changes)
        } else {
            surroundings.forget()
        }
        showServerChange(at: place)
    }

    private mutating func takeFromServer(
        _ path: RealtimePath, _ parts: CompoundWrite, filters: Bool
    ) {
        // A late merge for an earlier listen.
        if cache.server.node.isEmpty, !cache.server.isComplete { return }
        var whole = CompoundWrite()
        whole.set(path, to: parts)
        if let node = whole.node { return takeFromServer(WritePath(.root), node, filters: filters) }
        let known = cache.server.node
        let keys = whole.childKeys
        for key in keys where !known.child(key).isEmpty {
            merge(key, whole.child(RealtimePath([key])), filters: filters)
        }
        for key in keys where known.child(key).isEmpty {
            let child = whole.child(RealtimePath([key]))
            guard cache.server.isComplete(for: key) || child.node != nil else { continue }
            merge(key, child, filters: filters)
        }
        if let priority = whole.completeNode(at: WritePath(.root, isPriority: true)) {
            takeFromServer(WritePath(.root, isPriority: true), priority, filters: filters)
        }
    }

    private mutating func merge(_ key: ChildKey, _ parts: CompoundWrite, filters: Bool) {
        let child = parts.apply(to: cache.server.node.child(key))
        takeFromServer(WritePath(RealtimePath([key])), child, filters: filters)
    }

    /// Makes the event side of the server's side, as far as that has changed at a place.
    private mutating func showServerChange(at changed: WritePath) {
        if areSidesOne { return showServerSide() }
        let place = shownPlace(of: changed)
        guard writes.shadow(of: place) == nil else { return }
        if place.path.isRoot, !place.isPriority {
            showServerNode()
        } else if let key = place.path.keys.first {
            if let child = childAfterServerChange(key, at: place) { show(child, at: key) }
        } else if let priority = writes.node(at: place, afterServerChange: cache.server.node) {
            filter.updatePriority(&cache.event.indexed, to: priority.leaf)
        }
        let isWholeKnown = changed.path.isRoot && !changed.isPriority
        cache.event.isComplete = cache.event.isComplete || isWholeKnown
        cache.event.isFiltered = isFiltering
    }

    private mutating func showServerNode() {
        if cache.server.isFiltered {
            let known = cache.server.node
            show(writes.knownChildren(over: known.isLeaf ? .empty : known))
        } else if let node = writes.node(over: cache.server.completeNode) {
            show(node)
        }
    }

    /// Whether the event side is the server's side: nothing is filtered or pending.
    private var areSidesOne: Bool {
        !isFiltering && cache.server.isComplete && !cache.server.isFiltered && writes.isEmpty
    }

    /// Makes the event side the server's side. In proportion to what the sides do not share.
    private mutating func showServerSide() {
        for child in cache.server.node.childDifferences(from: cache.event.node) {
            changes.note(child.key, from: child.old, to: child.new)
        }
        cache.event = cache.server
    }

    /// The place where a change of the server shows.
    ///
    /// A leaf has nothing below. A change below a leaf that is shown is a change of the leaf, even if
    /// a pending write hides what lies at the changed place. Below a leaf of the server lies only what
    /// pending writes put there, and when that goes, the leaf comes back.
    private func shownPlace(of changed: WritePath) -> WritePath {
        let keys = changed.path.keys
        var (event, server) = (cache.event.node, cache.server.node)
        for (depth, key) in keys.enumerated() {
            if event.isLeaf || server.isLeaf {
                return WritePath(RealtimePath(keys.prefix(depth)))
            }
            (event, server) = (event.child(key), server.child(key))
        }
        return changed
    }

    private func childAfterServerChange(_ key: ChildKey, at place: WritePath) -> Node? {
        guard cache.event.isComplete(for: key) else {
            return writes.completeChild(key, over: cache.server)
        }
        let child = cache.event.node.child(key)
        guard let node = writes.node(at: place, afterServerChange: cache.server.node) else {
            return child
        }
        let below = place.dropFirst(1)
        return child.setting(below, to: node)
    }

    // MARK: A write is pending no more

    private mutating func acknowledged(_ path: RealtimePath, _ affected: AffectedPlaces) {
        switch affected {
        case .all(let isPriority):
            let place = WritePath(path, isPriority: isPriority)
            guard writes.shadow(of: place) == nil else { return }
            // The server's side has what it has; where the write hid it, it shows again.
            if path.isRoot, !isPriority, !cache.server.isComplete {
                takeFromServer(
                    .root, CompoundWrite(cache.server.node.children.map(Self.part)),
                    filters: cache.server.isFiltered)
            } else if path.isRoot || cache.server.isComplete(for: path) {
                showServerChange(at: place)
            }
        case .some(let write):
            guard writes.shadow(of: WritePath(path)) == nil else { return }
            let known: [CompoundWrite.Part] = write.parts.compactMap { part in
                let whole = part.place.below(path)
                guard cache.server.isComplete(for: whole.path) else { return nil }
                return (part.place, cache.server.node.node(at: whole))
            }
            takeFromServer(path, CompoundWrite(known), filters: cache.server.isFiltered)
        }
    }

    private static func part(_ child: NodeChildren.Element) -> CompoundWrite.Part {
        (WritePath(RealtimePath([child.key])), child.node)
    }

    private mutating func reverted(_ place: WritePath) {
        if areSidesOne { return showServerSide() }
        // An earlier write replaces the place, as it did before the write that is gone.
        if let node = writes.shadow(of: place) { return write(place, node) }
        if let key = place.path.keys.first {
            if let child = writes.completeChild(key, over: cache.server) {
                show(child, at: key)
            } else {
                show(.empty, at: key)
            }
            // A leaf that the children had hidden comes back.
            if cache.event.node.isEmpty, let node = writes.node(over: cache.server.completeNode),
                node.isLeaf
            {
                show(node)
            }
        } else if let node = writes.node(over: cache.server.completeNode) {
            show(node)
        } else {
            show(writes.knownChildren(over: cache.server.node))
        }
        cache.event.isComplete =
            cache.server.isComplete || writes.shadow(of: WritePath(.root)) != nil
        cache.event.isFiltered = isFiltering
    }

    // MARK: Showing

    private mutating func sorted(_ node: Node) -> IndexedNode {
        sortedNodes.sorted(node, at: writes.path, by: filter.query.index)
    }

    /// Shows another node, as far as the query lets it through.
    private mutating func show(_ node: Node) {
        let next = sorted(node)
        filter.update(&cache.event.indexed, to: next, noting: &changes)
    }

    /// Shows another child.
    private mutating func show(_ child: Node, at key: ChildKey) {
        var (beside, server, orders) = (surroundings, cache.server, sortedNodes)
        filter.updateChild(
            &cache.event.indexed, key, to: child,
            successor: { beside.neighbour(of: $0, backwards: $1, server: server, &orders) },
            noting: &changes)
        (surroundings, sortedNodes) = (beside, orders)
    }
}
