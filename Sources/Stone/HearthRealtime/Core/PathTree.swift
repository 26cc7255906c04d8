package import HashTreeCollections
package import HearthModel

/// Contents by place in the Realtime Database's tree: a copy is free, a change copies the way to its place.
///
/// Places without content and without anything below are not stored.
package struct PathTree<Content: Sendable>: Sendable {
    /// The content of this place.
    package private(set) var content: Content?
    /// The trees below, by the next key.
    package private(set) var children: TreeDictionary<ChildKey, PathTree>

    /// A tree without contents.
    package init() {
        content = nil
        children = [:]
    }

    /// Whether nothing stands here or below.
    package var isEmpty: Bool { content == nil && children.isEmpty }

    /// The content of a place below. O(depth).
    package subscript(path: RealtimePath) -> Content? {
        get { subtree(at: path)?.content }
        set { set(newValue, at: path.keys[...]) }
    }

    private mutating func set(_ content: Content?, at keys: ArraySlice<ChildKey>) {
        guard let key = keys.first else {
            self.content = content
            return
        }
        guard content == nil else {
            children[key, default: PathTree()].set(content, at: keys.dropFirst())  // In place.
            return
        }
        children.updateValue(forKey: key) { child in
            child?.set(nil, at: keys.dropFirst())  // In place too.
            if child?.isEmpty ?? false { child = nil }
        }
    }

    /// Changes the content of a place where it lies; without content, nothing happens. O(depth).
    package mutating func change<Result>(
        _ path: RealtimePath, _ body: (inout Content) -> Result
    ) -> Result? {
        change(at: path.keys[...], body)
    }

    private mutating func change<Result>(
        at keys: ArraySlice<ChildKey>, _ body: (inout Content) -> Result
    ) -> Result? {
        if let key = keys.first { return children[key]?.change(at: keys.dropFirst(), body) }
        guard var changed = content.take() else { return nil }
        defer { content = changed }
        return body(&changed)
    }

    /// The tree at a place; `nil` if the tree has no content there or below. O(depth).
    package func subtree(at path: RealtimePath) -> PathTree? {
        var tree = self
        for key in path.keys {
            guard let child = tree.children[key] else { return nil }
            tree = child
        }
        return tree
    }

    /// Goes from here to a place, both included, and hands over what stands on the way.
    ///
    /// - Parameter body: Takes a content and how many keys lead to it; ends the walk with `false`.
    package func walk(to path: RealtimePath, _ body: (Content, Int) -> Bool) {
        var tree = self
        if let content, !body(content, 0) { return }
        for (depth, key) in path.keys.enumerated() {
            guard let child = tree.children[key] else { return }
            tree = child
            if let content = tree.content, !body(content, depth + 1) { return }
        }
    }

    /// Goes through all contents here and below, each place before the places below, in key order.
    ///
    /// - Parameter body: Takes a content and the way to it from here; the walk goes below it if it
    ///   returns `true`.
    package func walkDown(_ body: (Content, RealtimePath) -> Bool) {
        walkDown(from: .root, body)
    }

    private func walkDown(from path: RealtimePath, _ body: (Content, RealtimePath) -> Bool) {
        if let content, !body(content, path) { return }
        for (key, child) in children.sorted(by: { $0.key < $1.key }) {
            child.walkDown(from: path.appending(key), body)
        }
    }

    /// Goes through all contents here and below, each place after the places below, in key order.
    ///
    /// - Parameters:
    ///   - reach: Goes only on the way to what a write replaces, and below that; `nil` for
    ///     everywhere. Costs no more than the smaller one of the write and the tree.
    ///   - body: Takes a content and the way to it from here.
    package func walkUp(
        within reach: CompoundWrite? = nil, _ body: (Content, RealtimePath) -> Void
    ) {
        walkUp(from: .root, within: reach, body)
    }

    private func walkUp(
        from path: RealtimePath, within reach: CompoundWrite?,
        _ body: (Content, RealtimePath) -> Void
    ) {
        if let reach, reach.isEmpty { return }
        if let reach, reach.node == nil {
            for key in Self.keys(in: children, and: reach) {
                children[key]?.walkUp(
                    from: path.appending(key), within: reach.child(key), body)
            }
        } else {
            for (key, child) in children.sorted(by: { $0.key < $1.key }) {
                child.walkUp(from: path.appending(key), within: nil, body)
            }
        }
        if let content { body(content, path) }
    }

    /// The next keys on both ways, in order.
    private static func keys(
        in children: TreeDictionary<ChildKey, PathTree>, and reach: CompoundWrite
    ) -> [ChildKey] {
        guard children.count < reach.childCount else {
            return reach.childKeys.filter { children[$0] != nil }
        }
        return children.keys.filter { !reach.child($0).isEmpty }.sorted()
    }
}
