import HearthModel

/// What was at a place at one moment. It never changes.
public struct DataSnapshot: Sendable {
    /// The place.
    public let ref: DatabaseReference
    let node: Node
    private let index: QueryIndex
    /// The children in the order of the query; `nil` if nobody has sorted them yet.
    private let sorted: IndexedNode?

    /// The node of a place, whose children are in the order of priorities.
    init(_ ref: DatabaseReference, _ node: Node, by index: QueryIndex = .priority) {
        self.ref = ref
        self.node = node
        self.index = index
        sorted = nil
    }

    /// The node that a query shows.
    init(_ ref: DatabaseReference, _ view: IndexedNode) {
        self.ref = ref
        node = view.node
        index = view.index
        sorted = view
    }

    /// The last key of the place; the empty string at the root.
    public var key: String { ref.key ?? "" }

    /// The value; `nil` if nothing is there.
    ///
    /// A value is a `String`, a `Bool`, an `Int` (each whole number that fits), a `Double`, a
    /// `[String: Any]` or an `[Any]`. Children whose keys are whole numbers come as an array if
    /// more than half of the array's places are taken; the other places hold `nil`.
    public var value: Any? { node.value }

    /// The value with priorities, in the form that `setValue` takes; `nil` if nothing is there.
    public func valueInExportFormat() -> Any? { node.exportValue }

    /// The priority: a `String`, an `Int`, a `Double`, or `nil`.
    public var priority: Any? { node.priority?.value }

    /// Whether anything is there.
    public func exists() -> Bool { !node.isEmpty }

    /// Whether there are children.
    public func hasChildren() -> Bool { node.childCount > 0 }

    /// How many children there are.
    public var childrenCount: UInt { UInt(node.childCount) }

    /// The children in the order of the query.
    public var children: DataSnapshotChildren {
        DataSnapshotChildren(of: ref, sorted ?? IndexedNode(node, by: index))
    }

    /// Whether anything is at a path below the place. What is no path leads to nothing.
    public func hasChild(_ childPathString: String) -> Bool {
        RealtimePath(childPathString).map { !node.node(at: $0).isEmpty } ?? false
    }

    /// What was at a path below the place.
    ///
    /// The program stops if the text is no path.
    public func childSnapshot(forPath childPathString: String) -> DataSnapshot {
        let child = ref.child(childPathString)
        return DataSnapshot(
            child, node.node(at: RealtimePath(child.path.keys.dropFirst(ref.path.depth))))
    }
}

extension DataSnapshot: CustomStringConvertible {
    /// The key, and the value as JSON with its priorities.
    public var description: String { "\(key): \(node)" }
}

/// The children of a snapshot, one after another.
///
/// A loop goes through them once. `nextObject()` and `allObjects` are the words of the class that
/// other libraries hand out here.
public final class DataSnapshotChildren: Sequence, IteratorProtocol {
    private let ref: DatabaseReference
    private let view: IndexedNode
    private var place = 0

    init(of ref: DatabaseReference, _ view: IndexedNode) {
        self.ref = ref
        self.view = view
    }

    /// How many children are left.
    public var underestimatedCount: Int { view.count - place }

    /// The next child; `nil` after the last.
    public func next() -> DataSnapshot? {
        guard let child = view.child(at: place) else { return nil }
        place += 1
        return DataSnapshot(
            DatabaseReference(database: ref.database, path: ref.path.appending(child.key)),
            child.node)
    }

    /// The next child; `nil` after the last.
    public func nextObject() -> DataSnapshot? { next() }

    /// The children that are left.
    public var allObjects: [DataSnapshot] { Array(self) }
}
