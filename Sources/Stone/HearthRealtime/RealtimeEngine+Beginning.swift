import HearthEngine
import HearthModel

/// Listeners to large nodes that only the disk has.
///
/// To read such a node takes a while. So a listener is told the first children at once, and nothing
/// else happens yet: the listener joins its view in a turn of its own, which reads the node and tells
/// the whole. To the listener both are news of one view, and the second begins like the first.
///
///     listen --first children, incomplete--> begun --whole node--> in its view
extension RealtimeEngine {
    /// Of the parts from which on a node is told in two steps, so many are read for the first.
    private static let beginningShare = 16

    /// Tells a listener the first children of a large node.
    ///
    /// - Returns: Whether the listener joins later; false if the node is small, or known, or the first
    ///   children in the order of the query are not the first on disk.
    mutating func tellBeginning(
        to id: ListenerID, _ name: ListenerName, of target: ListenTarget, _ turn: inout Turn
    ) throws(StoreError) -> Bool {
        if begun.contains(target) {
            begun.add(name, to: target)
            return true
        }
        guard let node = try beginning(of: target, turn.store) else { return false }
        let isFirst = begun.isEmpty
        begun.add(name, to: target)
        let news = ViewNews(
            target, .whole(node), isComplete: false, isValueTold: false, isBeginning: true)
        turn.effects.actions.append(.tell(news, to: [id]))
        if isFirst { turn.effects.actions.append(.schedule(.reading, after: .zero)) }
        return true
    }

    /// The first children of a query's result with the pending writes.
    private func beginning(
        of target: ListenTarget, _ store: any RealtimeTransaction
    ) throws(StoreError) -> Node? {
        let countMin = configuration.begunPartCountMin
        guard target.query.isComplete, target.query.index.isByKey(in: .empty),
            !tree.hasView(target), !tree.knowsServerNode(at: target.path),
            try store.isWhole(target.path),
            let server = try store.serverBeginning(
                at: target.path, partCount: max(1, countMin / Self.beginningShare),
                ifMoreThan: countMin)
        else { return nil }
        return tree.localBeginning(at: target.path, over: server)
    }

    /// The time has come to read the rest of a node. One node in a turn.
    mutating func readRest(_ turn: inout Turn) throws(StoreError) {
        let names = begun.takeFirst()
        try joinBegun(names, &turn)
        scheduleReading(&turn.effects)
    }

    /// Reads now the rest of each node that holds a place. Other nodes wait on.
    mutating func readRest(covering path: RealtimePath, _ turn: inout Turn) throws(StoreError) {
        var names = begun.takeFirst(covering: path)
        while !names.isEmpty {
            try joinBegun(names, &turn)
            names = begun.takeFirst(covering: path)
        }
    }

    private mutating func joinBegun(
        _ names: [ListenerName], _ turn: inout Turn
    ) throws(StoreError) {
        guard !names.isEmpty else { return }
        try turn.store.enter(.listen)
        for name in names {
            guard let row = listeners[name], let id = row.id else { continue }
            try joinSession(id, name, row.target, row.kind, &turn)
        }
    }

    /// The rest of the node that has waited longest cannot be read: whoever waits for it is told.
    mutating func failFirstBegun(because error: HearthError, _ effects: inout Effects) {
        for name in begun.takeFirst() {
            if let id = listeners[name]?.id { effects.actions.append(.fail(id, error)) }
            listeners.remove(name)
        }
        scheduleReading(&effects)
    }

    private func scheduleReading(_ effects: inout Effects) {
        if !begun.isEmpty { effects.actions.append(.schedule(.reading, after: .zero)) }
    }
}
