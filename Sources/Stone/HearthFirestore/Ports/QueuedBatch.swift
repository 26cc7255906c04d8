package import HearthEngine
package import HearthModel

/// What is kept of a target: where to resume it, and how it was last used.
package struct TargetData: Hashable, Sendable {
    /// Ours for the target.
    package let id: TargetID
    /// What is watched.
    package let target: Target
    /// Why it is watched.
    package var purpose: TargetPurpose
    /// When the target was last used.
    package var sequenceNumber: ListenSequenceNumber
    /// The version of the last snapshot that said something of it.
    package var snapshotVersion: SnapshotVersion
    /// The last version at which no document was in limbo; earlier results can be trusted.
    package var limboFreeVersion: SnapshotVersion
    /// Where to resume.
    package var resumeToken: ResumeToken?

    /// A target that was never heard of.
    package init(
        id: TargetID, target: Target, purpose: TargetPurpose = .listen,
        sequenceNumber: ListenSequenceNumber, snapshotVersion: SnapshotVersion = .zero,
        limboFreeVersion: SnapshotVersion = .zero, resumeToken: ResumeToken? = nil
    ) {
        self.id = id
        self.target = target
        self.purpose = purpose
        self.sequenceNumber = sequenceNumber
        self.snapshotVersion = snapshotVersion
        self.limboFreeVersion = limboFreeVersion
        self.resumeToken = resumeToken
    }

    /// Notes where the backend had got to, unless something later is known.
    mutating func resume(at token: ResumeToken, version: SnapshotVersion) {
        guard version >= snapshotVersion else { return }
        resumeToken = token
        snapshotVersion = version
    }
}

/// A batch with all that is known of it besides.
package struct QueuedBatch: Hashable, Sendable {
    /// The writes.
    package let batch: MutationBatch
    /// Whose queue it is in.
    package let user: UserID
    /// How far it has come.
    package var state: BatchState
    /// Who wrote it.
    package let writer: Writer
    /// The stored size of the batch's writes, in bytes, if the batch was read from a store.
    ///
    /// The size tells no two batches apart.
    package let storedByteCount: Int?

    /// Puts a batch in a user's queue.
    package init(
        batch: MutationBatch, user: UserID, state: BatchState = .queued, writer: Writer,
        storedByteCount: Int? = nil
    ) {
        self.batch = batch
        self.user = user
        self.state = state
        self.writer = writer
        self.storedByteCount = storedByteCount
    }

    /// Whether the batch was sent without an answer: the backend may have applied the batch.
    package var isInDoubt: Bool { state == .sentUnanswered }

    package static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.batch == rhs.batch && lhs.user == rhs.user && lhs.state == rhs.state
            && lhs.writer == rhs.writer
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(batch)
        hasher.combine(user)
        hasher.combine(state)
    }
}

/// What became of a write.
package enum WriteOutcome: Hashable, Sendable {
    /// The write waits in the queue.
    case pending
    /// The backend has the write.
    ///
    /// `updatedAt` has the time of each document's change, in the order of the writes; empty if the
    /// times are not known.
    case committed(at: SnapshotVersion, updatedAt: [SnapshotVersion] = [])
    /// The backend, or an administrator, refused the write.
    ///
    /// If an earlier sending was never answered, the backend may have applied the write all the
    /// same.
    case rejected(HearthError, mayHaveBeenApplied: Bool)
}

/// A rejected batch, kept until someone decides.
package struct DeadLetter: Hashable, Sendable {
    /// The batch as it was in the queue.
    package let batch: QueuedBatch
    /// Why the batch was refused.
    package let error: HearthError
    /// When.
    package let rejectedAt: Timestamp
    /// Whether an earlier sending got no answer: the backend may have applied the batch.
    package let mayHaveBeenApplied: Bool
    /// Whether the writer still waited and was told: then nobody needs to decide anything.
    package let wasTold: Bool

    /// Buries a batch. A dead letter promises nothing any more.
    package init(
        batch: QueuedBatch, error: HearthError, rejectedAt: Timestamp, mayHaveBeenApplied: Bool,
        wasTold: Bool = false
    ) {
        self.wasTold = wasTold
        self.batch = QueuedBatch(
            batch: batch.batch.promised(at: nil), user: batch.user, state: batch.state,
            writer: batch.writer, storedByteCount: batch.storedByteCount)
        self.error = error
        self.rejectedAt = rejectedAt
        self.mayHaveBeenApplied = mayHaveBeenApplied
    }

    /// The same letter, marked as told to nobody.
    package var untold: DeadLetter {
        DeadLetter(
            batch: batch, error: error, rejectedAt: rejectedAt,
            mayHaveBeenApplied: mayHaveBeenApplied)
    }
}

/// What is kept of a loaded bundle.
package struct BundleRecord: Hashable, Sendable {
    /// The bundle's name for itself.
    package let id: String
    /// When it was built.
    package let createdAt: SnapshotVersion
    /// The format's version.
    package let version: Int

    /// Remembers a bundle.
    package init(id: String, createdAt: SnapshotVersion, version: Int) {
        self.id = id
        self.createdAt = createdAt
        self.version = version
    }
}

/// A query that a bundle gave a name.
package struct NamedQuery: Hashable, Sendable {
    /// The name.
    package let name: String
    /// The query.
    package let query: Query
    /// When the bundle's documents were read.
    package let readAt: SnapshotVersion

    /// Names a query.
    package init(name: String, query: Query, readAt: SnapshotVersion) {
        self.name = name
        self.query = query
        self.readAt = readAt
    }
}
