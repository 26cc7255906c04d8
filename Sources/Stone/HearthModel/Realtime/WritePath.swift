/// What a write names: a node, or the priority of one, which ends in `/.priority`.
///
/// Nothing under `.info` can be named.
package struct WritePath: Hashable, Sendable, CustomStringConvertible {
    /// Where the node is.
    package let path: RealtimePath
    /// Whether just its priority is written.
    package let isPriority: Bool

    /// Names a node, or its priority.
    package init(_ path: RealtimePath, isPriority: Bool = false) {
        self.path = path
        self.isPriority = isPriority
    }

    /// Reads a path of a request; `nil` if it is none, or leads to `.info`.
    package init?(_ text: String) {
        let suffix = "/.priority"
        let isPriority = text.utf8HasSuffix(suffix) || text == ".priority"
        let ending = text == ".priority" ? text : suffix
        let node = isPriority ? String(text.utf8.dropLast(ending.utf8.count)) : text
        guard let node, let path = RealtimePath(node), !path.isInfo else { return nil }
        self.path = path
        self.isPriority = isPriority
    }

    /// The same place, seen from one further up.
    package func below(_ parent: RealtimePath) -> WritePath {
        WritePath(parent.appending(path), isPriority: isPriority)
    }

    /// The same place, seen from one at or above it; `nil` if that lies elsewhere.
    package func relative(to parent: RealtimePath) -> WritePath? {
        parent.contains(path) ? dropFirst(parent.depth) : nil
    }

    /// The same place, seen from so many keys further down its own way.
    package func dropFirst(_ count: Int) -> WritePath {
        WritePath(RealtimePath(path.keys.dropFirst(count)), isPriority: isPriority)
    }

    /// Whether another place is the same or lies below, so that a write cannot name both places.
    package func covers(_ other: WritePath) -> Bool {
        if isPriority { return other.isPriority && path == other.path }
        return path.contains(other.path)
    }

    /// Orders two places, a place before every place that it covers: negative, zero or positive.
    package static func compare(_ lhs: WritePath, _ rhs: WritePath) -> Int {
        let result = RealtimePath.compare(lhs.path, rhs.path)
        return result == 0 ? (lhs.isPriority ? 1 : 0) - (rhs.isPriority ? 1 : 0) : result
    }

    /// The place without a slash in front.
    package var bareText: String {
        guard isPriority else { return path.bareText }
        return path.isRoot ? ".priority" : path.bareText + "/.priority"
    }

    package var description: String {
        guard isPriority else { return path.description }
        return path.isRoot ? "/.priority" : path.description + "/.priority"
    }

    /// How many bytes `description` has.
    package var textByteCount: Int {
        guard isPriority else { return path.byteCount + 1 }
        return "/.priority".utf8.count + (path.isRoot ? 0 : path.byteCount + 1)
    }

    /// Adds the bytes of `description` to others, without a text in between.
    package func writeText(to bytes: inout [UInt8]) {
        if !isPriority || !path.isRoot { path.writeText(to: &bytes) }
        if isPriority { bytes += "/.priority".utf8 }
    }
}
