extension RealtimeChange {
    /// About how many bytes the change has as JSON. O(n).
    package var byteCount: Int {
        switch self {
        case .set(let place, let node): place.path.byteCount + node.byteCount
        case .update(let path, let parts):
            parts.reduce(path.byteCount) { $0 + $1.place.path.byteCount + $1.node.byteCount }
        }
    }
}

extension UnresolvedNode {
    /// About how many bytes the node has as JSON. O(n).
    package var byteCount: Int { NodeSize.estimate(template) + places.count * Self.placeByteCount }

    /// About how many bytes more than a leaf takes to leave the leaf to the server.
    private static let placeByteCount = 24
}
