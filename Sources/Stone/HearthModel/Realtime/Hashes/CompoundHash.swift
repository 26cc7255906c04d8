/// Hashes of stretches of a tree, from which a server learns which parts a client lacks.
///
/// Shape: the last leaf of each of n stretches that follow each other, and n + 1 hashes; the last
/// hash, "", says that nothing comes after. A stretch's text is `(` `)` around its leaves, each
/// within its keys: `"key":(` … `)`, siblings with a comma between.
///
/// - Source: firebase-android-sdk `snapshot/CompoundHash.java`.
package struct CompoundHash: Hashable, Sendable {
    /// The last leaf of each stretch.
    package let posts: [RealtimePath]
    /// A hash for each stretch, and one for what comes after all.
    package let hashes: [String]

    /// Takes what a peer sent.
    ///
    /// - Returns: `nil` if there is not one hash more than posts, or a post does not come after the one before.
    package init?(posts: [RealtimePath], hashes: [String]) {
        guard hashes.count == posts.count + 1, zip(posts, posts.dropFirst()).allSatisfy(<) else {
            return nil
        }
        self.posts = posts
        self.hashes = hashes
    }

    /// Computes the hashes of a tree, for stretches that are longer the larger it is. O(n).
    package init(of node: Node) {
        self.init(of: node, unitCountMax: Self.unitCountMax(of: node))
    }

    /// Computes the hashes of a tree.
    ///
    /// - Parameter unitCountMax: A stretch ends with the leaf whose text leads beyond so many units of UTF-16.
    init(of node: Node, unitCountMax: Int) {
        var hasher = StretchHasher(node, unitCountMax: unitCountMax)
        while hasher.step() {}
        self = hasher.hash
    }

    /// Takes stretches in their order.
    fileprivate init(stretches posts: [RealtimePath], _ hashes: [String]) {
        self.posts = posts
        self.hashes = hashes + [""]
    }

    /// How long stretches are for a tree, in units of UTF-16: the longer the larger it is.
    fileprivate static func unitCountMax(of node: Node) -> Int {
        max(512, Int((Double(max(1, NodeSize.estimate(node))) * 100).squareRoot()))
    }

    /// The stretches whose content in `node` differs from the hashed content, in order.
    ///
    /// No stretch ends right behind a `.priority`, since JSON cannot hold a priority alone: such a
    /// stretch goes on into the next one. No stretch begins right behind a leaf with a priority,
    /// since SDKs would take away the priority: such a stretch begins one leaf earlier. A node's
    /// priority is in no stretch if no key of the node's children comes after `.priority`. If two
    /// trees differ only in such a priority, the result is empty.
    package func differences(from node: Node) -> [NodeRange] {
        var finder = DifferenceFinder(hash: self)
        var walk = LeafWalk(node)
        while let leaf = walk.next() {
            finder.visit(leaf.value, priority: leaf.priority, at: leaf.path)
        }
        return finder.finish()
    }
}

/// Ends stretches where a peer's hashes do, and compares.
private struct DifferenceFinder {
    /// A stretch that has ended.
    private struct Ended {
        let range: NodeRange
        let differs: Bool
        /// Whether its last leaf has a priority.
        let endsWithPriority: Bool
    }

    private let hash: CompoundHash
    private var stretch = 0
    /// The last leaf before the stretches that have not been compared yet.
    private var start: RealtimePath?
    private var text = StretchText()
    private var lastHasPriority = false
    private var isJoined = false
    private var ended: [Ended] = []

    init(hash: CompoundHash) {
        self.hash = hash
    }

    mutating func visit(_ leaf: LeafValue, priority: LeafValue?, at path: RealtimePath) {
        while stretch < hash.posts.count, hash.posts[stretch] < path {
            if text.last?.last == NodeRange.priorityKey {
                isJoined = true
                stretch += 1
            } else {
                end(at: hash.posts[stretch])
            }
        }
        text.add(leaf, priority: priority, at: path)
        lastHasPriority = priority != nil
    }

    mutating func finish() -> [NodeRange] {
        while stretch < hash.posts.count { end(at: hash.posts[stretch]) }
        end(at: nil)
        var ranges: [NodeRange] = []
        var end: RealtimePath??
        for place in ended.indices.reversed() {
            guard end != nil || ended[place].differs else { continue }
            let through = end ?? ended[place].range.end
            if place > 0, ended[place - 1].endsWithPriority {
                end = .some(through)
            } else {
                ranges.append(NodeRange(after: ended[place].range.start, through: through))
                end = nil
            }
        }
        return ranges.reversed()
    }

    private mutating func end(at post: RealtimePath?) {
        let endsWithPriority = lastHasPriority && text.last == post
        let found = text.last == nil ? "" : text.finish()
        ended.append(
            Ended(
                range: NodeRange(after: start, through: post),
                differs: isJoined || found != hash.hashes[stretch],
                endsWithPriority: endsWithPriority))
        start = post
        stretch += 1
        isJoined = false
    }
}

/// Computes the hashes of a tree's stretches, a leaf at a time.
struct StretchHasher: Sendable {
    private let unitCountMax: Int
    private var walk: LeafWalk
    private var text = StretchText()
    private var posts: [RealtimePath] = []
    private var hashes: [String] = []

    /// Begins with the first leaf.
    ///
    /// - Parameter unitCountMax: A stretch ends with the leaf whose text leads beyond so many units
    ///   of UTF-16; `nil` for as many as suit the size of the tree.
    init(_ node: Node, unitCountMax: Int? = nil) {
        self.unitCountMax = unitCountMax ?? CompoundHash.unitCountMax(of: node)
        walk = LeafWalk(node)
    }

    /// Whether the tree has a priority in no stretch, as far as it was gone through. By stretches
    /// alone, a peer without the priority would not learn of it.
    var hasUntoldPriority: Bool { walk.hasUntoldPriority }

    /// The hashes, once there is no step left.
    var hash: CompoundHash { CompoundHash(stretches: posts, hashes) }

    /// Takes the next leaf.
    ///
    /// - Returns: Whether there was one.
    mutating func step() -> Bool {
        guard let leaf = walk.next() else {
            if let last = text.last { end(at: last) }
            return false
        }
        text.add(leaf.value, priority: leaf.priority, at: leaf.path)
        if text.unitCount > unitCountMax, leaf.path.last != NodeRange.priorityKey {
            end(at: leaf.path)
        }
        return true
    }

    private mutating func end(at post: RealtimePath) {
        posts.append(post)
        hashes.append(text.finish())
    }
}

/// The text of one stretch, as far as it has been put together.
private struct StretchText: Sendable {
    private var text: [UInt8] = []
    /// How many units of UTF-16 the text has.
    private(set) var unitCount = 0
    /// The last leaf in it; `nil` if there is none.
    private(set) var last: RealtimePath?

    mutating func add(_ leaf: LeafValue, priority: LeafValue?, at path: RealtimePath) {
        let start = text.count
        open(path)
        NodeHash.appendLeaf(leaf, priority: priority, to: &text, quoting: true)
        unitCount += Self.unitCount(of: text[start...])
        last = path
    }

    /// Closes the keys of the last leaf and opens the keys of the next leaf.
    private mutating func open(_ path: RealtimePath) {
        var common = 0
        if let last {
            while common < min(last.depth, path.depth), last.keys[common] == path.keys[common] {
                common += 1
            }
            text += [UInt8](repeating: UInt8(ascii: ")"), count: last.depth - common)
            text.append(UInt8(ascii: ","))
        } else {
            text.append(UInt8(ascii: "("))
        }
        for key in path.keys[common...] {
            NodeHash.appendQuoted(key.text, to: &text)
            text += ":(".utf8
        }
    }

    /// Ends the text, and begins the next one.
    ///
    /// - Returns: The hash of the text.
    mutating func finish() -> String {
        text += [UInt8](repeating: UInt8(ascii: ")"), count: (last?.depth ?? 0) + 1)
        let hash = SHA1.base64(of: text)
        self = StretchText()
        return hash
    }

    /// Two for each scalar of four bytes, one for each other.
    private static func unitCount(of bytes: ArraySlice<UInt8>) -> Int {
        bytes.reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : $1 >= 0xF0 ? 2 : 1) }
    }
}
