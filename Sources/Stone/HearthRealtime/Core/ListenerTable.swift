import HashTreeCollections
import HearthEngine
import HearthModel

/// The listeners of each target, and their names in the sync tree.
struct ListenerTable: Sendable {
    /// One listener.
    struct Row: Sendable {
        /// The subscription; `nil` for a listener of the engine's own.
        let id: ListenerID?
        let target: ListenTarget
        let kind: ListenerKind
    }

    private var rows: TreeDictionary<ListenerName, Row> = [:]
    private var names: TreeDictionary<ListenerID, ListenerName> = [:]
    private var sessions: TreeDictionary<UInt64, TreeSet<ListenerName>> = [:]
    private var lastName: UInt64 = 0

    /// How many sessions' listeners there are.
    var count: Int { names.count }

    /// A listener by its name.
    subscript(name: ListenerName) -> Row? { rows[name] }

    /// The name of a subscription; `nil` for one that has ended.
    func name(of id: ListenerID) -> ListenerName? { names[id] }

    /// The listeners of a session, the eldest first.
    func names(ofSession session: UInt64) -> [ListenerName] {
        (sessions[session] ?? []).sorted()
    }

    /// The subscriptions of some listeners that want to hear news.
    func observers(among names: [ListenerName]) -> [ListenerID] {
        names.compactMap { name in
            guard let row = rows[name], row.kind == .observer else { return nil }
            return row.id
        }
    }

    /// Names a new listener.
    mutating func add(
        _ id: ListenerID?, _ target: ListenTarget, _ kind: ListenerKind
    ) -> ListenerName {
        lastName += 1
        let name = ListenerName(lastName)
        rows[name] = Row(id: id, target: target, kind: kind)
        if let id {
            names[id] = name
            sessions[id.session, default: []].insert(name)
        }
        return name
    }

    /// Forgets a listener.
    mutating func remove(_ name: ListenerName) {
        guard let id = rows.removeValue(forKey: name)?.id else { return }
        names[id] = nil
        sessions[id.session]?.remove(name)
        if sessions[id.session]?.isEmpty ?? false { sessions[id.session] = nil }
    }
}
