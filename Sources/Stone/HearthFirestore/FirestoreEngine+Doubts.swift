import HearthEngine
import HearthModel

/// Batches in doubt that the backend refuses.
///
/// The backend may have applied an earlier copy of the batch. Then the earlier copy can be the
/// reason why the later copy failed: the marker is there, the document to create exists.
///
/// So the engine reads the batch's documents before the engine judges the failure. A marker tells
/// whether the backend applied the batch. Without a marker nobody knows, and the batch is rejected;
/// but the cache then holds the documents as the backend has them. Otherwise listeners would see a
/// document go that the watch stream then brings again.
extension FirestoreEngine {
    /// Whether the engine must read what a batch writes to before judging the batch's failure.
    func mustAsk(about culprit: QueuedBatch, _ error: HearthError) -> Bool {
        guard pipeline.mayHaveApplied(culprit, refusedWith: error) else { return false }
        return markers.marker(of: culprit) != nil
            || (culprit.batch.hasPreconditions && error.code.isOfPrecondition)
    }

    /// Reads what a failed batch writes to, and the batch's marker.
    mutating func ask(
        about culprit: QueuedBatch, _ error: HearthError, _ effects: inout Effects
    ) {
        let marker = markers.marker(of: culprit)
        let id = culprit.batch.id
        markers.question = .init(batch: id, error: error, isMarked: marker != nil)
        ask(.read((marker.map { [$0] } ?? []) + culprit.batch.keys), .question(id), &effects)
        if marker != nil, case .permissionDenied = error.code, markers.permission == .allowed {
            markers.permission = .unknown  // The rules may have changed.
        }
    }

    /// The backend has answered what a failed batch writes to.
    mutating func questionAnswered(
        about batch: BatchID, _ answer: BackendAnswer, _ turn: inout Turn
    ) throws(StoreError) {
        guard let question = takeQuestion(about: batch) else { return }
        switch answer {
        case .read(let documents): try judge(question, documents, &turn)
        case .failed(let error) where error.code.isPermanent || !question.isMarked:
            try judge(question, [], &turn)
        case .failed, .committed, .aggregated:
            // After a while the batch is sent again, fails again, and is asked for again.
            if writeStream.openNumber == nil {
                try fillPipeline(&turn)
            } else {
                turn.effects.actions.append(.schedule(.filling, after: Self.retryDelay))
            }
            startWriteStreamIfNeeded(&turn.effects)
        }
    }

    /// The failed batch of a question was asked for, and is no longer.
    ///
    /// - Returns: The question; `nil` if the engine asks about another batch, or about none.
    mutating func takeQuestion(about batch: BatchID) -> WriteMarkers.Question? {
        guard let question = markers.question, question.batch == batch else { return nil }
        markers.question = nil
        return question
    }

    /// The write stream has waited for an answer about a failed batch, which came.
    mutating func endWait(_ effects: inout Effects) {
        startWriteStreamIfNeeded(&effects)
        if writeStream.isBackingOff, pipeline.batches.isEmpty {
            performOnWriteStream(writeStream.stop(), &effects)
        } else {
            performOnWriteStream(writeStream.hurry(at: effects.now), &effects)
        }
    }

    /// - Parameter documents: The marker, if there is one, and what the batch writes to; nothing if
    ///   the documents may not be read.
    private mutating func judge(
        _ question: WriteMarkers.Question, _ documents: [Document], _ turn: inout Turn
    ) throws(StoreError) {
        if let queued = try turn.store.batch(question.batch, of: local.user) {
            if pipeline.batches.first?.batch.id == question.batch { _ = pipeline.removeFirst() }
            let written = Array(documents.dropFirst(question.isMarked ? 1 : 0))
            if let marker = documents.first, markers.marks(marker, queued) {
                try acknowledge(queued, asFound: written, marker.version, &turn)
            } else {
                try local.takeIn(written, turn.store)
                try reject(queued, question.error, mayHaveBeenApplied: true, &turn)
            }
        }
        try fillPipeline(&turn)
        endWait(&turn.effects)
    }

    private mutating func acknowledge(
        _ queued: QueuedBatch, asFound documents: [Document], _ version: SnapshotVersion,
        _ turn: inout Turn
    ) throws(StoreError) {
        let changed = try local.acknowledge(queued, asFound: documents, turn.store)
        local.promises.heard(version)
        turn.effects.actions.append(.note(.batchCommitted(queued.batch.id)))
        let updatedAt = queued.batch.updateTimes(asFound: documents, committedAt: version)
        try settle(queued, .committed(at: version, updatedAt: updatedAt), &turn)
        try updateViews(
            with: changed, after: .acknowledged(Set(queued.batch.keys)), &turn)
        settleOverdue(&turn.effects)
    }
}

/// The end of a write, as far as views must know.
enum WriteEnding {
    /// Documents with a write that was acknowledged just now.
    ///
    /// The engine decides soon what the backend's silence about the documents means
    /// (`settleViews`), or now if there is other news.
    case acknowledged(Set<DocumentKey>)
    /// A write that was rejected. If the backend may have applied the write all the same, views
    /// show at once what the cache has of the documents.
    case rejected(RejectedWrite, mayHaveBeenApplied: Bool)

    /// The documents with a write that was acknowledged just now.
    var justAcknowledged: Set<DocumentKey> {
        if case .acknowledged(let keys) = self { keys } else { [] }
    }

    /// The write that was rejected; `nil` for an acknowledged write.
    var rejected: RejectedWrite? {
        if case .rejected(let write, _) = self { write } else { nil }
    }

    /// Whether views show acknowledged writes as the cache has them.
    var settles: Bool {
        if case .rejected(_, mayHaveBeenApplied: true) = self { true } else { false }
    }
}

extension MutationBatch {
    /// When each write changed its document, as far as documents tell that were read later.
    ///
    /// A write that changes nothing leaves the document its older version. A version that is newer
    /// than the commit is of a later change, and the write's own is taken to be the commit's.
    fileprivate func updateTimes(
        asFound documents: [Document], committedAt version: SnapshotVersion
    ) -> [SnapshotVersion] {
        let found = Dictionary(documents.map { ($0.key, $0) }) { first, _ in first }
        return mutations.map { mutation in
            guard let document = found[mutation.key], document.isFound else { return version }
            return min(document.version, version)
        }
    }

    /// Whether the batch holds only under conditions, which the batch itself may have changed.
    fileprivate var hasPreconditions: Bool { mutations.contains { $0.precondition != .none } }
}

extension StatusCode {
    /// Whether a commit that ends so met a document in another state than a precondition says.
    fileprivate var isOfPrecondition: Bool {
        switch self {
        case .alreadyExists, .notFound, .failedPrecondition: true
        case .ok, .cancelled, .unknown, .invalidArgument, .deadlineExceeded, .permissionDenied,
            .resourceExhausted, .aborted, .outOfRange, .unimplemented, .internalError,
            .unavailable, .dataLoss, .unauthenticated:
            false
        }
    }
}
