import HearthEngine
import HearthModel

/// What a turn needs to note what becomes of documents.
struct HistoryKeeper: Sendable {
    /// Whether, and how much, is kept.
    var terms = HistoryTerms()
    /// The time of the present turn.
    var now = Timestamp(seconds: 0, nanoseconds: 0)
    /// How many entries the turn has noted.
    var notedCount = 0
}

/// The history of documents: who changed what, and when.
///
/// An entry is stored in the turn that makes it true, beside the change itself. A turn without history
/// costs one look at a flag for each change.
extension LocalStore {
    /// Notes what programs see of documents that are about to change and have no history yet, so that
    /// the first step has something to be compared with.
    ///
    /// - Parameter keys: Not computed without history.
    mutating func noteKnown<Keys: Collection<DocumentKey>>(
        _ keys: @autoclosure () -> Keys, _ store: any FirestoreTransaction
    ) throws(StoreError) {
        guard history.terms.isKept else { return }
        for key in keys() {
            if try store.hasHistory(of: key) { continue }
            let remote = try store.remoteDocument(key)
            var local = remote
            try store.overlay(key, of: user)?.apply(to: &local)
            if local.isValid { try note(.known, local, over: remote, store) }
        }
    }

    /// Notes versions that the backend told, unless a document's last entry says the same.
    ///
    /// - Parameter locals: What programs see of each, in the same order.
    mutating func noteHeard(
        _ remotes: [Document], _ locals: [Document], _ store: any FirestoreTransaction
    ) throws(StoreError) {
        guard history.terms.isKept else { return }
        for (told, seen) in zip(remotes, locals) {
            // A document that was made up, because a lookup was refused: nothing is known of it.
            let isMadeUp = told.isMissing && told.version == .zero
            let remote = isMadeUp ? .invalid(told.key) : told
            let local = isMadeUp && !seen.hasLocalMutations ? remote : seen
            if let last = try store.lastHistory(of: remote.key), last.tells(remote, local) {
                continue
            }
            try note(.heard, local, over: remote, store)
        }
    }

    /// Notes how a write, or the end of a write, left the write's documents.
    ///
    /// - Parameters:
    ///   - event: What happened to the write.
    ///   - locals: What programs see of the documents afterwards.
    ///   - remotes: The backend's versions of the documents, in the same order, if the backend has spoken.
    mutating func note(
        _ event: (HistoryWrite) -> HistoryEvent, _ queued: QueuedBatch, _ locals: [Document],
        over remotes: [Document]? = nil, _ store: any FirestoreTransaction
    ) throws(StoreError) {
        guard history.terms.isKept else { return }
        let write = HistoryWrite(
            batch: queued.batch.id, user: queued.user, writer: queued.writer)
        for (place, local) in locals.enumerated() {
            try note(event(write), local, over: remotes?[place], store)
        }
    }

    private mutating func note(
        _ event: HistoryEvent, _ local: Document, over remote: Document?,
        _ store: any FirestoreTransaction
    ) throws(StoreError) {
        history.notedCount += 1
        try store.appendHistory(
            HistoryEntry(
                notedAt: history.now, event: event, local: local,
                remote: remote.flatMap { local.isTold(beside: $0) ? $0 : nil }))
    }
}

extension Document {
    /// Whether an entry tells the remote document too: it is another, and there is room.
    fileprivate func isTold(beside remote: Document) -> Bool {
        hasLocalMutations && remote.isValid
            && fields.byteCountBound + remote.fields.byteCountBound
                <= LocalStore.documentByteCountMax
    }
}

extension HistoryEntry {
    /// Whether a document is already known to be so.
    fileprivate func tells(_ remote: Document, _ local: Document) -> Bool {
        let known = self.remote ?? self.local
        return known.version == remote.version && known.content == remote.content
            && self.local.content == local.content
    }
}
