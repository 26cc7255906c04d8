import HashTreeCollections
import HearthModel

/// The hashes of the data that large listens know. No hash is computed twice, or while somebody
/// waits.
///
///     told --looked at--> due --the same at the next look--> hashing --slices--> hashed --> stored
///                          ^                                    |                  |
///                          +------------- the data changed -----+------------------+
///
/// Whether the data changed is told by the data itself: a hash is kept with its tree, and two
/// versions of one tree are compared in proportion to their difference.
struct KeptHashes: Sendable {
    /// How long data must be the same before it is hashed.
    static let lookPause = Duration.seconds(10)
    /// How many bytes of data may be hashed in a second of waiting.
    static let byteCountPerSecond = 100_000
    /// How long the engine pauses between slices for other work.
    static let slicePause = Duration.milliseconds(3)
    /// How many nodes one slice hashes.
    static let sliceCountMax = 1_000
    /// Of how many listens hashes are kept.
    static let countMax = 256

    private struct Row: Sendable {
        let node: Node
        let hash: ListenHash
    }

    private struct Run: Sendable {
        let target: ListenTarget
        var hashing: ListenHashing
    }

    /// Smaller data is hashed when it is asked for.
    private let byteCountMin: Int
    private var rows: TreeDictionary<ListenTarget, Row> = [:]
    /// What is to be hashed if it is still the same at the next look.
    private var due: TreeDictionary<ListenTarget, Node> = [:]
    private var run: Run?
    /// Whether a look is to come.
    var isScheduled = false
    /// Whether hashes may be stored: memory and disk have the same data.
    var isTrusted = true
    /// How many nodes were hashed so far: the cost of all hashes.
    private(set) var hashedCount = 0

    /// No hash.
    init(byteCountMin: Int) {
        self.byteCountMin = byteCountMin
    }

    private func isKept(_ target: ListenTarget, _ node: Node) -> Bool {
        target.query.isComplete && NodeSize.estimate(node) >= byteCountMin
            && (rows[target] != nil || rows.count + due.count < Self.countMax)
    }

    /// The hash of a listen's known data. O(n) if it is not kept.
    mutating func hash(of target: ListenTarget, knowing node: Node) -> ListenHash {
        if let row = rows[target], row.node == node { return row.hash }
        var hashing = ListenHashing(node)
        guard let hash = hashing.advance(by: .max) else { preconditionFailure("No hash") }
        hashedCount += hashing.hashedCount
        guard isKept(target, node) else { return hash }
        due[target] = nil
        rows[target] = Row(node: node, hash: hash)
        return hash
    }

    /// The disk has the hash of a listen's known data.
    mutating func restore(_ hash: ListenHash, of target: ListenTarget, knowing node: Node) {
        if isKept(target, node) { rows[target] = Row(node: node, hash: hash) }
    }

    /// A listen was told all.
    mutating func told(_ target: ListenTarget, _ node: Node) {
        if rows[target] == nil, isKept(target, node) { due[target] = node }
    }

    /// A listen has ended.
    mutating func remove(_ target: ListenTarget) {
        rows[target] = nil
        due[target] = nil
        if run?.target == target { run = nil }
    }

    /// Whether nothing is kept or to be hashed.
    var isEmpty: Bool { rows.isEmpty && due.isEmpty && run == nil }

    /// The hashes that may be stored: of listens that know what was hashed.
    func storable(_ known: (ListenTarget) -> Node) -> [(target: ListenTarget, hash: ListenHash)] {
        guard isTrusted, run == nil else { return [] }
        return rows.filter { known($0.key) == $0.value.node }.map { ($0.key, $0.value.hash) }
    }

    /// Hashes a slice, or looks for what is to be hashed.
    ///
    /// - Parameter known: What a listen knows.
    /// - Returns: How long to wait for the next step; `nil` if there is none.
    mutating func step(_ known: (ListenTarget) -> Node) -> Duration? {
        if hashSlice(known) { return Self.slicePause }
        for (target, row) in rows where known(target) != row.node {
            rows[target] = nil
            due[target] = known(target)
        }
        for (target, seen) in due.sorted(by: { $0.key.path < $1.key.path }) {
            let node = known(target)
            if node == seen, run == nil {
                due[target] = nil
                run = Run(target: target, hashing: ListenHashing(node))
            } else {
                due[target] = node
            }
        }
        if run != nil { return Self.slicePause }
        return due.isEmpty ? nil : pause
    }

    /// The larger what is due, the longer it must stay the same.
    private var pause: Duration {
        let byteCount = due.values.reduce(0) { $0 + NodeSize.estimate($1) }
        return max(Self.lookPause, .seconds(byteCount / Self.byteCountPerSecond))
    }

    /// - Returns: Whether there is more to hash of the same.
    private mutating func hashSlice(_ known: (ListenTarget) -> Node) -> Bool {
        guard var next = run else { return false }
        run = nil
        let node = known(next.target)
        guard node == next.hashing.node else {
            due[next.target] = node
            return false
        }
        let before = next.hashing.hashedCount
        let hash = next.hashing.advance(by: Self.sliceCountMax)
        hashedCount += next.hashing.hashedCount - before
        guard let hash else {
            run = next
            return true
        }
        rows[next.target] = Row(node: node, hash: hash)
        return false
    }
}
