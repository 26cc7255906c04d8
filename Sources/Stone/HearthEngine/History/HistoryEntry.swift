package import HearthModel

/// One step in the history of a document: what happened, when, and what the document was then.
package struct HistoryEntry: Hashable, Sendable {
    /// The place in the store's history, which rises; 0 for an entry that is in no store.
    package var number: Int64 = 0
    /// When the machine noted the entry, by the machine's own clock.
    package let notedAt: Timestamp
    /// What happened.
    package let event: HistoryEvent
    /// What programs saw of the document afterwards: the remote document with the writes that wait.
    package let local: Document
    /// What the backend had said of the document, if writes that wait make `local` another.
    ///
    /// Known for events of the backend alone, and only if both together are no larger than a
    /// document may be.
    package let remote: Document?

    /// Notes a step.
    ///
    /// - Parameters:
    ///   - notedAt: When the machine noted the entry, by the machine's own clock.
    ///   - event: What happened.
    ///   - local: What programs saw of the document afterwards: the remote document with the writes
    ///     that wait.
    ///   - remote: What the backend had said of the document, if writes that wait make `local`
    ///     another document; otherwise `nil`.
    package init(
        notedAt: Timestamp, event: HistoryEvent, local: Document, remote: Document? = nil
    ) {
        self.notedAt = notedAt
        self.event = event
        self.local = local
        self.remote = remote
    }

    /// The document.
    package var key: DocumentKey { local.key }

    /// The entry as a reader can be told of it: without fields that no frame can hold.
    ///
    /// Edits of waiting writes, and versions below waiting writes, can make a document so. Its content
    /// is unknown then, and the backend's document is left out.
    ///
    /// - Complexity: O(parts of the documents).
    package var told: HistoryEntry {
        let byteCount = local.fields.byteCountBound + (remote?.fields.byteCountBound ?? 0)
        let nesting = max(local.fields.nesting, remote?.fields.nesting ?? 0)
        if byteCount <= HistoryLimits.documentByteCountMax, nesting <= Value.nestingMax {
            return self
        }
        var document = Document.unknown(key, at: local.version)
        if local.hasLocalMutations { document.markLocalMutations() }
        document.readAt = local.readAt
        var entry = HistoryEntry(notedAt: notedAt, event: event, local: document)
        entry.number = number
        return entry
    }
}

/// What happened to a document.
package enum HistoryEvent: Hashable, Sendable {
    /// Nothing: the cache had the document when the history began, or after older steps were
    /// forgotten.
    case known
    /// The backend told of a version.
    case heard
    /// A write of this machine was accepted.
    case accepted(HistoryWrite)
    /// An administrator gave a waiting write another content.
    case edited(HistoryWrite)
    /// The backend committed a write of this machine.
    case committed(HistoryWrite)
    /// A write of this machine was given up, because the backend or the writer's own terms refused it.
    case rejected(HistoryWrite, HearthError)
    /// An administrator or the writer took a waiting write back.
    case withdrawn(HistoryWrite, HearthError)

    /// The write, if the event is of one.
    package var write: HistoryWrite? {
        switch self {
        case .known, .heard: nil
        case .accepted(let write), .edited(let write), .committed(let write),
            .rejected(let write, _), .withdrawn(let write, _):
            write
        }
    }

    /// Why the write ended without a commit, if it did.
    package var error: HearthError? {
        switch self {
        case .known, .heard, .accepted, .edited, .committed: nil
        case .rejected(_, let error), .withdrawn(_, let error): error
        }
    }
}

/// A write of this machine, as a history names it.
package struct HistoryWrite: Hashable, Sendable {
    /// The number of the batch.
    package let batch: BatchID
    /// Firebase's user in whose queue the batch waited.
    package let user: UserID
    /// Who wrote, as the kernel says.
    package let writer: Writer

    /// Names a write.
    ///
    /// - Parameters:
    ///   - batch: The number of the batch.
    ///   - user: Firebase's user in whose queue the batch waited.
    ///   - writer: Who wrote, as the kernel says.
    package init(batch: BatchID, user: UserID, writer: Writer) {
        self.batch = batch
        self.user = user
        self.writer = writer
    }
}
