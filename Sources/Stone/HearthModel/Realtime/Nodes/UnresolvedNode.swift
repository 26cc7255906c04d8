/// A node as written: the server may still have to fill in leaves and priorities.
///
/// Storage keeps a `Node`, in which nothing is left open. Two types keep code from storing an
/// unresolved node.
package struct UnresolvedNode: Hashable, Sendable {
    /// One leaf or priority that is left to the server.
    package struct Place: Hashable, Sendable {
        /// The way to the node from the one that is written.
        package let path: RealtimePath
        /// Whether it is the priority of that node.
        package let isPriority: Bool
        /// The value that the server fills in.
        package let value: ServerValue

        /// Says what to fill in and where.
        ///
        /// - Parameters:
        ///   - path: The way to the node from the node that is written.
        ///   - isPriority: Whether the value is the priority of the node at `path`.
        ///   - value: The value that the server fills in.
        package init(_ path: RealtimePath, isPriority: Bool, value: ServerValue) {
            self.path = path
            self.isPriority = isPriority
            self.value = value
        }
    }

    /// The node, with `placeholder` at each leaf and priority that is left to the server.
    package let template: Node
    /// The places left to the server, in the order of paths; a leaf comes before its priority.
    package let places: [Place]

    /// A node that leaves nothing to the server.
    package init(_ node: Node) {
        template = node
        places = []
    }

    /// One leaf that is left to the server.
    package init(_ value: ServerValue, priority: LeafValue? = nil) {
        template = Node(Self.placeholder, priority: priority)
        places = [Place(.root, isPriority: false, value: value)]
    }

    /// Takes what a reader found.
    ///
    /// - Parameters:
    ///   - template: The node, with `placeholder` at each place.
    ///   - places: The places left to the server, in any order, none twice.
    package init(template: Node, places: [Place]) {
        self.template = template
        self.places = places.sorted {
            let result = RealtimePath.compare($0.path, $1.path)
            return result == 0 ? !$0.isPriority && $1.isPriority : result < 0
        }
    }

    /// The placeholder in the template where the server fills in.
    package static let placeholder = LeafValue.integer(0)

    /// The node, if nothing in it is left to the server.
    package var node: Node? { places.isEmpty ? template : nil }

    /// Whether writing it removes what is there.
    package var isEmpty: Bool { template.isEmpty }

    /// Whether writing it twice may differ from writing it once: the server adds to what is there.
    package var addsToWhatIsThere: Bool {
        places.contains { place in
            if case .increment = place.value { true } else { false }
        }
    }

    /// Whether it can be written as the priority of a node: a number or a string, or nothing.
    package var canBePriority: Bool { template.canBePriority }

    /// The node with another unresolved node laid over a place, by the rules of `Node.setting`.
    ///
    /// - Complexity: O(places left to the server), besides the cost of `Node.setting`.
    package func setting(_ path: RealtimePath, to other: UnresolvedNode) -> UnresolvedNode {
        let whole = template.setting(path, to: other.template)
        let kept = places.filter { place in
            guard !path.contains(place.path) else { return false }
            let node = whole.node(at: place.path)
            return place.isPriority ? node.priority != nil : node.isLeaf
        }
        let laid = other.places.map {
            Place(path.appending($0.path), isPriority: $0.isPriority, value: $0.value)
        }
        return UnresolvedNode(template: whole, places: kept + laid)
    }

    /// The node as it is stored.
    ///
    /// - Parameters:
    ///   - existing: The node stored at the place that is written.
    ///   - now: Milliseconds since 1970, the same for all of one request.
    package func resolved(over existing: Node, at now: Int64) -> Node {
        places.reduce(template) { node, place in
            let old = existing.node(at: place.path)
            let new = node.node(at: place.path)
            let leaf = place.value.resolved(
                over: place.isPriority ? old.priority : old.leaf, at: now)
            let filled =
                place.isPriority
                ? new.settingPriority(leaf) : Node(leaf, priority: new.priority)
            return node.setting(place.path, to: filled)
        }
    }
}

extension UnresolvedNode {
    /// The bytes of the node in export form, with `.sv` where the server fills in. O(n).
    package var exportJSON: [UInt8] {
        var bytes: [UInt8] = []
        writeExportJSON(to: &bytes)
        return bytes
    }

    /// Adds the same bytes to others. O(n).
    package func writeExportJSON(to bytes: inout [UInt8]) {
        var writer = UnresolvedWriter(places: places[...])
        writer.write(template, at: [], to: &bytes)
    }
}

/// Goes through a template in the order of its places, and puts each in where it is met.
private struct UnresolvedWriter {
    var places: ArraySlice<UnresolvedNode.Place>

    mutating func write(_ node: Node, at keys: [ChildKey], to bytes: inout [UInt8]) {
        guard let next = places.first, next.path.keys.starts(with: keys) else {
            return NodeWriter.write(node, as: .export, to: &bytes)
        }
        let value = take(at: keys, isPriority: false)
        let priority = take(at: keys, isPriority: true)
        let hasPriority = node.priority != nil
        if let leaf = node.leaf {
            bytes += (hasPriority ? #"{".value":"# : "").utf8
            write(value, or: leaf, to: &bytes)
            if !hasPriority { return }
        }
        bytes.append(node.isLeaf ? UInt8(ascii: ",") : UInt8(ascii: "{"))
        var isFirst = true
        if let literal = node.priority {
            bytes += #"".priority":"#.utf8
            write(priority, or: literal, to: &bytes)
            isFirst = false
        }
        for child in node.children {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            JSONWriter.write(child.key.text, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            write(child.node, at: keys + [child.key], to: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private mutating func take(at keys: [ChildKey], isPriority: Bool) -> ServerValue? {
        guard let next = places.first, next.isPriority == isPriority, next.path.keys == keys else {
            return nil
        }
        places.removeFirst()
        return next.value
    }

    private func write(_ value: ServerValue?, or leaf: LeafValue, to bytes: inout [UInt8]) {
        switch value {
        case nil: NodeWriter.write(leaf, to: &bytes)
        case .timestamp: bytes += #"{".sv":"timestamp"}"#.utf8
        case .increment(let delta):
            bytes += #"{".sv":{"increment":"#.utf8
            NodeWriter.write(delta, to: &bytes)
            bytes += "}}".utf8
        }
    }
}
