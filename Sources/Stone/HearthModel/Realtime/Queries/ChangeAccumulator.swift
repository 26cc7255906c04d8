/// Gathers what became of children in one batch: of each, one change from before the batch to its end.
///
/// - Source: firebase-js-sdk `core/view/ChildChangeAccumulator.ts`.
package struct ChangeAccumulator: Sendable {
    private var changesByKey: [ChildKey: ChildChange] = [:]

    /// Has seen nothing yet.
    package init() {}

    /// Whether nothing changed.
    package var isEmpty: Bool { changesByKey.isEmpty }

    /// One change of each child that changed, in the order of keys.
    package var changes: [ChildChange] {
        changesByKey.values.sorted { $0.key < $1.key }
    }

    /// Notes that a child changed from one node to another; either node may be empty.
    ///
    /// - Parameters:
    ///   - key: The child's key.
    ///   - old: The child before.
    ///   - new: The child now. Two empty nodes are no change.
    package mutating func note(_ key: ChildKey, from old: Node, to new: Node) {
        guard !old.isEmpty || !new.isEmpty else { return }
        if new.isEmpty {
            note(ChildChange(.removed, key: key, node: old))
        } else {
            note(ChildChange(old.isEmpty ? .added : .changed(from: old), key: key, node: new))
        }
    }

    /// Adds a change after the earlier changes of the same child.
    package mutating func note(_ change: ChildChange) {
        guard let before = changesByKey[change.key] else {
            changesByKey[change.key] = change
            return
        }
        changesByKey[change.key] = Self.join(before, change)
    }

    private static func join(_ first: ChildChange, _ second: ChildChange) -> ChildChange? {
        let key = first.key
        switch (first.kind, second.kind) {
        case (.removed, .added):
            return ChildChange(.changed(from: first.node), key: key, node: second.node)
        case (.added, .removed):
            return nil
        case (.added, .changed):
            return ChildChange(.added, key: key, node: second.node)
        case (.changed(let old), .removed):
            return ChildChange(.removed, key: key, node: old)
        case (.changed(let old), .changed):
            return ChildChange(.changed(from: old), key: key, node: second.node)
        case (.added, .added), (.changed, .added), (.removed, .changed), (.removed, .removed):
            preconditionFailure("The child \(key): \(second.kind) behind \(first.kind)")
        }
    }
}
