import HearthEngine
import HearthModel
import HearthProtocol
import HearthSQLite

/// Puts a node together from the rows of its place and of the places below, in their order.
///
/// The depth is bounded for any content of the rows: the places of rows nest no deeper than the
/// nodes in rows may.
struct ServerNodeBuilder {
    /// A place whose children come in turn.
    private struct Frame {
        /// The place's key in the frame before.
        let key: ChildKey?
        /// How many bytes its place has.
        let byteCount: Int
        var children: [(key: ChildKey, node: Node)] = []
        var priority: LeafValue?
    }

    /// The place of the last frame.
    private var place: [UInt8]
    private var frames: [Frame]
    /// What the row of the place itself holds, which is then the only row.
    private var whole: Node?

    /// Begins a node at a place.
    init(at place: [UInt8]) {
        self.place = place
        frames = [Frame(key: nil, byteCount: place.count)]
    }

    /// Takes the next row: a place and a node.
    ///
    /// - Throws: `StoreError.damaged` for a row that cannot be there.
    mutating func take(_ row: borrowing Row) throws(StoreError) {
        try take(row.lentBytes(0), row.lentBytes(1))
    }

    /// Takes the next row.
    ///
    /// - Throws: `StoreError.damaged` for a row that cannot be there.
    mutating func take(_ row: UnsafeRawBufferPointer, _ content: UnsafeRawBufferPointer)
        throws(StoreError)
    {
        guard whole == nil else { throw Self.damage }
        while frames.count > 1, !row.starts(with: place) { try close() }
        var index = frames[frames.count - 1].byteCount
        guard index < row.count else {
            guard frames.count == 1, isUntouched else { throw Self.damage }
            whole = try Self.node(from: content)
            return
        }
        while row[index] != PlaceBytes.priorityMark {
            let key = try PlaceBytes.key(in: row, at: &index)
            guard index < row.count else { return try add(key, try Self.node(from: content)) }
            guard frames.count < NodeBytes.depthMax else { throw Self.damage }
            frames.append(Frame(key: key, byteCount: index))
            place = Array(row[..<index])
        }
        guard index + 1 == row.count, isUntouched else { throw Self.damage }
        frames[frames.count - 1].priority = try Self.priority(from: content)
    }

    /// The node, once all rows were taken; empty if there were none.
    ///
    /// - Throws: `StoreError.damaged` for a priority of nothing.
    mutating func finish() throws(StoreError) -> Node {
        if let whole { return whole }
        while frames.count > 1 { try close() }
        let frame = frames[0]
        guard !frame.children.isEmpty || frame.priority == nil else { throw Self.damage }
        return Node(ordered: frame.children, priority: frame.priority)
    }

    /// The children that the rows so far tell whole: without the child that the next rows may go on with.
    var beginning: Node { Node(ordered: frames[0].children, priority: frames[0].priority) }

    /// Reads the content of a row that holds a node, into little memory.
    ///
    /// - Throws: `StoreError.damaged` for bytes that are not a node, or nothing.
    static func node(from bytes: UnsafeRawBufferPointer) throws(StoreError) -> Node {
        do throws(NodeBytes.Fault) {
            let node = try NodeBytes.readPacked(bytes)
            if !node.isEmpty { return node }
        } catch {
            throw .damaged("a node of the cache (\(error))")
        }
        throw damage
    }

    private static func priority(from bytes: UnsafeRawBufferPointer) throws(StoreError)
        -> LeafValue
    {
        let node = try node(from: bytes)
        guard let leaf = node.leaf, leaf.canBePriority, node.priority == nil else { throw damage }
        return leaf
    }

    /// Whether nothing was taken for the last frame.
    private var isUntouched: Bool {
        let frame = frames[frames.count - 1]
        return frame.children.isEmpty && frame.priority == nil
    }

    private mutating func add(_ key: ChildKey, _ node: Node) throws(StoreError) {
        // A row of a place has no rows below, and there is one of each place, in order.
        let last = frames.count - 1
        if let before = frames[last].children.last?.key, !(before < key) { throw Self.damage }
        frames[last].children.append((key, node))
    }

    /// Ends the last frame, which becomes a child of the frame before.
    private mutating func close() throws(StoreError) {
        let frame = frames.removeLast()
        guard let key = frame.key, !frame.children.isEmpty else { throw Self.damage }
        place.removeSubrange(frames[frames.count - 1].byteCount...)
        try add(key, Node(ordered: frame.children, priority: frame.priority))
    }

    private static var damage: StoreError { .damaged("the cache holds a place twice") }
}
