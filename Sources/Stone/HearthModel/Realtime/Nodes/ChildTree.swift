/// The children of a node in the order of their keys: a copy is free, a change copies a page or two.
///
/// Shape: a B+ tree. Its leaves are pages of up to 16 children side by side, since a million small nodes
/// would pay for an object each otherwise. A tree is never empty, and all its pages lie equally deep.
/// All operations O(log n).
enum ChildTree: Sendable {
    case page(Page)
    case branch(Branch)

    /// One child. Its node is never empty.
    struct Child: Sendable {
        let key: ChildKey
        let node: Node
    }

    /// Trees side by side, all of one height.
    final class Branch: Sendable {
        /// The least key of each tree.
        let keys: [ChildKey]
        let trees: [ChildTree]
        /// How many children there are up to the end of each tree.
        let ends: [Int]
        let hasPriorities: Bool
        let byteCount: Int

        init(_ trees: [ChildTree]) {
            self.trees = trees
            keys = trees.map(\.firstKey)
            var end = 0
            ends = trees.map { tree in
                end += tree.count
                return end
            }
            hasPriorities = trees.contains(where: \.hasPriorities)
            byteCount = trees.reduce(0) { $0 + $1.byteCount }
        }

        /// Copies a branch with one tree replaced; reads only that tree, not the others.
        init(_ old: Branch, replacing place: Int, with tree: ChildTree) {
            var trees = old.trees
            trees[place] = tree
            self.trees = trees
            let first = tree.firstKey
            keys = first == old.keys[place] ? old.keys : Self.replacing(old.keys, place, first)
            byteCount = old.byteCount + tree.byteCount - old.trees[place].byteCount
            let growth = tree.count - old.trees[place].count
            ends = growth == 0 ? old.ends : Self.growing(old.ends, from: place, by: growth)
            hasPriorities =
                tree.hasPriorities || old.hasPriorities && trees.contains(where: \.hasPriorities)
        }

        private static func replacing(
            _ keys: [ChildKey], _ place: Int, _ key: ChildKey
        ) -> [ChildKey] {
            var keys = keys
            keys[place] = key
            return keys
        }

        private static func growing(_ ends: [Int], from place: Int, by growth: Int) -> [Int] {
            var ends = ends
            for index in place..<ends.count { ends[index] += growth }
            return ends
        }
    }

    /// How many children a page has, or trees a branch, before it is cut in two.
    static let widthMax = 16
    /// Below so many a page or a branch is joined with its neighbour.
    private static let widthMin = 4

    /// Takes children in order, none twice; there must be some. O(n).
    init(sorted children: [Child]) {
        self.init(count: children.count) { Array(children[$0]) }
    }

    /// Takes children in order, none twice, some at a time; there must be some. O(n).
    init(count: Int, _ children: (Range<Int>) -> [Child]) {
        precondition(count > 0, "A tree of no children")
        guard count > Self.widthMax else {
            self = .page(Page(children(0..<count)))
            return
        }
        var level = Self.cut(count).map { ChildTree.page(Page(children($0))) }
        while level.count > 1 {
            level = Self.cut(level).map { .branch(Branch($0)) }
        }
        self = level[0]
    }

    /// How many children there are. O(1).
    var count: Int {
        switch self {
        case .page(let page): page.children.count
        case .branch(let branch): branch.ends[branch.ends.count - 1]
        }
    }

    /// Whether a child has a priority. O(1), but for the children of one page.
    var hasPriorities: Bool {
        switch self {
        case .page(let page): page.children.contains { $0.node.priority != nil }
        case .branch(let branch): branch.hasPriorities
        }
    }

    /// About how many bytes the children have as JSON, with their keys. O(1).
    var byteCount: Int {
        switch self {
        case .page(let page): page.byteCount
        case .branch(let branch): branch.byteCount
        }
    }

    var firstKey: ChildKey {
        switch self {
        case .page(let page): page.children[0].key
        case .branch(let branch): branch.keys[0]
        }
    }

    /// The child's node, or `nil` if there is none of this key.
    func find(_ key: ChildKey) -> Node? {
        switch self {
        case .branch(let branch): return branch.trees[Self.place(of: key, in: branch)].find(key)
        case .page(let page):
            let index = Self.lowerBound(of: key, in: page.children)
            return index < page.children.count && page.children[index].key == key
                ? page.children[index].node : nil
        }
    }

    /// The place of the first child whose key is `key` or comes after; `count` if there is none.
    func index(atOrAfter key: ChildKey) -> Int {
        var tree = self
        var before = 0
        while true {
            switch tree {
            case .page(let page):
                return before + Self.lowerBound(of: key, in: page.children)
            case .branch(let branch):
                let place = Self.place(of: key, in: branch)
                before += place == 0 ? 0 : branch.ends[place - 1]
                tree = branch.trees[place]
            }
        }
    }

    /// The page that holds a place, and where in it.
    func page(at index: Int) -> (children: [Child], offset: Int) {
        var tree = self
        var rest = index
        while true {
            switch tree {
            case .page(let page): return (page.children, rest)
            case .branch(let branch):
                let place = branch.ends.firstIndex { $0 > rest } ?? branch.ends.count - 1
                rest -= place == 0 ? 0 : branch.ends[place - 1]
                tree = branch.trees[place]
            }
        }
    }

    /// The tree with a child inserted; the child replaces an old child of the same key.
    func setting(_ child: Child) -> ChildTree {
        if let tree = replacing(child) { return tree }
        let trees = placing(child)
        return trees.count == 1 ? trees[0] : .branch(Branch(trees))
    }

    /// The tree without the child of this key; `nil` if none is left.
    func removing(_ key: ChildKey) -> ChildTree? {
        var tree = taking(key)
        while case .branch(let branch) = tree, branch.trees.count == 1 { tree = branch.trees[0] }
        return tree
    }

    /// The tree of the same shape with another child of a key; `nil` if there is no child of that key.
    private func replacing(_ child: Child) -> ChildTree? {
        switch self {
        case .page(let page):
            let index = Self.lowerBound(of: child.key, in: page.children)
            guard index < page.children.count, page.children[index].key == child.key else {
                return nil
            }
            return .page(Page(page, replacing: index, with: child))
        case .branch(let branch):
            let place = Self.place(of: child.key, in: branch)
            guard let tree = branch.trees[place].replacing(child) else { return nil }
            return .branch(Branch(branch, replacing: place, with: tree))
        }
    }

    /// The tree with a child of a key that was not there: one tree of the same height, or two if it
    /// grew too wide.
    private func placing(_ child: Child) -> [ChildTree] {
        switch self {
        case .page(let page):
            let index = Self.lowerBound(of: child.key, in: page.children)
            return Self.splice([child], over: index..<index, of: page.children)
                .map { .page(Page($0)) }
        case .branch(let branch):
            let place = Self.place(of: child.key, in: branch)
            let trees = branch.trees[place].placing(child)
            if trees.count == 1 {
                return [.branch(Branch(branch, replacing: place, with: trees[0]))]
            }
            return Self.splice(trees, over: place..<place + 1, of: branch.trees)
                .map { .branch(Branch($0)) }
        }
    }

    /// A tree of the same height, which may be too narrow; `nil` if nothing is left.
    private func taking(_ key: ChildKey) -> ChildTree? {
        switch self {
        case .page(let page):
            let children = page.children
            let index = Self.lowerBound(of: key, in: children)
            guard index < children.count, children[index].key == key else { return self }
            let rest = Self.splice([], over: index..<index + 1, of: children)[0]
            return rest.isEmpty ? nil : .page(Page(rest))
        case .branch(let branch):
            let place = Self.place(of: key, in: branch)
            let tree = branch.trees[place].taking(key)
            if let tree, tree.width >= Self.widthMin {
                return .branch(Branch(branch, replacing: place, with: tree))
            }
            let trees = Self.splice(
                tree.map { [$0] } ?? [], over: place..<place + 1, of: branch.trees)[0]
            return trees.isEmpty ? nil : .branch(Branch(Self.widened(trees, at: place)))
        }
    }

    /// Joins the tree at a place with a neighbour if the tree is too narrow.
    private static func widened(_ trees: [ChildTree], at place: Int) -> [ChildTree] {
        guard place < trees.count, trees.count > 1, trees[place].width < widthMin else {
            return trees
        }
        let first = max(0, place - 1)
        return trees[..<first] + join(trees[first], trees[first + 1]) + trees[(first + 2)...]
    }

    private var width: Int {
        switch self {
        case .page(let page): page.children.count
        case .branch(let branch): branch.trees.count
        }
    }

    /// One tree of both, or two of nearly one width.
    private static func join(_ left: ChildTree, _ right: ChildTree) -> [ChildTree] {
        switch (left, right) {
        case (.page(let first), .page(let second)):
            cut(first.children + second.children).map { .page(Page($0)) }
        case (.branch(let first), .branch(let second)):
            cut(first.trees + second.trees).map { .branch(Branch($0)) }
        case (.page, .branch), (.branch, .page):
            preconditionFailure("A tree's sides differ in height")
        }
    }

    /// The elements with some put in, in two parts if there are too many for one.
    ///
    /// Elements that grew at the end are cut just before the end. Rising keys, such as push keys,
    /// so leave full pages behind.
    private static func splice<T>(_ new: [T], over range: Range<Int>, of all: [T]) -> [[T]] {
        var result: [T] = []
        let count = all.count - range.count + new.count
        result.reserveCapacity(count)
        result += all[..<range.lowerBound]
        result += new
        result += all[range.upperBound...]
        guard count > widthMax else { return [result] }
        let isAtEnd = range.upperBound == all.count
        let middle = isAtEnd ? count - 1 : count / 2
        return [Array(result[..<middle]), Array(result[middle...])]
    }

    /// The elements in as few parts as may be, all of nearly one width.
    private static func cut<T>(_ all: [T]) -> [[T]] { cut(all.count).map { Array(all[$0]) } }

    private static func cut(_ all: Int) -> [Range<Int>] {
        let count = (all + widthMax - 1) / widthMax
        return (0..<count).map { (all * $0 / count)..<(all * ($0 + 1) / count) }
    }

    /// The tree of a branch in which a key is or would be.
    private static func place(of key: ChildKey, in branch: Branch) -> Int {
        var low = 1
        var high = branch.keys.count
        while low < high {
            let middle = (low + high) / 2
            if ChildKey.compare(branch.keys[middle], key) <= 0 {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low - 1
    }

    private static func lowerBound(of key: ChildKey, in children: [Child]) -> Int {
        var low = 0
        var high = children.count
        while low < high {
            let middle = (low + high) / 2
            if ChildKey.compare(children[middle].key, key) < 0 {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}
