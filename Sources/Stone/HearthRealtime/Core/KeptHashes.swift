import HashTreeCollections
import HearthModel

/// The hashes of the data that large listens know. No hash is computed twice, or within one turn
/// while the data rests.
///
///     told --looked at--> due --the same at the next look--> hashing --slices--> hashed --> stored
///                          ^                                    |                  |
///                          +------------- the data changed -----+------------------+
///
/// A listen that is asked for without a kept hash waits: its data is hashed next, slice after slice
/// without a pause, and the engine sends the listen with the hash.
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
    /// How often the hashing for a waiting listen begins again because the data changed. After that
    /// the hash is computed at once.
    static let restartCountMax = 3
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
    /// The listens that wait for their hashes, each with how often its hashing began again.
    private var awaited: TreeDictionary<ListenTarget, Int> = [:]
    /// The listens that waited and whose hashes are there now.
    private var answered: [ListenTarget] = []
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

    private func isLarge(_ target: ListenTarget, _ node: Node) -> Bool {
        target.query.isComplete && NodeSize.estimate(node) >= byteCountMin
    }

    private func isKept(_ target: ListenTarget, _ node: Node) -> Bool {
        isLarge(target, node) && (rows[target] != nil || rows.count + due.count < Self.countMax)
    }

    /// The waiting listens whose data has changed while the data was hashed.
    var restless: [ListenTarget] { awaited.filter { $0.value > 0 }.map(\.key) }

    /// Whether some listen waits for its hash.
    var isAwaited: Bool { !awaited.isEmpty }

    /// The hash of a listen's known data; `nil` for large data whose hash is not kept: the listen then
    /// waits until `step` has computed the hash, and `takeAnswered` names the listen.
    mutating func hash(of target: ListenTarget, knowing node: Node) -> ListenHash? {
        if let row = rows[target], row.node == node {
            awaited[target] = nil
            if rows.count > Self.countMax { rows[target] = nil }
            return row.hash
        }
        guard isLarge(target, node) else {
            awaited[target] = nil
            return computed(node)
        }
        due[target] = nil
        if awaited[target] == nil { awaited[target] = 0 }
        return nil
    }

    /// The listens that waited for hashes which are there now. Each is named once.
    mutating func takeAnswered() -> [ListenTarget] {
        defer { answered = [] }
        return answered
    }

    private mutating func computed(_ node: Node) -> ListenHash {
        var hashing = ListenHashing(node)
        guard let hash = hashing.advance(by: .max) else { preconditionFailure("No hash") }
        hashedCount += hashing.hashedCount
        return hash
    }

    /// The disk has the hash of a listen's known data.
    mutating func restore(_ hash: ListenHash, of target: ListenTarget, knowing node: Node) {
        if isKept(target, node) { rows[target] = Row(node: node, hash: hash) }
    }

    /// A listen was told all.
    mutating func told(_ target: ListenTarget, _ node: Node) {
        guard rows[target] == nil, awaited[target] == nil, isKept(target, node) else { return }
        due[target] = node
    }

    /// A listen has ended.
    mutating func remove(_ target: ListenTarget) {
        rows[target] = nil
        due[target] = nil
        awaited[target] = nil
        if run?.target == target { run = nil }
    }

    /// Whether nothing is kept or to be hashed.
    var isEmpty: Bool { rows.isEmpty && due.isEmpty && awaited.isEmpty && run == nil }

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
        beginAwaited(known)
        if hashSlice(known) || isAwaited { return isAwaited ? .zero : Self.slicePause }
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

    /// Lets a waiting listen's data be the next to be hashed.
    private mutating func beginAwaited(_ known: (ListenTarget) -> Node) {
        guard run.map({ awaited[$0.target] == nil }) ?? true,
            let target = awaited.keys.min(by: { $0.path < $1.path })
        else { return }
        if let run { due[run.target] = run.hashing.node }
        run = Run(target: target, hashing: ListenHashing(known(target)))
    }

    /// - Returns: Whether there is more to hash of the same.
    private mutating func hashSlice(_ known: (ListenTarget) -> Node) -> Bool {
        guard var next = run else { return false }
        run = nil
        let node = known(next.target)
        guard node == next.hashing.node else { return beginAnew(next.target, node) }
        let before = next.hashing.hashedCount
        let hash = next.hashing.advance(by: Self.sliceCountMax)
        hashedCount += next.hashing.hashedCount - before
        guard let hash else {
            run = next
            return true
        }
        finish(next.target, node, hash)
        return false
    }

    /// The data has changed while it was hashed.
    ///
    /// - Returns: Whether the hashing goes on.
    private mutating func beginAnew(_ target: ListenTarget, _ node: Node) -> Bool {
        guard let count = awaited[target] else {
            due[target] = node
            return false
        }
        guard count < Self.restartCountMax else {
            finish(target, node, computed(node))
            return false
        }
        awaited[target] = count + 1
        run = Run(target: target, hashing: ListenHashing(node))
        return true
    }

    private mutating func finish(_ target: ListenTarget, _ node: Node, _ hash: ListenHash) {
        rows[target] = Row(node: node, hash: hash)
        if awaited.removeValue(forKey: target) != nil { answered.append(target) }
    }
}
