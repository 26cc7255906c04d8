package import HearthModel

/// The number of a pending write, rising in the order of writing.
package struct WriteID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number.
    package let rawValue: Int64

    /// Wraps a number.
    package init(_ rawValue: Int64) {
        self.rawValue = rawValue
    }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

    package var description: String { "\(rawValue)" }
}

/// A write that the server has not answered, as it is expected to come out.
package struct PendingWrite: Hashable, Sendable {
    /// Its number.
    package let id: WriteID
    /// Where it was made: the place of a set, or the one from which an update's paths count.
    package let path: RealtimePath
    /// The places and nodes of the write, seen from `path`.
    package let content: CompoundWrite
    /// Whether it is an update of several places rather than the set of one.
    package let isMerge: Bool
    /// Whether listeners see it. A transaction's own writes may be hidden.
    package let isVisible: Bool

    /// The set of one place, which may be a priority.
    ///
    /// - Parameters:
    ///   - id: The write's number.
    ///   - place: The place, or the priority of the place.
    ///   - node: The new node; empty to delete.
    ///   - isVisible: Whether listeners see the write. A transaction's own writes may be hidden.
    package init(_ id: WriteID, set place: WritePath, to node: Node, isVisible: Bool = true) {
        self.id = id
        path = place.path
        content =
            place.isPriority
            ? CompoundWrite([(WritePath(.root, isPriority: true), node)]) : CompoundWrite(node)
        isMerge = false
        self.isVisible = isVisible
    }

    /// The update of several places below a common place.
    ///
    /// - Parameters:
    ///   - id: The write's number.
    ///   - path: The place from which the update's paths count.
    ///   - parts: The places below `path` with their new nodes.
    package init(_ id: WriteID, update path: RealtimePath, _ parts: [CompoundWrite.Part]) {
        self.id = id
        self.path = path
        content = CompoundWrite(parts)
        isMerge = true
        isVisible = true
    }

    /// The places and nodes of the write, by full places.
    package var parts: [CompoundWrite.Part] {
        if let node = content.node { return [(WritePath(path), node)] }
        return content.parts.map { ($0.place.below(path), $0.node) }
    }

    /// Some of the write's parts, as a write of the same number; `nil` for none.
    ///
    /// - Parameter isWanted: Whether to take the part of a place, by its full place.
    func parts(where isWanted: (WritePath) -> Bool) -> PendingWrite? {
        guard isMerge else { return parts.allSatisfy { isWanted($0.place) } ? self : nil }
        let wanted = content.parts.filter { isWanted($0.place.below(path)) }
        return wanted.isEmpty ? nil : PendingWrite(id, update: path, wanted)
    }

    /// Its name.
    package var name: WriteName {
        WriteName(id, at: path, naming: content.parts.map(\.place), isMerge: isMerge)
    }
}
