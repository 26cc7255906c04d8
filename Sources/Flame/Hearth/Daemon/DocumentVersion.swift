import HearthEngine
import HearthModel
import HearthWire

/// One step in the history of a document on this machine: what happened, when, and what the document was
/// then.
///
/// Steps come from a daemon whose `[history]` is kept. Two steps follow each other for most writes:
/// the daemon accepted the write, and the backend committed it.
public struct DocumentVersion: Sendable, Identifiable {
    /// What happened to a document.
    public enum Event: String, Hashable, Sendable, CaseIterable {
        /// Nothing: the document was so when its history began here.
        case known
        /// The backend told of a version.
        case heard
        /// A write of this machine was accepted.
        case accepted
        /// An administrator gave a waiting write another content.
        case edited
        /// The backend committed a write of this machine.
        case committed
        /// A write of this machine was given up: it is among the dead letters, or its writer knows.
        case rejected
        /// An administrator or the writer took a waiting write back.
        case withdrawn
    }

    /// The write that a step is about.
    public struct Write: Hashable, Sendable {
        /// The number of the write's batch in the queue, the `id` of `PendingBatch`.
        public let batchID: Int64
        /// Firebase's user in whose queue the write waited; empty for nobody.
        public let user: String
        /// Who wrote.
        public let writer: PendingBatch.Writer
    }

    /// The number of the step, which rises; 0 for a step that the daemon has concluded from its cache.
    public let id: Int64
    /// When the machine noted the step, by the machine's own clock.
    public let notedAt: Timestamp
    /// What happened.
    public let event: Event
    /// The write; `nil` if the step is about none of this machine's queue.
    public let write: Write?
    /// Why the write was given up or taken back.
    public let error: FirestoreError?
    /// What is known of the document after the step.
    public let state: DocumentDescription.State
    /// What programs saw of the document after the step, with writes that waited.
    ///
    /// The snapshot does not exist unless `state` is `found`.
    public let snapshot: DocumentSnapshot
    /// What the backend had said, if writes that waited made `snapshot` another; not always known.
    public let remoteSnapshot: DocumentSnapshot?
    /// When the document last changed in the backend, as far as was known; `nil` while writes of this
    /// machine are part of it.
    public let updatedAt: Timestamp?
    /// The backend's time at which the daemon last read the document; `nil` if it never had.
    public let readAt: Timestamp?

    init(_ entry: HistoryEntry, of reference: DocumentReference) {
        id = entry.number
        notedAt = Timestamp(entry.notedAt)
        event = Event(entry.event.kind)
        write = entry.event.write.map(Write.init)
        error = entry.event.error.map { FirestoreError($0) }
        state =
            switch entry.local.content {
            case .invalid: .unknown
            case .found: .found
            case .missing: .missing
            case .unknown: .fieldsUnknown
            }
        snapshot = Self.snapshot(of: entry.local, reference)
        remoteSnapshot = entry.remote.map { Self.snapshot(of: $0, reference) }
        updatedAt = Self.moment((entry.remote ?? entry.local).version)
        readAt = Self.moment(entry.local.readAt)
    }

    private static func snapshot(
        of document: Document, _ reference: DocumentReference
    ) -> DocumentSnapshot {
        DocumentSnapshot(
            reference: reference, document: document.isFound ? document : nil, isFromCache: true)
    }

    private static func moment(_ version: SnapshotVersion) -> Timestamp? {
        version == .zero ? nil : Timestamp(version.timestamp)
    }
}

extension DocumentVersion.Event {
    fileprivate init(_ kind: HistoryEvent.Kind) {
        self =
            switch kind {
            case .known: .known
            case .heard: .heard
            case .accepted: .accepted
            case .edited: .edited
            case .committed: .committed
            case .rejected: .rejected
            case .withdrawn: .withdrawn
            }
    }
}

extension DocumentVersion.Write {
    fileprivate init(_ write: HistoryWrite) {
        batchID = write.batch.rawValue
        user = write.user.rawValue
        writer = PendingBatch.Writer(
            uid: write.writer.uid, gid: write.writer.gid, pid: write.writer.pid,
            unit: write.writer.unit, program: write.writer.program)
    }
}
