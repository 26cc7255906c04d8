import HashTreeCollections
package import HearthEngine
package import HearthModel

/// The listeners to each query, and what each listener has been told.
package struct ListenerTable: Sendable {
    /// What a new or ended listener changes for its query.
    package enum Effect: Hashable, Sendable {
        /// The query's first listener: a view is needed; with the backend or without.
        case open(watches: Bool)
        /// The query's first listener that needs the backend.
        case startWatching
        /// The query's last listener is gone.
        case close(watches: Bool)
        /// The query's last listener that needs the backend is gone.
        case stopWatching
        /// Nothing.
        case none
    }

    /// Something that recipients are told, the same for all of them.
    package struct Delivery: Sendable {
        /// What.
        package let snapshot: ViewSnapshot
        /// Whom.
        package var recipients: [Recipient]
    }

    private struct Row: Sendable {
        var listeners: [Listener] = []
        /// The view's last snapshot, for listeners that come or have waited.
        ///
        /// The whole snapshot is new to such listeners, so the row does not keep the snapshot's
        /// changes.
        private(set) var latest: ViewSnapshot?

        var watches: Bool { listeners.contains(where: \.needsBackend) }

        mutating func keep(_ snapshot: ViewSnapshot) {
            latest = snapshot
            latest?.changes = []
            latest?.refreshed = []
            latest?.rejectedWrites = []
        }
    }

    private var rows: TreeDictionary<Query, Row> = [:]
    private var queries: TreeDictionary<Recipient, Query> = [:]
    /// The recipients of each session: the end of a session visits no listeners of other sessions.
    private var bySession: TreeDictionary<UInt64, TreeSet<Recipient>> = [:]
    /// Who is told when all listeners have been told.
    private var syncListeners: [ListenerID] = []

    /// Nobody listens.
    package init() {}

    /// How many recipients there are.
    package var count: Int { queries.count }

    /// The query of a recipient.
    package func query(of recipient: Recipient) -> Query? { queries[recipient] }

    /// Whether there is anyone of a query.
    package func hasAny(of query: Query) -> Bool { rows[query] != nil }

    /// Whether anyone of a query needs the backend.
    package func watches(_ query: Query) -> Bool { rows[query]?.watches ?? false }

    /// Whether a recipient needs the backend. O(recipients of its query).
    package func needsBackend(_ recipient: Recipient) -> Bool {
        guard let query = queries[recipient] else { return false }
        return rows[query]?.listeners.first { $0.recipient == recipient }?.needsBackend ?? false
    }

    /// Everyone of a session. O(its own).
    package func recipients(ofSession session: UInt64) -> [Recipient] {
        Array(bySession[session] ?? [])
    }

    /// Adds a recipient of a query. It must be new.
    package mutating func add(_ listener: Listener, to query: Query) -> Effect {
        precondition(queries[listener.recipient] == nil, "\(listener.recipient) listens twice")
        let isFirst = rows[query] == nil
        let watched = rows[query]?.watches ?? false
        queries[listener.recipient] = query
        bySession[listener.recipient.session, default: []].insert(listener.recipient)
        rows[query, default: Row()].listeners.append(listener)
        if isFirst { return .open(watches: listener.needsBackend) }
        return !watched && listener.needsBackend ? .startWatching : .none
    }

    /// Removes a recipient.
    package mutating func remove(_ recipient: Recipient) -> Effect {
        guard let query = forget(recipient), var row = rows[query],
            let index = row.listeners.firstIndex(where: { $0.recipient == recipient })
        else { return .none }
        let listener = row.listeners.remove(at: index)
        if row.listeners.isEmpty {
            rows[query] = nil
            return .close(watches: listener.needsBackend)
        }
        rows[query] = row
        return listener.needsBackend && !row.watches ? .stopWatching : .none
    }

    /// Keeps a recipient from the backend, or no longer.
    package mutating func setWithheld(_ recipient: Recipient, _ isWithheld: Bool) -> Effect {
        guard let query = queries[recipient], var row = rows[query],
            let index = row.listeners.firstIndex(where: { $0.recipient == recipient })
        else { return .none }
        let watched = row.watches
        row.listeners[index].setWithheld(isWithheld)
        rows[query] = row
        if row.watches == watched { return .none }
        return watched ? .stopWatching : .startWatching
    }

    /// Tells a recipient of the view's present state, if that looks otherwise to it than before.
    package mutating func deliverAgain(
        to recipient: Recipient, _ state: OnlineState
    ) -> [Delivery] {
        guard let query = queries[recipient],
            rows[query]?.listeners.first(where: { $0.recipient == recipient })?.seesOtherwise
                ?? false
        else { return [] }
        return deliverFirst(nil, to: recipient, state)
    }

    /// Removes everyone of a query, and returns them.
    package mutating func removeAll(of query: Query) -> [Recipient] {
        let recipients = rows.removeValue(forKey: query)?.listeners.map(\.recipient) ?? []
        for recipient in recipients { _ = forget(recipient) }
        return recipients
    }

    private mutating func forget(_ recipient: Recipient) -> Query? {
        guard let query = queries.removeValue(forKey: recipient) else { return nil }
        let session = recipient.session
        bySession[session]?.remove(recipient)
        if bySession[session]?.isEmpty ?? false { bySession[session] = nil }
        return query
    }

    /// Tells a new recipient of the view's present state.
    ///
    /// - Parameter snapshot: The view's first, if the recipient is the first; otherwise the latest
    ///   counts.
    package mutating func deliverFirst(
        _ snapshot: ViewSnapshot?, to recipient: Recipient, _ state: OnlineState
    ) -> [Delivery] {
        guard let query = queries[recipient], var row = rows[query],
            let index = row.listeners.firstIndex(where: { $0.recipient == recipient }),
            let latest = snapshot ?? row.latest
        else { return [] }
        if let snapshot { row.keep(snapshot) }
        let told = row.listeners[index].told(of: latest, state)
        rows[query] = row
        return told.map { [Delivery(snapshot: $0, recipients: [recipient])] } ?? []
    }

    /// Tells a query's recipients of a new snapshot.
    package mutating func deliver(_ snapshot: ViewSnapshot, _ state: OnlineState) -> [Delivery] {
        guard var row = rows[snapshot.query] else { return [] }
        var deliveries: [Delivery] = []
        for index in row.listeners.indices {
            guard let told = row.listeners[index].told(of: snapshot, state) else { continue }
            Self.append(told, to: row.listeners[index].recipient, &deliveries)
        }
        row.keep(snapshot)
        rows[snapshot.query] = row
        return deliveries
    }

    /// Answers the reads of a query whose view has had all its documents in limbo looked up.
    package mutating func deliverLookedUp(_ query: Query) -> [Delivery] {
        guard var row = rows[query], let latest = row.latest else { return [] }
        var deliveries: [Delivery] = []
        for index in row.listeners.indices {
            guard let told = row.listeners[index].toldLookedUp(latest) else { continue }
            Self.append(told, to: row.listeners[index].recipient, &deliveries)
        }
        if !deliveries.isEmpty { rows[query] = row }
        return deliveries
    }

    /// Tells waiting listeners that the backend's reachability changed.
    package mutating func deliver(_ state: OnlineState) -> [Delivery] {
        var deliveries: [Delivery] = []
        for (query, row) in rows {
            var changed = row
            for index in row.listeners.indices {
                guard let told = changed.listeners[index].told(of: state, latest: row.latest)
                else { continue }
                Self.append(told, to: row.listeners[index].recipient, &deliveries)
                rows[query] = changed
            }
        }
        return deliveries
    }

    /// Adds one who is told when all listeners have been told.
    package mutating func addSyncListener(_ id: ListenerID) { syncListeners.append(id) }

    /// Removes one.
    package mutating func removeSyncListener(_ id: ListenerID) {
        syncListeners.removeAll { $0 == id }
    }

    /// Removes all of a session.
    package mutating func removeSyncListeners(ofSession session: UInt64) {
        syncListeners.removeAll { $0.session == session }
    }

    /// Those who are told when all listeners have been told.
    package var inSync: [ListenerID] { syncListeners }

    /// Recipients that are told the same share one delivery.
    private static func append(
        _ snapshot: ViewSnapshot, to recipient: Recipient, _ deliveries: inout [Delivery]
    ) {
        if let last = deliveries.indices.last, case .listener = recipient,
            deliveries[last].snapshot.isSamePicture(as: snapshot)
        {
            deliveries[last].recipients.append(recipient)
        } else {
            deliveries.append(Delivery(snapshot: snapshot, recipients: [recipient]))
        }
    }
}

extension ViewSnapshot {
    /// Whether two snapshots of one view, made in one turn, say the same.
    fileprivate func isSamePicture(as other: ViewSnapshot) -> Bool {
        id == other.id && base == other.base && query == other.query
            && isFromCache == other.isFromCache
            && excludesMetadataChanges == other.excludesMetadataChanges
            && refreshed == other.refreshed && rejectedWrites == other.rejectedWrites
    }
}
