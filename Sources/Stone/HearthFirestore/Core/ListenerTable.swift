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

    /// Recipients that want the same news and have been told the same, so the table tells the news
    /// once for all.
    ///
    /// A change then costs as much as there are audiences, however many listen.
    private struct Audience: Sendable {
        /// One of the recipients, who may have gone: what all want and have been told.
        var example: Listener
        /// All recipients; a read and a pin are alone.
        var recipients: [Recipient]

        init(_ listener: Listener) {
            example = listener
            recipients = [listener.recipient]
        }
    }

    private struct Row: Sendable {
        private(set) var audiences: [Audience] = []
        /// The view's last snapshot, for listeners that come or have waited.
        ///
        /// The whole snapshot is new to such listeners, so the row does not keep the snapshot's
        /// changes.
        private(set) var latest: ViewSnapshot?

        var watches: Bool { audiences.contains(where: \.example.needsBackend) }

        var listeners: [Listener] {
            audiences.flatMap { audience in
                audience.recipients.map { audience.example.asked(by: $0) }
            }
        }

        /// What a recipient wants and has been told.
        func listener(_ recipient: Recipient) -> Listener? {
            index(of: recipient).map { audiences[$0].example.asked(by: recipient) }
        }

        /// O(recipients).
        private func index(of recipient: Recipient) -> Int? {
            audiences.firstIndex { $0.recipients.contains(recipient) }
        }

        mutating func add(_ listener: Listener) {
            if let index = audiences.firstIndex(where: { $0.example.isAlike(listener) }) {
                audiences[index].recipients.append(listener.recipient)
            } else {
                audiences.append(Audience(listener))
            }
        }

        mutating func remove(_ recipient: Recipient) -> Listener? {
            guard let index = index(of: recipient) else { return nil }
            let listener = audiences[index].example.asked(by: recipient)
            audiences[index].recipients.removeAll { $0 == recipient }
            if audiences[index].recipients.isEmpty { audiences.remove(at: index) }
            return listener
        }

        /// Changes one recipient alone; `nil` if the recipient is not here.
        mutating func change<Result>(
            _ recipient: Recipient, _ body: (inout Listener) -> Result
        ) -> Result? {
            guard var listener = remove(recipient) else { return nil }
            defer { add(listener) }
            return body(&listener)
        }

        /// Tells all recipients, and joins audiences that have become alike.
        ///
        /// - Parameter tell: What to tell an audience, by the example; `nil` for nothing.
        mutating func tellAll(_ tell: (inout Listener) -> ViewSnapshot?) -> [Delivery] {
            var deliveries: [Delivery] = []
            var joined: [Audience] = []
            // By options: to compare each audience with all others would cost the square of many that wait.
            var last: [ListenOptions: Int] = [:]
            for var audience in audiences {
                if let told = tell(&audience.example) {
                    ListenerTable.append(told, to: audience.recipients, &deliveries)
                }
                let options = audience.example.options
                if let index = last[options], joined[index].example.isAlike(audience.example) {
                    joined[index].recipients += audience.recipients
                } else {
                    last[options] = joined.count
                    joined.append(audience)
                }
            }
            audiences = joined
            return deliveries
        }

        mutating func keep(_ snapshot: ViewSnapshot) {
            latest = snapshot
            latest?.changes = []
            latest?.refreshed = []
            latest?.rejectedWrites = []
            latest?.settledDepartures = []
            latest?.hiddenKeys = []
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
        return rows[query]?.listener(recipient)?.needsBackend ?? false
    }

    /// The answer to what a read was asked, if it asks for more. O(recipients of its query).
    func narrowAnswer(of recipient: Recipient) -> ViewSnapshot? {
        queries[recipient].flatMap { rows[$0]?.listener(recipient)?.narrowAnswer }
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
        rows[query, default: Row()].add(listener)
        if isFirst { return .open(watches: listener.needsBackend) }
        return !watched && listener.needsBackend ? .startWatching : .none
    }

    /// Removes a recipient.
    package mutating func remove(_ recipient: Recipient) -> Effect {
        guard let query = forget(recipient), var row = rows[query],
            let listener = row.remove(recipient)
        else { return .none }
        if row.audiences.isEmpty {
            rows[query] = nil
            return .close(watches: listener.needsBackend)
        }
        rows[query] = row
        return listener.needsBackend && !row.watches ? .stopWatching : .none
    }

    /// Keeps a recipient from the backend, or no longer.
    package mutating func setWithheld(_ recipient: Recipient, _ isWithheld: Bool) -> Effect {
        guard let query = queries[recipient], var row = rows[query] else { return .none }
        let watched = row.watches
        _ = row.change(recipient) { $0.setWithheld(isWithheld) }
        rows[query] = row
        if row.watches == watched { return .none }
        return watched ? .stopWatching : .startWatching
    }

    /// Tells a recipient of the view's present state, if that looks otherwise to it than before.
    package mutating func deliverAgain(
        to recipient: Recipient, _ state: OnlineState
    ) -> [Delivery] {
        guard let query = queries[recipient],
            rows[query]?.listener(recipient)?.seesOtherwise ?? false
        else { return [] }
        return deliverFirst(nil, to: recipient, state)
    }

    /// Removes everyone of a query, and returns them.
    package mutating func removeAll(of query: Query) -> [Listener] {
        let listeners = rows.removeValue(forKey: query)?.listeners ?? []
        for listener in listeners { _ = forget(listener.recipient) }
        return listeners
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
            let latest = snapshot ?? row.latest
        else { return [] }
        if let snapshot { row.keep(snapshot) }
        let told = row.change(recipient) { $0.told(of: latest, state) } ?? nil
        rows[query] = row
        return told.map { [Delivery(snapshot: $0, recipients: [recipient])] } ?? []
    }

    /// Tells a query's recipients of a new snapshot.
    package mutating func deliver(_ snapshot: ViewSnapshot, _ state: OnlineState) -> [Delivery] {
        guard var row = rows[snapshot.query] else { return [] }
        let deliveries = row.tellAll { $0.told(of: snapshot, state) }
        row.keep(snapshot)
        rows[snapshot.query] = row
        return deliveries
    }

    /// Answers the reads of a query whose view has had all its documents in limbo looked up.
    package mutating func deliverLookedUp(_ query: Query) -> [Delivery] {
        guard var row = rows[query], let latest = row.latest else { return [] }
        let deliveries = row.tellAll { $0.toldLookedUp(latest) }
        if !deliveries.isEmpty { rows[query] = row }
        return deliveries
    }

    /// Tells waiting listeners that the backend's reachability changed.
    package mutating func deliver(_ state: OnlineState) -> [Delivery] {
        var deliveries: [Delivery] = []
        for (query, row) in rows {
            var changed = row
            let told = changed.tellAll { $0.told(of: state, latest: row.latest) }
            if told.isEmpty { continue }
            deliveries += told
            rows[query] = changed
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
        _ snapshot: ViewSnapshot, to recipients: [Recipient], _ deliveries: inout [Delivery]
    ) {
        if let last = deliveries.indices.last, case .listener? = recipients.first,
            deliveries[last].snapshot.isSamePicture(as: snapshot)
        {
            deliveries[last].recipients += recipients
        } else {
            deliveries.append(Delivery(snapshot: snapshot, recipients: recipients))
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
