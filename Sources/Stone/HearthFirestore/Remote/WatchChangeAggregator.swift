import HashTreeCollections
package import HearthModel

/// Gathers the messages of one watch stream until they add up to a consistent event.
///
/// Every listen has a wire id of its own. A listen counts from the backend's ADD until we stop the
/// listen; the aggregator drops later messages for the listen as late echoes.
///
/// The backend may send a token for all listens at once, as with every heartbeat. The aggregator
/// notes such a token once. A listen takes the token with the listen's next news, or when the
/// engine asks.
package struct WatchChangeAggregator: Sendable {
    /// A token for all listens that were taken up before.
    private struct CommonToken: Sendable {
        let token: ResumeToken
        let at: UInt64
    }

    /// The age of tokens at which an event carries the common token to all listens.
    ///
    /// By the event the store hears of the token.
    static let commonTokenAgeMax = Duration.seconds(300)

    /// How much memory the documents between two events may take.
    package static let byteCountMax = 256 << 20

    private let byteCountMax: Int
    private let database: DatabaseID
    /// Rises with each message about tokens and each acknowledgement, to tell which came later.
    private var lastPlace: UInt64 = 0
    private var common: CommonToken?
    /// The last common token that an event came with, and the version of the event.
    private var told: (common: CommonToken, version: SnapshotVersion)?
    /// When an event last carried the common token to all, or the stream's first event.
    private var spreadAt: SnapshotVersion?
    private var listens: TreeDictionary<WireTargetID, WatchedListen> = [:]
    /// Listens with news for the next event; a fresh listen from its acknowledgement on.
    ///
    /// The first event names a fresh listen even if nothing matches.
    private var news: TreeSet<WireTargetID> = []
    /// Listens of one document for which silence at the next event may be an answer.
    private var silent: TreeSet<WireTargetID> = []
    /// How many listens events have looked at so far: what their work is measured by.
    private(set) var visitCount = 0
    private var documents = GatheredDocuments()

    /// A fresh stream's state.
    ///
    /// - Parameters:
    ///   - database: The database that the stream watches.
    ///   - byteCountMax: How much memory the documents between two events may take.
    package init(database: DatabaseID, byteCountMax: Int = Self.byteCountMax) {
        self.database = database
        self.byteCountMax = byteCountMax
    }

    /// A fresh stream's state for an engine.
    init(_ configuration: FirestoreEngine.Configuration) {
        self.init(
            database: configuration.database, byteCountMax: configuration.gatheredByteCountMax)
    }

    /// Notes that a listen was requested.
    package mutating func requested(_ wire: WireTargetID, target: TargetID) {
        listens[wire] = WatchedListen(target: target)
    }

    /// Notes that a listen was stopped, here or there.
    package mutating func stopped(_ wire: WireTargetID) {
        listens[wire] = nil
        news.remove(wire)
        silent.remove(wire)
    }

    /// The target of a listen that is not stopped.
    package func target(of wire: WireTargetID) -> TargetID? { listens[wire]?.target }

    /// Whether the backend has not yet said of a listen that it was taken up.
    package func isAwaited(_ wire: WireTargetID) -> Bool {
        listens[wire].map { $0.acknowledgedAt == nil } ?? false
    }

    /// Whether the last event said all of a listen.
    package func isToldWhole(_ wire: WireTargetID) -> Bool { listens[wire]?.isToldWhole ?? false }

    /// Whether the backend has answered a listen, and only the next event is missing. O(listens with news).
    package var holdsAnswerBack: Bool { news.contains { listens[$0]?.isHeldBack ?? false } }

    /// About how much memory the documents since the last event take. O(1).
    package var byteCount: Int { documents.byteCount }

    /// Whether the documents since the last event take more memory than documents may. O(1).
    private var isOverfull: Bool { byteCount > byteCountMax }

    /// Makes room, if the documents since the last event take more memory than documents may.
    ///
    /// What was told of stopped listens alone is forgotten first.
    ///
    /// - Returns: The listen to stop next, which most of the documents are for; `nil` if there is room.
    /// - Complexity: O(documents); O(1) if there is room.
    package mutating func makeRoom() -> WireTargetID? {
        guard isOverfull else { return nil }
        let listens = listens
        let isLive = { (note: DocumentNews.Note) in listens[note.wire]?.epoch == note.epoch }
        documents.drop(unless: isLive)
        return isOverfull ? documents.greediest(among: isLive) : nil
    }

    /// Takes a document's message.
    package mutating func received(_ change: DocumentWatchChange, _ targets: some WatchedTargets) {
        for wire in change.updated {
            if let document = change.document, document.isFound {
                add(document, to: wire, targets)
            } else {
                remove(change.key, from: wire, now: change.document, targets)
            }
        }
        for wire in change.removed {
            remove(change.key, from: wire, now: change.document, targets)
        }
    }

    /// Takes a message about targets. Refused targets are the caller's business.
    ///
    /// - Complexity: O(targets named); all listens if none is named, unless it is just for a token.
    package mutating func received(_ change: TargetWatchChange, _ targets: some WatchedTargets) {
        if change.targets.isEmpty, change.kind == .noChange {
            if let token = change.resumeToken {
                common = CommonToken(token: token, at: nextPlace())
            }
            return
        }
        for wire in change.targets.isEmpty ? Array(listens.keys) : change.targets {
            switch change.kind {
            case .added:
                // Every listen is fresh, so there is nothing to forget.
                guard listens[wire] != nil else { continue }
                let place = nextPlace()
                listens[wire]?.acknowledgedAt = place
                news.insert(wire)
            case .removed:
                stopped(wire)
                continue
            case .noChange:
                guard isActive(wire, targets) else { continue }
            case .current:
                guard isActive(wire, targets) else { continue }
                listens[wire]?.isCurrent = true
                news.insert(wire)
            case .reset:
                guard isActive(wire, targets) else { continue }
                reset(wire, targets)
            }
            if let token = change.resumeToken {
                listens[wire]?.resumeToken = token
                let place = nextPlace()
                listens[wire]?.tokenAt = place
                news.insert(wire)
            }
        }
    }

    /// Takes the backend's count of a target.
    package mutating func received(_ filter: ExistenceFilter, _ targets: some WatchedTargets) {
        let wire = filter.target
        guard isActive(wire, targets), let id = listens[wire]?.target,
            let data = targets.targetData(of: id)
        else { return }
        if let key = data.target.documentKey {
            if filter.count == 0 {
                remove(key, from: wire, now: .missing(key, at: .zero), targets)
            }
            return
        }
        let count = documentCount(of: wire, targets)
        if count == filter.count { return }
        var purpose = TargetPurpose.existenceFilterMismatch
        if let bloom = filter.unchangedNames {
            let dropped = dropUnnamed(bloom, from: wire, targets)
            if filter.count == count - dropped { return }
            purpose = .existenceFilterMismatchBloom
        }
        reset(wire, targets)
        listens[wire]?.mismatch = purpose
    }

    /// Makes an event of everything gathered, and starts anew.
    ///
    /// - Parameters:
    ///   - version: The snapshot that everything gathered leads up to.
    ///   - awaiting: Listens whose document has an acknowledged write, if silence is an answer now.
    ///   - targets: What the cache knows of the targets.
    /// - Complexity: O(what was gathered), however many listens there are.
    package mutating func makeEvent(
        at version: SnapshotVersion, awaiting: [WireTargetID] = [], _ targets: some WatchedTargets
    ) -> RemoteEvent {
        var event = RemoteEvent(version: version)
        noteCommonToken(at: version)
        let looked = news.union(silent).union(awaiting)
        silent = []
        let active = looked.sorted().filter { isActive($0, targets) }
        visitCount += active.count
        for wire in active {
            synthesiseDelete(of: wire, at: version, targets)
            if let listen = listens[wire], mayBeSilent(listen, targets) { silent.insert(wire) }
        }
        let lists = gather(into: &event, targets)
        for wire in active {
            guard let listen = listens[wire], news.remove(wire) != nil else { continue }
            let changes = lists[wire] ?? DocumentNews.Lists()
            // Who is to be asked anew has not said all, whatever came behind the count.
            event.targetChanges[listen.target] = TargetChange(
                resumeToken: resumeToken(of: listen),
                isCurrent: listen.isCurrent && listen.mismatch == nil,
                added: changes.added, modified: changes.modified, removed: changes.removed)
            event.targetMismatches[listen.target] = listen.mismatch
            listens[wire] = listen.told
        }
        documents = GatheredDocuments()
        return event
    }

    /// Adds the gathered documents to an event, and returns the documents' changes by listen.
    private func gather(
        into event: inout RemoteEvent, _ targets: some WatchedTargets
    ) -> [WireTargetID: DocumentNews.Lists] {
        var lists: [WireTargetID: DocumentNews.Lists] = [:]
        event.documents.reserveCapacity(documents.count)
        for (key, news) in documents.rows {
            var isLookedUp = true
            news.visit { note in
                if let listen = listens[note.wire], listen.epoch == note.epoch {
                    lists[note.wire, default: DocumentNews.Lists()].append(key, note.change)
                }
                let purpose = targets.targetData(of: note.target)?.purpose
                if purpose ?? .limboResolution != .limboResolution { isLookedUp = false }
            }
            if isLookedUp { event.resolvedLimbo.insert(key) }
            guard var document = news.document else { continue }
            document.readAt = event.version
            event.documents.append(document)
        }
        return lists
    }

    // MARK: Tokens

    /// Where to resume a listen, and from which snapshot, if events told the place for all listens.
    ///
    /// `nil` if no event did, or if an event told a later place for the listen alone.
    package func commonPoint(
        of wire: WireTargetID
    ) -> (token: ResumeToken, version: SnapshotVersion)? {
        guard let told, let listen = listens[wire], let acknowledgedAt = listen.acknowledgedAt,
            told.common.at > max(acknowledgedAt, listen.toldTokenAt)
        else { return nil }
        return (told.common.token, told.version)
    }

    private func resumeToken(of listen: WatchedListen) -> ResumeToken? {
        guard let common, let acknowledgedAt = listen.acknowledgedAt,
            common.at > max(acknowledgedAt, listen.tokenAt)
        else { return listen.resumeToken }
        return common.token
    }

    private mutating func noteCommonToken(at version: SnapshotVersion) {
        let last = spreadAt ?? version
        spreadAt = last
        guard let common, common.at > told?.common.at ?? 0 else { return }
        told = (common, version)
        guard version.timestamp.since(last.timestamp) >= Self.commonTokenAgeMax else { return }
        spreadAt = version
        for (wire, listen) in listens where listen.acknowledgedAt != nil { news.insert(wire) }
    }

    private mutating func nextPlace() -> UInt64 {
        lastPlace += 1
        return lastPlace
    }

    // MARK: Documents

    private func isActive(_ wire: WireTargetID, _ targets: some WatchedTargets) -> Bool {
        active(wire, targets) != nil
    }

    /// A listen that the backend has taken up and nobody has stopped.
    private func active(_ wire: WireTargetID, _ targets: some WatchedTargets) -> WatchedListen? {
        guard let listen = listens[wire], listen.acknowledgedAt != nil,
            targets.isWatched(listen.target)
        else { return nil }
        return listen
    }

    private mutating func add(
        _ document: Document, to wire: WireTargetID, _ targets: some WatchedTargets
    ) {
        guard let listen = active(wire, targets) else { return }
        let isKnown = targets.isRemoteKey(document.key, of: listen.target)
        note(document.key, isKnown ? .modified : .added, now: document, for: wire, listen)
    }

    private mutating func remove(
        _ key: DocumentKey, from wire: WireTargetID, now document: Document?,
        _ targets: some WatchedTargets
    ) {
        guard let listen = active(wire, targets) else { return }
        // What came and went between two events never was.
        let isKnown = targets.isRemoteKey(key, of: listen.target)
        note(key, isKnown ? .removed : nil, now: document, for: wire, listen)
    }

    /// Notes what happened to a document in a listen, and the document's present state, if told.
    private mutating func note(
        _ key: DocumentKey, _ change: DocumentNews.Change?, now document: Document?,
        for wire: WireTargetID, _ listen: WatchedListen
    ) {
        let note = DocumentNews.Note(
            wire: wire, target: listen.target, epoch: listen.epoch, change: change,
            word: document.map { $0.isFound ? .found : .missing } ?? .gone)
        let old = documents.take(note, of: key, now: document)
        if old != change { listens[wire]?.count(change, insteadOf: old) }
        news.insert(wire)
    }

    private mutating func reset(_ wire: WireTargetID, _ targets: some WatchedTargets) {
        guard let old = listens[wire] else { return }
        let id = old.target
        listens[wire] = WatchedListen(
            target: id, acknowledgedAt: nextPlace(), epoch: old.epoch + 1, mismatch: old.mismatch)
        news.insert(wire)
        for key in targets.remoteKeys(of: id) { remove(key, from: wire, now: nil, targets) }
    }

    private func documentCount(of wire: WireTargetID, _ targets: some WatchedTargets) -> Int {
        guard let listen = listens[wire] else { return 0 }
        return targets.remoteKeyCount(of: listen.target) + listen.addedCount - listen.removedCount
    }

    private mutating func dropUnnamed(
        _ bloom: BloomFilter, from wire: WireTargetID, _ targets: some WatchedTargets
    ) -> Int {
        guard let id = listens[wire]?.target else { return 0 }
        var dropped = 0
        for key in targets.remoteKeys(of: id) {
            let name = DocumentName(database: database, key: key).description
            if bloom.mightContain(name) { continue }
            remove(key, from: wire, now: nil, targets)
            dropped += 1
        }
        return dropped
    }

    /// Whether silence at the next event may be an answer about the listen's document.
    ///
    /// The document has just left, or a lookup waits for news of the document.
    private func mayBeSilent(_ listen: WatchedListen, _ targets: some WatchedTargets) -> Bool {
        guard let data = targets.targetData(of: listen.target), data.target.documentKey != nil
        else {
            return false
        }
        return data.purpose == .limboResolution || listen.removedCount > 0
    }

    /// Notes the end of a document whose own current target has an empty result.
    ///
    /// The deletion counts if the backend never spoke of the document or took the document back, or
    /// if another target's older word came later.
    private mutating func synthesiseDelete(
        of wire: WireTargetID, at version: SnapshotVersion, _ targets: some WatchedTargets
    ) {
        guard let listen = listens[wire], listen.isCurrent,
            let key = targets.targetData(of: listen.target)?.target.documentKey,
            !targets.isRemoteKey(key, of: listen.target)
        else { return }
        let news = documents[key]
        switch news?.word(in: wire, epoch: listen.epoch) {
        case .found: return
        case .missing:
            guard news?.document?.isFound ?? false else { return }
        case .gone, nil: break
        }
        remove(key, from: wire, now: .missing(key, at: version), targets)
    }
}
