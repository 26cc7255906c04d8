import HearthFirestore
import HearthModel
import HearthServer

/// One target of a client's watch stream: what was shown to the client, and what is to be shown.
///
///     waiting --every query has its first snapshot--> current --snapshot--> current
///
/// Snapshots replace each other until the client can take one: the client is then told the
/// difference between the newest and what it was shown. A document that waits for the backend is
/// held back for a while (`SettlingHold`), and so one write becomes one event with its real time.
///
/// A steady target was shown all of its last snapshot, and knows of nothing besides. Its next telling
/// is the same for every steady target that gets the next snapshot, and is computed once for them
/// (`SharedTellings`).
///
/// Decides; `ListenStream` makes the messages.
struct GatewayTarget: Sendable {
    /// What the client is to be told of a target, at once.
    struct Telling: Sendable {
        /// What has changed.
        let difference: SnapshotDifference
        /// The documents of the difference.
        let names: Set<DocumentKey>
        /// The same changed documents for many clients; `nil` if they are for this client alone.
        var shared: SharedDocuments?
        /// Which of the removed documents are known to exist no more.
        let deleted: Set<DocumentKey>
        /// Up to when the backend has told of the removed documents; `nil` where it told nothing.
        let removedAt: [DocumentKey: Timestamp]
        /// Whether all that was told before is void.
        let isReset: Bool
        /// Whether it makes the target current.
        let isFirst: Bool
    }

    /// The newest that one query has told.
    private struct Part: Sendable {
        let id: SnapshotID
        let isFromCache: Bool
        let hasPendingWrites: Bool
        let readAt: SnapshotVersion
    }

    /// The client's name of it.
    let id: WireTargetID
    /// What it asks for.
    let shape: ListenShape
    /// Whether the target ends as soon as it is current.
    let isOnce: Bool
    /// What the client was shown, as far back as it may return to.
    private(set) var history: SentHistory
    /// Whether the client was shown all once, on this stream.
    private(set) var isCurrent = false

    /// Whether the client had documents before that nobody here knows of.
    private let isReset: Bool
    /// Whether the target waits for its turn to tell.
    private(set) var isListed = false
    private var isSteady = false
    /// The snapshot that a steady target has got and not looked at.
    private var following: SharedSnapshot?
    private var parts: [Part?]
    /// What the newest snapshots show, without what an offset skips.
    private var newest: DocumentSet
    /// The first results, which an offset skips.
    private var skipped: Set<DocumentKey> = []
    private var changed = ChangedNames.all
    /// Documents that the client may know in another state than the history has.
    private var again: Set<DocumentKey> = []
    /// Removed documents that the backend said are missing.
    private var missing: Set<DocumentKey> = []
    private var hold = SettlingHold()
    /// Whether a snapshot has come since the client was last told.
    private var hasNews: Bool
    /// Whether the client was told that the backend may know better.
    private var toldFromCache = false

    /// A target that nothing has been told of.
    ///
    /// - Parameter resumption: Where the client goes on from.
    init(
        _ id: WireTargetID, _ shape: ListenShape, isOnce: Bool = false,
        from resumption: Resumption = .start
    ) {
        self.id = id
        self.shape = shape
        self.isOnce = isOnce
        parts = Array(repeating: nil, count: shape.queries.count)
        hasNews = parts.isEmpty
        newest = DocumentSet(order: shape.queries.first?.order ?? Query(path: .root).order)
        switch resumption {
        case .start: (history, isReset) = (SentHistory(), false)
        case .unknown: (history, isReset) = (SentHistory(), true)
        case .point(let earlier, let names):
            (history, isReset) = (earlier, false)
            again = names
        }
    }

    /// Whether the client may have to be told something.
    var isDue: Bool { (hasNews || !hold.isEmpty) && parts.allSatisfy { $0 != nil } }

    /// When what is held back is shown at the latest; `nil` for nothing.
    var showsAt: Duration? { hold.endsAt }

    /// Whether the backend may know better than the picture.
    var isFromCache: Bool { parts.contains { $0?.isFromCache ?? true } }

    /// Whether something that is shown, or held back, waits for the backend.
    var hasPendingWrites: Bool { parts.contains { $0?.hasPendingWrites ?? false } }

    /// Up to when the backend has told of the target.
    var readAt: SnapshotVersion { parts.lazy.compactMap { $0?.readAt }.max() ?? .zero }

    /// Takes a snapshot of one of the shape's queries. O(changes), with an offset O(changes + offset).
    ///
    /// - Returns: Whether the target must be given its turn to tell.
    mutating func received(_ shared: SharedSnapshot, of query: Int) -> Bool {
        let snapshot = shared.snapshot
        let isNext = snapshot.base != nil && snapshot.base == parts[query]?.id
        parts[query] = Part(
            id: snapshot.id, isFromCache: snapshot.isFromCache,
            hasPendingWrites: snapshot.hasPendingWrites, readAt: snapshot.readAt)
        hasNews = true
        if isSteady, isNext {
            following = shared
        } else {
            lookAtFollowing()
            merge(snapshot, of: query, isNext: isNext)
        }
        isSteady = false
        return mustBeListed()
    }

    /// Notes that the target waits for its turn.
    ///
    /// - Returns: Whether that is news.
    mutating func mustBeListed() -> Bool {
        guard isDue, !isListed else { return false }
        isListed = true
        return true
    }

    private mutating func lookAtFollowing() {
        guard let shared = following else { return }
        following = nil
        merge(shared.snapshot, of: 0, isNext: true)
    }

    private mutating func merge(_ snapshot: ViewSnapshot, of query: Int, isNext: Bool) {
        let names = snapshot.changes.map(\.document.key) + snapshot.refreshed
        if shape.queries.count > 1 {
            join(snapshot, of: query)
        } else if isNext {
            changed.add(names, outOf: shownCount)
            show(snapshot.documents)
        } else {
            changed = .all
            show(snapshot.documents)
        }
        for name in names { missing.remove(name) }
        if changed != .all || snapshot.missingKeys.count <= shownCount {
            missing.formUnion(snapshot.missingKeys)
        }
    }

    /// What the client is to be told now; `nil` for nothing.
    ///
    /// - Parameters:
    ///   - number: Of the message that will complete the picture.
    ///   - window: How long a write may wait for its answer before it is shown; `nil` for not at all.
    mutating func take(
        _ number: UInt64, at now: Duration, settling window: Duration?
    ) -> Telling? {
        isListed = false
        guard isDue else { return nil }
        hasNews = false
        guard let shared = following else { return compare(number, at: now, settling: window) }
        let one = SharedTellings.Case(toldFromCache: toldFromCache, isSettling: window != nil)
        if let known = shared.tellings.find(one) {
            following = nil
            show(known.telling, number, shared.snapshot)
            return known.telling
        }
        lookAtFollowing()
        var telling = compare(number, at: now, settling: window)
        guard isSteady else { return telling }
        telling?.share()
        shared.tellings.insert(telling, of: one)
        return telling
    }

    /// Takes over what another steady target has found to tell of the same snapshot.
    private mutating func show(_ telling: Telling?, _ number: UInt64, _ snapshot: ViewSnapshot) {
        newest = snapshot.documents
        (isSteady, toldFromCache) = (true, isFromCache)
        if let telling { history.append(number, newest, told: telling.names) }
    }

    private mutating func compare(
        _ number: UInt64, at now: Duration, settling window: Duration?
    ) -> Telling? {
        guard let shown = settled(at: now, window) else { return nil }
        let isFirst = !isCurrent
        if isFirst { again.formUnion(absentNames) }
        let difference = SnapshotDifference(
            from: history.latest, to: shown.documents, among: shown.names, again: again)
        let deleted = difference.removed.filter(isKnownMissing)
        let removedAt = removalTimes(of: difference.removed)
        let isNews = isFirst || !difference.isEmpty || isFromCache != toldFromCache
        let names = difference.names
        if isFirst { history = SentHistory() }
        if isNews { history.append(number, shown.documents, told: names) }
        (changed, again, missing) = (.nothing, [], [])
        (isCurrent, toldFromCache) = (true, isFromCache)
        isSteady = hold.isEmpty && shape.queries.count == 1 && shape.offset == 0
        guard isNews else { return nil }
        return Telling(
            difference: difference, names: names, deleted: Set(deleted), removedAt: removedAt,
            isReset: isReset && isFirst, isFirst: isFirst)
    }

    /// When the backend told at the latest of removed documents.
    ///
    /// The backend may have told of other targets since, but of no later state of these documents:
    /// a client drops a state of a document that is older than the time of the document's deletion.
    /// The shown state is older than the news that removed it.
    private func removalTimes(of keys: [DocumentKey]) -> [DocumentKey: Timestamp] {
        guard readAt != .zero else { return [:] }
        return Dictionary(
            uniqueKeysWithValues: keys.map { key in
                let shown = history.latest?[key]?.updateTime
                return (key, max(readAt.timestamp, shown ?? readAt.timestamp))
            })
    }

    private func isKnownMissing(_ key: DocumentKey) -> Bool {
        missing.contains(key) || (shape.isOfNames && isSettled)
    }

    /// The documents of a list of names that are known to exist no more.
    ///
    /// The backend tells of them too when a target begins.
    private var absentNames: [DocumentKey] {
        guard shape.isOfNames, isSettled else { return [] }
        return shape.queries.compactMap(\.documentKey).filter { !newest.contains($0) }
    }

    private var isSettled: Bool { !isFromCache && !hasPendingWrites }

    private var shownCount: Int { newest.count + (history.latest?.count ?? 0) }

    /// Takes the one document of one of many names.
    private mutating func join(_ snapshot: ViewSnapshot, of query: Int) {
        guard let key = shape.queries[query].documentKey else {
            preconditionFailure("Of several queries one is not for a document")
        }
        changed.add([key], outOf: shownCount)
        if let document = snapshot.documents[key] {
            newest.insert(document)
        } else {
            newest.remove(key)
        }
    }

    /// Takes all results, and skips those that the client does not want.
    private mutating func show(_ documents: DocumentSet) {
        newest = documents
        guard shape.offset > 0 else { return }
        var first: Set<DocumentKey> = []
        for index in 0..<min(shape.offset, documents.count) { first.insert(documents[index].key) }
        for key in first { newest.remove(key) }
        changed.add(first.symmetricDifference(skipped), outOf: shownCount)
        skipped = first
    }

    /// The newest picture without the documents held back, and the names that may have changed in
    /// the picture.
    private mutating func settled(
        at now: Duration, _ window: Duration?
    ) -> (documents: DocumentSet, names: ChangedNames)? {
        guard let window else {
            let names = hold.release(changed)
            return (newest, names)
        }
        if shape.showsEachForItself, let latest = history.latest {
            return hold.each(of: newest, shown: latest, changed, at: now, for: window)
        }
        guard hold.mayShow(newest, shown: history.latest, changed, at: now, for: window) else {
            return nil
        }
        return (newest, changed)
    }
}

extension GatewayTarget {
    /// Where the client of a target goes on from.
    enum Resumption: Sendable {
        /// It has nothing.
        case start
        /// The client has documents that nobody here knows of.
        case unknown
        /// The client has the picture that was shown, and may have heard of some later states of
        /// `told`.
        case point(SentHistory, told: Set<DocumentKey>)
    }
}

extension GatewayTarget.Telling {
    /// Has the changed documents encoded once for all clients that are told the same.
    fileprivate mutating func share() { shared = SharedDocuments(difference.changed) }
}
