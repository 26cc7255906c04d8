import HearthFirestore
import HearthModel
import HearthServer

/// One target of a client's watch stream: what was shown to the client, and what is to be shown.
///
///     waiting --every query has its first snapshot--> current --snapshot--> current
///
/// Snapshots replace each other until the client can take one: the client is then told the
/// difference between the newest and what it was shown. The target holds back for a while the
/// changes of a write that waits for the backend (`SettlingHold`). So the client hears of a write
/// in one event, whole and with the backend's time.
///
/// A steady target was shown all of its last snapshot, and knows of nothing besides. Its next telling
/// is the same for every steady target that gets the next snapshot, and is computed once for them
/// (`SharedTellings`).
///
/// Decides; `ListenStream` makes the messages.
struct GatewayTarget: Sendable {
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
    private var isListed = false
    private var isSteady = false
    /// The snapshot that a steady target has got and not looked at.
    private var following: SharedSnapshot?
    private var parts: TargetParts
    /// What the newest snapshots show, without what an offset skips; `nil` if the client was shown
    /// all of it.
    private var unshown: DocumentSet?
    /// The first results, which an offset skips.
    private var skipped: Set<DocumentKey> = []
    private var changed = ChangedNames.all
    /// Documents that the client may know in another state than the history has.
    private var again: Set<DocumentKey> = []
    /// Removed documents that the backend said are missing.
    private var missing: Set<DocumentKey> = []
    /// Documents that left by writes that the backend has not confirmed.
    private var departed = DepartedKeys()
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
        parts = TargetParts(queryCount: shape.queries.count)
        hasNews = shape.queries.isEmpty
        unshown = DocumentSet(order: shape.queries.first?.order ?? Query(path: .root).order)
        switch resumption {
        case .start: (history, isReset) = (SentHistory(), false)
        case .unknown: (history, isReset) = (SentHistory(), true)
        case .point(let earlier, let names):
            (history, isReset) = (earlier, false)
            again = names
        }
    }

    /// Whether the client may have to be told something.
    var isDue: Bool { (hasNews || isHolding) && parts.isComplete }

    /// Whether something is held back.
    var isHolding: Bool { !hold.isEmpty }

    /// When what is held back is shown at the latest; `nil` for nothing.
    var showsAt: Duration? { hold.endsAt }

    /// Whether the backend may know better than the picture.
    var isFromCache: Bool { parts.isFromCache }

    /// Whether something that is shown, or held back, waits for the backend.
    var hasPendingWrites: Bool { parts.hasPendingWrites }

    /// Up to when the backend has told of the target.
    var readAt: SnapshotVersion { parts.readAt }

    /// Takes a snapshot of one of the shape's queries. O(changes), with an offset O(changes + offset).
    ///
    /// - Returns: Whether the target must be given its turn to tell.
    mutating func received(_ shared: SharedSnapshot, of query: Int) -> Bool {
        let isNext = parts.take(shared, of: query)
        hasNews = true
        if isSteady, isNext {
            following = shared
        } else {
            // A target with a following snapshot has one query.
            if let before = following.take() { merge(before.snapshot, of: 0, isNext: true) }
            merge(shared.snapshot, of: query, isNext: isNext)
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

    private mutating func merge(_ snapshot: ViewSnapshot, of query: Int, isNext: Bool) {
        let names =
            snapshot.changes.map(\.document.key) + snapshot.refreshed + snapshot.settledDepartures
        if shape.queries.count > 1 {
            join(snapshot, of: query)
        } else if isNext {
            changed.add(names, outOf: shownCount)
            show(snapshot.documents)
            departed = snapshot.departedKeys
            // If all may have changed, the hold finds out itself.
            if shape.showsEachForItself, changed != .all {
                hold.join(names + snapshot.hiddenKeys)
            }
        } else {
            changed = .all
            show(snapshot.documents)
            departed = snapshot.departedKeys
        }
        for name in names { missing.remove(name) }
        if changed != .all || snapshot.missingKeys.count <= shownCount {
            missing.formUnion(snapshot.missingKeys)
        }
    }

    /// What the client is to be told now, if the target waits for its turn; `nil` for nothing.
    ///
    /// - Parameters:
    ///   - number: Of the message that will complete the picture.
    ///   - window: How long a write may wait for its answer before it is shown; `nil` for not at all.
    mutating func take(
        _ number: UInt64, at now: Duration, settling window: Duration?
    ) -> Telling? {
        guard isListed else { return nil }
        isListed = false
        guard isDue else { return nil }
        hasNews = false
        guard let shared = following.take() else {
            return news(in: compare(at: now, settling: window, isShared: false), number)
        }
        let tellings = shared.tellings
        let one = SharedTellings.Case(toldFromCache: toldFromCache, isSettling: window != nil)
        if let telling = tellings.find(one) {
            (isSteady, toldFromCache) = (true, isFromCache)
            return news(in: telling, number)
        }
        merge(shared.snapshot, of: 0, isNext: true)
        let telling = compare(at: now, settling: window, isShared: true)
        if isSteady, let telling { tellings.insert(telling, of: one) }
        return news(in: telling, number)
    }

    /// Notes what the client is shown by a telling.
    ///
    /// - Returns: The telling; `nil` if the client need not hear of it.
    private mutating func news(in telling: Telling?, _ number: UInt64) -> Telling? {
        guard let telling, telling.occasion != .nothing else { return nil }
        if telling.isFirst { history = SentHistory() }
        history.append(number, telling.picture, told: telling.names)
        return telling
    }

    /// Compares the newest picture with what the client was shown; `nil` if all news waits.
    ///
    /// - Parameter isShared: Whether all targets that are steady afterwards are told the same.
    private mutating func compare(
        at now: Duration, settling window: Duration?, isShared: Bool
    ) -> Telling? {
        guard let shown = settled(at: now, window) else { return nil }
        if !isCurrent { again.formUnion(absentNames) }
        let difference = SnapshotDifference(
            from: history.latest, to: shown.documents, among: shown.names, again: again)
        let occasion: Telling.Occasion =
            if !isCurrent {
                .beginning(isReset: isReset)
            } else if !difference.isEmpty || isFromCache != toldFromCache {
                .news
            } else {
                .nothing
            }
        let removals = difference.removed.map { removal(of: $0) }
        (changed, again) = (.nothing, [])
        missing = hold.isEmpty ? [] : missing.filter { hold.holds($0) }
        (isCurrent, toldFromCache) = (true, isFromCache)
        isSteady = hold.isEmpty && shape.queries.count == 1 && shape.offset == 0
        if isSteady { unshown = nil }
        return Telling(
            occasion, of: SentHistory.Picture(shown.documents), difference, removals,
            isShared: isShared && isSteady)
    }

    private func removal(of key: DocumentKey) -> Telling.Removal {
        Telling.Removal(key: key, isDeleted: isKnownMissing(key), at: removalTime(of: key))
    }

    /// When the backend told at the latest of a removed document; `nil` if it told nothing.
    ///
    /// The backend may have told of other targets since, but of no later state of this document: a
    /// client drops a state of a document that is older than the time of the document's deletion.
    /// The shown state is older than the news that removed it.
    private func removalTime(of key: DocumentKey) -> Timestamp? {
        guard readAt != .zero else { return nil }
        let shown = history.latest?[key]?.updateTime
        return max(readAt.timestamp, shown ?? readAt.timestamp)
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

    /// What the newest snapshots show, without what an offset skips.
    private var newest: DocumentSet {
        guard let documents = unshown ?? history.latest else {
            preconditionFailure("Target \(id) has nothing to show, and has shown nothing")
        }
        return documents
    }

    /// Takes the one document of one of many names. Such a target is never steady.
    private mutating func join(_ snapshot: ViewSnapshot, of query: Int) {
        guard let key = shape.queries[query].documentKey else {
            preconditionFailure("Of several queries one is not for a document")
        }
        changed.add([key], outOf: shownCount)
        if let document = snapshot.documents[key] {
            unshown?.insert(document)
        } else {
            unshown?.remove(key)
        }
        if snapshot.departedKeys.contains(key) {
            departed.insert(key)
        } else {
            departed.remove(key)
        }
    }

    /// Takes all results, and skips those that the client does not want.
    private mutating func show(_ documents: DocumentSet) {
        unshown = documents
        guard shape.offset > 0 else { return }
        var first: Set<DocumentKey> = []
        for index in 0..<min(shape.offset, documents.count) { first.insert(documents[index].key) }
        for key in first { unshown?.remove(key) }
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
        let pictures = SettlingHold.Pictures(
            newest: newest, shown: history.latest, departed: departed)
        if shape.showsEachForItself, let latest = history.latest {
            return hold.each(of: pictures, shown: latest, changed, at: now, for: window)
        }
        guard hold.mayShow(pictures, changed, at: now, for: window) else { return nil }
        return (newest, changed)
    }
}

extension GatewayTarget {
    /// Where the client of a target goes on from.
    enum Resumption: Sendable {
        /// It has nothing.
        case start
        /// The client may have documents that nobody here knows of.
        case unknown
        /// The client has the picture that was shown, and may have heard of some later states of
        /// `told`.
        case point(SentHistory, told: Set<DocumentKey>)
    }
}
