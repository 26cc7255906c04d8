import HearthModel
import HearthWire

/// The state that a listener was told last.
///
/// The view outlasts lost connections, so that the next snapshot tells the listener only the
/// changes.
struct ListenerView: Equatable, Sendable {
    /// What a snapshot means for the listener.
    enum Outcome: Equatable, Sendable {
        /// The listener gets the update.
        case show(ViewUpdate)
        /// The listener gets nothing: the snapshot is not complete, or changes nothing that the
        /// listener wants to know.
        case nothing
        /// The daemon sent the difference from a state that the client does not have. The client
        /// must listen anew.
        case lost
    }

    private let includeMetadataChanges: Bool
    private var documents: DocumentSet
    /// The flags of the last snapshot; `nil` before the first snapshot.
    private var flags: Event.SnapshotFlags?
    /// The number of the last snapshot of this session; `nil` before the first snapshot.
    private var id: UInt64?
    /// The last change of the cache at which a read of the cache finds this state; 0 if the daemon
    /// does not say.
    var changeNumber: UInt64 { id == nil ? 0 : flags?.changeNumber ?? 0 }

    /// The parts that have come of a snapshot that is not complete.
    private var partial: Event.Snapshot?
    /// Rejected writes of snapshots that the listener was not shown. The next update tells them.
    private var untoldRejections: [HearthModel.RejectedWrite] = []

    /// A listener that has been told nothing.
    init(order: DocumentOrder, includeMetadataChanges: Bool) {
        self.includeMetadataChanges = includeMetadataChanges
        documents = DocumentSet(order: order)
    }

    /// The connection is gone; the next snapshot will be a whole state.
    mutating func sessionEnded() {
        id = nil
        partial = nil
    }

    /// The state as the answer to a read of the cache.
    var asCached: ViewUpdate {
        ViewUpdate(
            from: nil, to: documents,
            flags: Event.SnapshotFlags(
                isFromCache: true, hasPendingWrites: flags?.hasPendingWrites ?? false,
                excludesMetadataChanges: false))
    }

    /// A frame has come.
    mutating func received(_ part: Event.Snapshot) -> Outcome {
        var snapshot = part
        if var begun = partial {
            guard begun.id == part.id, begun.base == part.base else { return .lost }
            begun.append(part)
            snapshot = begun
        }
        if snapshot.hasMore {
            partial = snapshot
            return .nothing
        }
        partial = nil
        guard snapshot.base == nil || snapshot.base == id else { return .lost }
        return apply(snapshot)
    }

    private mutating func apply(_ snapshot: Event.Snapshot) -> Outcome {
        let listed = snapshot.documents.map(Self.marked)
        var next = snapshot.base == nil ? DocumentSet(order: documents.order) : documents
        for key in snapshot.removed { next.remove(key) }
        for document in listed { next.insert(document) }
        let isFirst = flags == nil
        var update: ViewUpdate
        if isFirst || snapshot.base == nil {
            update = ViewUpdate(
                from: isFirst ? nil : documents, to: next, flags: snapshot.flags)
        } else {
            let gone = snapshot.removed.compactMap { next.contains($0) ? nil : documents[$0] }
            let changes = ViewUpdate.changes(
                from: documents, to: next,
                removed: gone.sorted { next.order.compare($0, $1) < 0 },
                candidates: listed.sorted { next.order.compare($0, $1) < 0 })
            update = ViewUpdate(
                previous: documents, documents: next, changes: changes, flags: snapshot.flags)
        }
        let isShown = isFirst || isVisible(update, after: flags)
        documents = next
        flags = snapshot.flags
        id = snapshot.id
        let rejected = untoldRejections.followed(by: snapshot.flags.rejectedWrites)
        untoldRejections = isShown ? [] : rejected
        update.flags.rejectedWrites = rejected
        return isShown ? .show(update) : .nothing
    }

    private func isVisible(_ update: ViewUpdate, after flags: Event.SnapshotFlags?) -> Bool {
        if update.changes.contains(where: { $0.kind != .metadata }) { return true }
        guard includeMetadataChanges else { return false }
        return !update.changes.isEmpty || flags?.isFromCache != update.flags.isFromCache
            || flags?.hasPendingWrites != update.flags.hasPendingWrites
    }

    private static func marked(_ listed: Event.ListedDocument) -> Document {
        var document = listed.document
        if listed.hasPendingWrites { document.markLocalMutations() }
        return document
    }
}
