import HashTreeCollections
import HearthModel

/// The number that marks the server's messages about one filtered query.
package struct ListenTag: Hashable, Comparable, Sendable {
    /// The number, rising from 1.
    package let rawValue: Int

    /// Wraps a number.
    package init(_ rawValue: Int) {
        self.rawValue = rawValue
    }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// Which tag stands for which filtered query. A tag is never used twice.
struct TagTable: Sendable {
    private var targets: TreeDictionary<ListenTag, ListenTarget> = [:]
    private var tags: TreeDictionary<ListenTarget, ListenTag> = [:]
    private var lastTag = 0

    /// The query of a tag; `nil` if it has ended.
    subscript(tag: ListenTag) -> ListenTarget? { targets[tag] }

    /// The tag of a query; `nil` for one that has none.
    subscript(target: ListenTarget) -> ListenTag? { tags[target] }

    /// Gives a query a tag.
    mutating func add(_ target: ListenTarget) {
        precondition(tags[target] == nil, "The query has a tag already")
        lastTag += 1
        let tag = ListenTag(lastTag)
        targets[tag] = target
        tags[target] = tag
    }

    /// Forgets the tag of a query that has ended.
    mutating func remove(_ target: ListenTarget) {
        if let tag = tags.removeValue(forKey: target) { targets[tag] = nil }
    }
}
