package import HearthModel

/// An operation that changes the data of views, seen from one place.
package struct SyncOperation: Hashable, Sendable {
    /// Who made the change.
    package enum Source: Hashable, Sendable {
        /// A program on this machine.
        case user
        /// The server, for everybody who sees the place.
        case server
        /// The server, for one filtered query alone.
        case query
    }

    /// What the change is. Paths count from the operation's place.
    package enum Change: Hashable, Sendable {
        /// One place has another node.
        case overwrite(WritePath, Node)
        /// Several places below one have other nodes.
        case merge(RealtimePath, CompoundWrite)
        /// The server has applied a write, which is pending no more.
        case acknowledged(RealtimePath, AffectedPlaces)
        /// A write is pending no more and did not happen.
        case reverted(WritePath)
        /// The server has told all that there is.
        case listenComplete
    }

    /// From where.
    package let source: Source
    /// What.
    package let change: Change

    /// Joins both.
    package init(_ source: Source, _ change: Change) {
        self.source = source
        self.change = change
    }
}

/// The places that an acknowledged write had replaced, from the place of the write.
package enum AffectedPlaces: Hashable, Sendable {
    /// The place of the write itself, or its priority.
    case all(isPriority: Bool)
    /// The places below that a write names.
    case some(CompoundWrite)
}

extension SyncOperation {
    /// Whether the operation may replace the whole node of the place from which it counts.
    var isWhole: Bool {
        switch change {
        case .overwrite(let place, _), .reverted(let place):
            place.path.isRoot && !place.isPriority
        case .acknowledged(let path, .all(isPriority: false)): path.isRoot
        case .acknowledged, .merge, .listenComplete: false
        }
    }

    /// The operation as seen from a place further down; `nil` if the place is not affected.
    ///
    /// - Parameter path: The place, relative to the operation's own place.
    func seen(from path: RealtimePath) -> SyncOperation? {
        guard !path.isRoot else { return self }
        return seen(change, from: path).map { SyncOperation(source, $0) }
    }

    private func seen(_ change: Change, from path: RealtimePath) -> Change? {
        switch change {
        case .listenComplete: return nil
        case .overwrite(let place, let node):
            if let rest = place.relative(to: path) { return .overwrite(rest, node) }
            guard !place.isPriority else { return nil }
            return place.path.relative(path).map { .overwrite(WritePath(.root), node.node(at: $0)) }
        case .merge(let place, let parts):
            if let rest = path.relative(place) { return .merge(rest, parts) }
            guard let below = place.relative(path) else { return nil }
            let child = parts.child(below)
            if let node = child.node { return .overwrite(WritePath(.root), node) }
            return child.isEmpty ? nil : .merge(.root, child)
        case .acknowledged(let place, let affected):
            if let rest = path.relative(place) { return .acknowledged(rest, affected) }
            return place.relative(path).flatMap { affected.seen(from: $0) }
                .map { .acknowledged(.root, $0) }
        case .reverted(let place):
            if let rest = place.relative(to: path) { return .reverted(rest) }
            return place.path.contains(path) && !place.isPriority
                ? .reverted(WritePath(.root)) : nil
        }
    }
}

extension AffectedPlaces {
    fileprivate func seen(from path: RealtimePath) -> AffectedPlaces? {
        switch self {
        case .all(isPriority: false): return self
        case .all(isPriority: true): return nil
        case .some(let write):
            let below = write.child(path)
            if below.node != nil { return .all(isPriority: false) }
            return below.isEmpty ? nil : .some(below)
        }
    }
}
