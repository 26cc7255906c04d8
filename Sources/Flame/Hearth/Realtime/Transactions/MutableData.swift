import HearthModel

/// What a transaction's block reads and changes: a node, or a place below one.
///
/// All `MutableData` of one run share a node, so a change of a child shows in the parent.
public final class MutableData {
    /// The node that all `MutableData` of one run share.
    private final class Holder {
        var node: UnresolvedNode

        init(_ node: UnresolvedNode) {
            self.node = node
        }
    }

    private let holder: Holder
    /// The place of the transaction.
    private let base: RealtimePath
    /// The way from there to this place.
    private let path: RealtimePath
    /// Remembers the first value that cannot be written. The transaction then fails with the error.
    private let faults: Faults

    private final class Faults {
        var first: DatabaseError?
    }

    private init(_ parent: MutableData, _ path: RealtimePath) {
        holder = parent.holder
        base = parent.base
        faults = parent.faults
        self.path = path
    }

    /// What is at a place now.
    init(_ node: Node, at base: RealtimePath) {
        holder = Holder(UnresolvedNode(node))
        self.base = base
        path = .root
        faults = Faults()
    }

    /// The last key of the place; `nil` at the root.
    public var key: String? { base.appending(path).last?.text }

    private var node: Node { holder.node.template.node(at: path) }

    /// The value, as in `DataSnapshot`; `nil` if nothing is there.
    ///
    /// A new value replaces all at the place and its priority. A value that cannot be written makes
    /// the transaction fail.
    public var value: Any? {
        get { node.value }
        set {
            write { () throws(DatabaseError) in
                let read = try UserNode.read(newValue, at: base.appending(path))
                return holder.node.setting(path, to: read)
            }
        }
    }

    /// The priority: a `String`, a number, or `nil`. What is not there cannot have one.
    public var priority: Any? {
        get { node.priority?.value }
        set {
            write { () throws(DatabaseError) in
                let read = try UserNode.readPriority(newValue, at: base.appending(path))
                return holder.node.settingPriority(of: path, to: read)
            }
        }
    }

    private func write(_ change: () throws(DatabaseError) -> UnresolvedNode) {
        do throws(DatabaseError) {
            holder.node = try change()
        } catch {
            faults.first = faults.first ?? error
        }
    }

    /// Whether there are children.
    public func hasChildren() -> Bool { node.childCount > 0 }

    /// Whether anything is at a path below the place. What is no path leads to nothing.
    public func hasChild(atPath path: String) -> Bool {
        RealtimePath(path).map { !node.node(at: $0).isEmpty } ?? false
    }

    /// A place below this place, by a path.
    ///
    /// The program stops if the text is no path.
    public func childData(byAppendingPath path: String) -> MutableData {
        guard let way = RealtimePath(path), !way.isInfo else {
            preconditionFailure("\"\(path)\" is no path of the Realtime Database")
        }
        return MutableData(self, self.path.appending(way))
    }

    /// How many children there are.
    public var childrenCount: UInt { UInt(node.childCount) }

    /// The children, as they are now, in the order of priorities and then of keys.
    public var children: MutableDataChildren {
        MutableDataChildren(of: self, IndexedNode(node, by: .priority))
    }

    fileprivate func child(_ key: ChildKey) -> MutableData {
        MutableData(self, path.appending(key))
    }

    /// What the transaction is to write at its place.
    ///
    /// - Throws: The error of the first value that cannot be written.
    func proposal() throws(DatabaseError) -> UnresolvedNode {
        if let fault = faults.first { throw fault }
        return holder.node.node(at: path)
    }
}

/// The children of a `MutableData`, one after another.
///
/// A loop goes through them once, as through `DataSnapshotChildren`. A change meanwhile takes no child
/// away from the loop, and adds none.
public final class MutableDataChildren: Sequence, IteratorProtocol {
    private let data: MutableData
    private let view: IndexedNode
    private var place = 0

    fileprivate init(of data: MutableData, _ view: IndexedNode) {
        self.data = data
        self.view = view
    }

    /// How many children are left.
    public var underestimatedCount: Int { view.count - place }

    /// The next child; `nil` after the last.
    public func next() -> MutableData? {
        guard let child = view.child(at: place) else { return nil }
        place += 1
        return data.child(child.key)
    }

    /// The next child; `nil` after the last.
    public func nextObject() -> MutableData? { next() }

    /// The children that are left.
    public var allObjects: [MutableData] { Array(self) }
}

/// What a transaction's block decides.
public struct TransactionResult {
    /// What is to be written; `nil` if the transaction ends without a write.
    let data: MutableData?

    /// Writes the data, which the block was given.
    public static func success(withValue value: MutableData) -> TransactionResult {
        TransactionResult(data: value)
    }

    /// Ends the transaction. Nothing is written.
    public static func abort() -> TransactionResult {
        TransactionResult(data: nil)
    }
}
