import HearthModel

/// The listeners that were told the first children of their nodes, and that join their views when the
/// rest is read: by target, the first come first.
struct BegunListeners: Sendable {
    private var rows: [(target: ListenTarget, names: [ListenerName])] = []

    /// Whether nobody waits.
    var isEmpty: Bool { rows.isEmpty }

    /// Whether somebody waits for a target. O(targets).
    func contains(_ target: ListenTarget) -> Bool { rows.contains { $0.target == target } }

    /// A listener waits.
    mutating func add(_ name: ListenerName, to target: ListenTarget) {
        if let place = rows.firstIndex(where: { $0.target == target }) {
            rows[place].names.append(name)
        } else {
            rows.append((target, [name]))
        }
    }

    /// A listener has ended.
    ///
    /// - Returns: Whether the listener waited.
    mutating func remove(_ name: ListenerName, from target: ListenTarget) -> Bool {
        guard let place = rows.firstIndex(where: { $0.target == target }),
            let index = rows[place].names.firstIndex(of: name)
        else { return false }
        rows[place].names.remove(at: index)
        if rows[place].names.isEmpty { rows.remove(at: place) }
        return true
    }

    /// The listeners of the target that has waited longest. They wait no more.
    mutating func takeFirst() -> [ListenerName] { rows.isEmpty ? [] : rows.removeFirst().names }

    /// The listeners of the target that has waited longest of those whose node is a place's, or of a
    /// place above; none if there is no such target. They wait no more. O(targets).
    mutating func takeFirst(covering path: RealtimePath) -> [ListenerName] {
        guard let place = rows.firstIndex(where: { $0.target.path.contains(path) }) else {
            return []
        }
        return rows.remove(at: place).names
    }
}
