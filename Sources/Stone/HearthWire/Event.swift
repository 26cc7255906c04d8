package import HearthEngine
package import HearthModel

/// A message of the daemon to a client. The frame holds the number of the request that the event
/// answers.
package enum Event: Hashable, Sendable {
    /// The session is open.
    case welcome(Welcome)
    /// A request without a result is done.
    case done
    /// A request failed. Under the number 0, the whole session ends.
    case failed(HearthError)
    /// The result of a one-time read, always the whole state.
    case answer(Snapshot)
    /// News for a listener.
    case snapshot(Snapshot)
    /// A listener ended with an error.
    case listenFailed(HearthError)
    /// A write is durable in the daemon's queue.
    case writeAccepted(WriteAccepted)
    /// The backend has a write.
    case writeCommitted(WriteCommitted)
    /// A write was refused, after it had been accepted.
    case writeRejected(WriteRejected)
    /// All listeners have been told of the latest change.
    case inSync
    /// An inquiry is answered.
    case report(Report)
    /// The daemon has carried out an order to the queue, for these batches.
    case queueSteered([SteeredBatch])
    /// The daemon has read its configuration again.
    case reloaded(ReloadReport)
    /// How far the loading of a bundle has come.
    case bundleProgress(BundleProgress)
    /// A named query; `nil` if no bundle holds a query of the name.
    case namedQuery(NamedQuery?)
    /// Documents in the backend's state: found or missing.
    case documents([Document])
    /// A transaction is committed.
    case committed(Committed)
    /// A transaction is not committed, or nobody knows whether the backend has committed the
    /// transaction.
    case commitFailed(HearthError, mayHaveBeenApplied: Bool)
    /// Numbers over a query's results.
    case numbers(AggregateResult)
    /// How a query was answered from the cache.
    case explanation(QueryExplanation)
    /// The indexes of the cache.
    case indexes(IndexList)
    /// Who is signed in.
    case signIn(SignInReport)
    /// A part of a bundle that was built.
    case bundle(FirestoreRequest.BundlePart)
    /// News for a listener to the Realtime Database, or a part of the news.
    case viewNews(ViewPart)
    /// The result of a one-time read of the Realtime Database, or a part of the result.
    case node(NodePart)
    /// A step of a transaction in the Realtime Database, or a part of the step.
    case transaction(TransactionPart)
    /// The places of an instance that are kept in step for good, in the order of paths.
    case keptPlaces([KeptPlace], hasMore: Bool = false)
    /// How pins stand, in the order of their ids.
    case pins([PinReport], hasMore: Bool = false)
    /// A part of a backup.
    case backupPart(BackupPart)
    /// The session has the memory file of hot documents of so many bytes, whose descriptor comes with
    /// the frame; with `nil`, the session has no file.
    case sharedReads(byteCount: Int?)
}

extension Event {
    /// A write is durable, and has a place in the daemon's queue.
    package struct WriteAccepted: Hashable, Sendable {
        /// The client's number for the write.
        package var sequence: UInt64
        /// The write's place in the queue.
        package var batch: BatchID

        /// Takes the parts.
        package init(sequence: UInt64, batch: BatchID) {
            self.sequence = sequence
            self.batch = batch
        }
    }

    /// The backend has a write.
    package struct WriteCommitted: Hashable, Sendable {
        /// The client's number for the write.
        package var sequence: UInt64
        /// The write's place in the queue.
        package var batch: BatchID
        /// When the backend committed the write; zero in the Realtime Database, which does not tell.
        package var committedAt: SnapshotVersion
        /// When each document changed, in the order of the writes; empty if the daemon does not
        /// know.
        package var updateTimes: [SnapshotVersion]

        /// Takes the parts.
        ///
        /// - Parameters:
        ///   - sequence: The client's number for the write.
        ///   - batch: The write's place in the queue.
        ///   - committedAt: When the backend committed the write; zero in the Realtime Database,
        ///     which does not tell.
        ///   - updateTimes: When each document changed, in the order of the writes; empty if the
        ///     daemon does not know.
        package init(
            sequence: UInt64, batch: BatchID, committedAt: SnapshotVersion,
            updateTimes: [SnapshotVersion] = []
        ) {
            self.sequence = sequence
            self.batch = batch
            self.committedAt = committedAt
            self.updateTimes = updateTimes
        }
    }

    /// A write was refused by the backend, or by an administrator.
    package struct WriteRejected: Hashable, Sendable {
        /// The client's number for the write.
        package var sequence: UInt64
        /// The write's number in the queue, which the dead letter keeps.
        package var batch: BatchID
        /// Why the write was refused.
        package var error: HearthError
        /// Whether the write was sent before without an answer, so that the backend may have
        /// applied the write.
        package var mayHaveBeenApplied: Bool
        /// Whether the daemon has forgotten what became of the write.
        package var isOutcomeUnknown: Bool

        /// Takes the parts.
        ///
        /// - Parameters:
        ///   - sequence: The client's number for the write.
        ///   - batch: The write's number in the queue, which the dead letter keeps.
        ///   - error: Why the write was refused.
        ///   - mayHaveBeenApplied: Whether the write was sent before without an answer, so that the
        ///     backend may have applied the write.
        ///   - isOutcomeUnknown: Whether the daemon has forgotten what became of the write.
        package init(
            sequence: UInt64, batch: BatchID, error: HearthError, mayHaveBeenApplied: Bool = false,
            isOutcomeUnknown: Bool = false
        ) {
            self.sequence = sequence
            self.batch = batch
            self.error = error
            self.mayHaveBeenApplied = mayHaveBeenApplied
            self.isOutcomeUnknown = isOutcomeUnknown
        }
    }

    /// A transaction is committed.
    package struct Committed: Hashable, Sendable {
        /// When the backend committed the transaction.
        package var committedAt: SnapshotVersion
        /// When each document changed, in the order of the writes.
        package var updateTimes: [SnapshotVersion]

        /// Takes the parts.
        package init(committedAt: SnapshotVersion, updateTimes: [SnapshotVersion]) {
            self.committedAt = committedAt
            self.updateTimes = updateTimes
        }
    }

    /// How far the loading of a bundle has come.
    package struct BundleProgress: Hashable, Sendable {
        /// Documents loaded. In the last report 0 of more says that nothing was taken of the bundle, because the
        /// bundle, or a newer one of its name, was loaded before.
        package var documentsLoaded: Int
        /// Documents in all.
        package var totalDocuments: Int
        /// Bytes loaded.
        package var bytesLoaded: Int
        /// Bytes in all.
        package var totalBytes: Int
        /// Whether this is the last report.
        package var isFinished: Bool

        /// Takes the counts.
        ///
        /// - Parameters:
        ///   - documentsLoaded: Documents loaded. In the last report 0 of more says that nothing
        ///     was taken of the bundle, because the bundle, or a newer one of its name, was loaded
        ///     before.
        ///   - totalDocuments: Documents in all.
        ///   - bytesLoaded: Bytes loaded.
        ///   - totalBytes: Bytes in all.
        ///   - isFinished: Whether this is the last report.
        package init(
            documentsLoaded: Int, totalDocuments: Int, bytesLoaded: Int, totalBytes: Int,
            isFinished: Bool
        ) {
            self.documentsLoaded = documentsLoaded
            self.totalDocuments = totalDocuments
            self.bytesLoaded = bytesLoaded
            self.totalBytes = totalBytes
            self.isFinished = isFinished
        }
    }

    /// A query that a bundle stores under a name.
    package struct NamedQuery: Hashable, Sendable {
        /// The query.
        package var query: Query
        /// When the bundle's documents were read.
        package var readAt: SnapshotVersion

        /// Names a query.
        package init(query: Query, readAt: SnapshotVersion) {
            self.query = query
            self.readAt = readAt
        }
    }
}
