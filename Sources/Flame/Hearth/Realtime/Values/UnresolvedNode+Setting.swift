import HearthModel

/// Changing a node as written, in which places are left to the server.
extension UnresolvedNode {
    /// The node at a path below.
    func node(at path: RealtimePath) -> UnresolvedNode {
        let below = places.compactMap { place in
            path.relative(place.path).map {
                Place($0, isPriority: place.isPriority, value: place.value)
            }
        }
        return UnresolvedNode(template: template.node(at: path), places: below)
    }

    /// The node with what a path leads to replaced, by the rules of `Node.setting`.
    func setting(_ path: RealtimePath, to node: UnresolvedNode) -> UnresolvedNode {
        let template = template.setting(path, to: node.template)
        let others = places.filter { !path.contains($0.path) }
        let new = node.places.map {
            Place(path.appending($0.path), isPriority: $0.isPriority, value: $0.value)
        }
        return UnresolvedNode(
            template: template,
            places: (others + new).filter { Self.isThere($0, in: template) })
    }

    /// The node, with another priority for the place that a path leads to.
    ///
    /// - Parameter priority: A leaf, a value of the server, or nothing.
    func settingPriority(of path: RealtimePath, to priority: UnresolvedNode) -> UnresolvedNode {
        let template = template.setting(
            WritePath(path, isPriority: true), to: priority.template)
        let others = places.filter { !($0.isPriority && $0.path == path) }
        let new = priority.places.map { Place(path, isPriority: true, value: $0.value) }
        return UnresolvedNode(
            template: template,
            places: (others + new).filter { Self.isThere($0, in: template) })
    }

    /// Whether the template still has what the server is to fill in.
    private static func isThere(_ place: Place, in template: Node) -> Bool {
        let node = template.node(at: place.path)
        return place.isPriority ? node.priority != nil : node.isLeaf
    }
}
