import HashTreeCollections
package import HearthEngine
package import HearthModel

/// Who wants the snapshots of a view.
package enum Recipient: Hashable, Sendable {
    /// A subscription.
    case listener(ListenerID)
    /// A one-time read; the first snapshot ends the read.
    case read(RequestID, ReadSource)
    /// A pin, which keeps the results in step and tells nobody.
    case pin(Pin.ID)

    /// Stands for the session of a listener without a session.
    private static let noSession = UInt64.max

    /// The session of the listener.
    package var session: UInt64 {
        switch self {
        case .listener(let id): id.session
        case .read(let id, _): id.session
        case .pin: Self.noSession
        }
    }
}

/// One recipient of a view, and what the recipient has been told.
package struct Listener: Equatable, Sendable {
    /// Who the recipient is.
    package private(set) var recipient: Recipient
    /// How the recipient wants to be told.
    package let options: ListenOptions
    /// The answer to what a read was asked, if the read asks for a larger limit than that: too few
    /// results, for a backend that refuses the larger limit or goes away.
    let narrowAnswer: ViewSnapshot?
    /// Whether the program withholds the listener from the backend.
    ///
    /// A withheld listener sees the cache, marked as from the cache.
    private var isWithheld = false
    /// Whether the listener has seen the view otherwise than the view is.
    private(set) var seesOtherwise = false
    /// Whether the view was from the cache when it was last shown.
    private var sawFromCache: Bool?
    private var hasRaisedFirst = false
    private var hadPendingWrites: Bool?
    /// The snapshot that the listener has.
    private var delivered: SnapshotID?
    /// Documents whose flags changed since `delivered` without news to the listener.
    private var untold: TreeSet<DocumentKey> = []
    /// Writes that were rejected since, likewise.
    private var untoldRejections: [RejectedWrite] = []

    /// A recipient that has been told nothing.
    ///
    /// - Parameters:
    ///   - recipient: Who the recipient is.
    ///   - options: How the recipient wants to be told.
    ///   - narrowAnswer: The answer of a read that asks the backend for a larger limit than its
    ///     program did, with too few results: for a backend that refuses the larger limit or goes
    ///     away. `nil` for every other recipient.
    package init(
        recipient: Recipient, options: ListenOptions, narrowAnswer: ViewSnapshot? = nil
    ) {
        self.recipient = recipient
        self.options = options
        self.narrowAnswer = narrowAnswer
    }

    /// A one-time read, which waits for the backend unless the backend is away.
    ///
    /// - Parameter narrowAnswer: The answer to what the program asked, if the read asks for more.
    static func read(
        _ id: RequestID, _ source: ReadSource, narrowAnswer: ViewSnapshot? = nil
    ) -> Listener {
        Listener(
            recipient: .read(id, source),
            options: ListenOptions(includeMetadataChanges: true, waitForSyncWhenOnline: true),
            narrowAnswer: narrowAnswer)
    }

    /// Whether it needs the backend, and not the cache alone.
    package var needsBackend: Bool { !options.isCacheOnly && !isWithheld }

    /// Whether another subscription wants the same and has been told the same. Both will be told the same.
    func isAlike(_ other: Listener) -> Bool {
        guard case .listener = recipient, case .listener = other.recipient else { return false }
        return other.asked(by: recipient) == self
    }

    /// The same for another recipient.
    func asked(by recipient: Recipient) -> Listener {
        var other = self
        other.recipient = recipient
        return other
    }

    /// Withholds the listener from the backend, or ends the withholding.
    ///
    /// A listener to the cache alone is not concerned.
    package mutating func setWithheld(_ isWithheld: Bool) {
        guard !options.isCacheOnly else { return }
        self.isWithheld = isWithheld
        seesOtherwise = true
    }

    /// What to tell of a view's new snapshot; `nil` for nothing.
    package mutating func told(of view: ViewSnapshot, _ state: OnlineState) -> ViewSnapshot? {
        let snapshot = asSeen(view)
        let state = isWithheld ? .offline : state
        defer { (sawFromCache, seesOtherwise) = (snapshot.isFromCache, isWithheld) }
        var shown = snapshot
        if !options.includeMetadataChanges {
            if shown.changes.contains(where: { $0.kind == .metadata }) {
                shown.changes.removeAll { $0.kind == .metadata }  // A copy, so not without need.
            }
            shown.excludesMetadataChanges = true
        }
        defer { hadPendingWrites = snapshot.hasPendingWrites }
        guard hasRaisedFirst else { return first(of: snapshot, state) }
        guard isWorthTelling(shown) else {
            for change in snapshot.changes { untold.insert(change.document.key) }
            untoldRejections = untoldRejections.followed(by: snapshot.rejectedWrites)
            return nil
        }
        shown.rejectedWrites = untoldRejections.followed(by: snapshot.rejectedWrites)
        untoldRejections = []
        if !untold.isEmpty || shown.changes.count != snapshot.changes.count {
            shown.refreshed = refreshed(by: snapshot, besides: shown.changes)
        }
        shown.base = delivered
        delivered = shown.id
        untold = []
        return shown
    }

    /// What to tell because the backend's reachability changed; `nil` for nothing.
    package mutating func told(
        of state: OnlineState, latest: ViewSnapshot?
    ) -> ViewSnapshot? {
        guard !hasRaisedFirst, let latest else { return nil }
        return first(of: latest, state)
    }

    /// Answers a one-time read from a view whose documents in limbo have all been looked up; `nil` for
    /// others.
    package mutating func toldLookedUp(_ latest: ViewSnapshot) -> ViewSnapshot? {
        guard case .read = recipient, !hasRaisedFirst, !isWithheld else { return nil }
        var snapshot = latest
        snapshot.isLookedUp = true
        return first(of: snapshot, .unknown)
    }

    /// The view for a listener that is withheld from the backend, or was withheld until just now.
    private func asSeen(_ snapshot: ViewSnapshot) -> ViewSnapshot {
        guard seesOtherwise else { return snapshot }
        var seen = snapshot
        if isWithheld { seen.isFromCache = true }
        seen.syncStateChanged = seen.isFromCache != sawFromCache
        return seen
    }

    /// The first snapshot shows everything as added, once there is something to say.
    private mutating func first(of snapshot: ViewSnapshot, _ state: OnlineState) -> ViewSnapshot? {
        guard mayBeFirst(snapshot, state) else { return nil }
        hasRaisedFirst = true
        delivered = snapshot.id
        var whole = snapshot
        whole.base = nil
        whole.changes = snapshot.documents.documents.map { DocumentChange(.added, $0) }
        whole.refreshed = []
        whole.rejectedWrites = []
        whole.settledDepartures = []
        whole.syncStateChanged = true
        whole.excludesMetadataChanges = !options.includeMetadataChanges
        return whole
    }

    private func mayBeFirst(_ snapshot: ViewSnapshot, _ state: OnlineState) -> Bool {
        if !snapshot.isFromCache || snapshot.isLookedUp || options.isCacheOnly { return true }
        if options.waitForSyncWhenOnline && state != .offline { return false }
        // A listener is told again when the limit is filled; a read has but one answer.
        if snapshot.lacksSuccessor, case .read(_, .default) = recipient { return false }
        return !snapshot.documents.isEmpty || snapshot.hasCachedResults || state == .offline
    }

    private func isWorthTelling(_ snapshot: ViewSnapshot) -> Bool {
        if !snapshot.changes.isEmpty { return true }
        if options.tellsDepartures && !snapshot.settledDepartures.isEmpty { return true }
        let flipped = snapshot.syncStateChanged || hadPendingWrites != snapshot.hasPendingWrites
        return flipped && options.includeMetadataChanges
    }

    private func refreshed(
        by snapshot: ViewSnapshot, besides shown: [DocumentChange]
    ) -> [DocumentKey] {
        var keys = untold
        for change in snapshot.changes { keys.insert(change.document.key) }
        for change in shown { keys.remove(change.document.key) }
        return keys.filter { snapshot.documents.contains($0) }.sorted()
    }
}
