import HashTreeCollections
import HearthEngine
import HearthModel

/// Promised times: the answers to writers, and the later fate of the promises.
///
/// A precondition may name the time that a waiting batch has promised. The write is sent only after
/// that batch is answered, with the version that the batch has got.
extension FirestoreEngine {
    /// How long a rejection may be on its way to the caller that is told.
    private static let tellingTimeMax = Duration.seconds(60)

    /// How the preconditions of a batch that is to be sent stand.
    enum Condition {
        /// All times are the backend's, or known to stand for such.
        case holds
        /// A batch in front, whose time is named, is not answered.
        case waits
        /// A named time stands for nothing.
        case fails(HearthError)
    }

    // MARK: Accepting

    /// Judges the conditions of a request, as far as the writer wants.
    func judge(
        _ request: WriteRequest, _ store: any FirestoreTransaction
    ) throws(StoreError) -> Result<LocalStore.JudgedWrites, HearthError> {
        if request.conditions == .asSDK {
            return .success(LocalStore.JudgedWrites(mutations: request.mutations))
        }
        return try local.judge(
            request.mutations, by: judge(request.conditions, store), store)
    }

    /// Judges the promises in writes that a session sends past the queue.
    mutating func translate(
        _ mutations: [Mutation], for id: RequestID, _ turn: inout Turn
    ) throws(StoreError) {
        let store = turn.store
        switch try local.judge(mutations, by: judge(.translated, store), store) {
        case .failure(let error): turn.effects.actions.append(.refuse(id, error))
        case .success(let judged):
            let waits = judged.mutations.contains { $0.namedPromise != nil }
            turn.effects.actions.append(
                waits
                    ? .refuse(id, .promiseWaits) : .result(id, .translated(judged.mutations)))
        }
    }

    private func judge(
        _ conditions: WriteConditions, _ store: any FirestoreTransaction
    ) -> ConditionJudge {
        ConditionJudge(
            database: configuration.database, conditions: conditions,
            isBackendInReach: canUseNetwork && online.state != .offline
        ) { time throws(StoreError) in try store.promise(time) }
    }

    /// Tells a writer what its documents show until the backend has spoken.
    mutating func tellPromise(
        of batch: MutationBatch, _ judged: LocalStore.JudgedWrites, to request: WriteRequest,
        _ effects: inout Effects
    ) {
        guard request.tellsPromise, let promisedAt = batch.promisedAt else { return }
        promisedSessions.insert(request.id.session)
        let promised = PromisedWrite(
            promisedAt: promisedAt, transformResults: judged.results(promisedAt: promisedAt))
        effects.actions.append(.result(request.id, .promised(promised)))
    }

    // MARK: Settling

    /// A caller no longer waits for the outcome of its write.
    ///
    /// A race: the engine may have decided the rejection meanwhile. The rejection reaches nobody,
    /// so its letter becomes a waiting dead letter.
    mutating func disclaim(
        _ batch: BatchID, by id: RequestID, _ turn: inout Turn
    ) throws(StoreError) {
        if !stopTelling(of: batch, to: id) { try markUntold(batch, &turn) }
    }

    /// A caller is not told of a batch's outcome that comes from now on.
    ///
    /// - Returns: Whether the caller was still to be told.
    mutating func stopTelling(of batch: BatchID, to id: RequestID) -> Bool {
        guard pendingWrites.writer(of: batch) == id else { return false }
        pendingWrites.disclaim(batch, by: id)
        return true
    }

    /// A caller has got its answer, a rejection: nobody needs the letter any more.
    func told(_ batch: BatchID, _ turn: inout Turn) throws(StoreError) {
        try turn.store.forgetToldLetter(batch)
    }

    /// Settles the told letters that the last run has left: nobody has confirmed that the callers
    /// of these letters got their answers.
    ///
    /// The letters of the last minute wait for somebody from now on. The callers of older letters
    /// had time enough to be told. The engine forgets older letters, so that no later start takes
    /// one for a letter of the last minute.
    func settleToldLetters(_ store: any FirestoreTransaction) throws(StoreError) {
        for batch in try store.toldLetters(ofLast: Self.tellingTimeMax) {
            try store.markUntold(batch)
        }
        try store.forgetToldLetters()
    }

    /// Has the letter of a batch wait for somebody, if there is one: its writer heard nothing.
    func markUntold(_ batch: BatchID, _ turn: inout Turn) throws(StoreError) {
        try turn.store.markUntold(batch)
    }

    /// Tells a writer what the backend made of the transforms.
    func tellTransforms(of queued: QueuedBatch, _ answer: WriteAnswer, _ effects: inout Effects) {
        guard queued.batch.mutations.contains(where: { !$0.transforms.isEmpty }),
            let writer = pendingWrites.writer(of: queued.batch.id),
            promisedSessions.contains(writer.session)
        else { return }
        let results = answer.results.map(\.transformResults)
        effects.actions.append(.result(writer, .transformed(results)))
    }

    /// Whether a caller still waits to be told what becomes of its batch.
    ///
    /// A session of frames is told too, but its program need not look.
    func tellsOutcome(of queued: QueuedBatch) -> Bool {
        pendingWrites.writer(of: queued.batch.id).map { promisedSessions.contains($0.session) }
            ?? false
    }

    /// Remembers what became of the time that a batch had promised.
    func keepPromise(
        of queued: QueuedBatch, _ outcome: WriteOutcome, _ turn: inout Turn
    ) throws(StoreError) {
        guard let promise = SettledPromise(of: queued.batch, outcome) else { return }
        try turn.store.setPromise(promise)
    }

    // MARK: Sending

    /// How the preconditions of the next batch stand.
    func condition(of queued: QueuedBatch, _ turn: inout Turn) throws(StoreError) -> Condition {
        for mutation in queued.batch.mutations {
            guard let time = mutation.namedPromise else { continue }
            if pipeline.isOnTheWay(promise: time) { return .waits }
            guard let promise = try turn.store.promise(time) else {
                return .fails(.promiseForgotten(time))
            }
            if promise.version(of: mutation.key) == nil {
                return .fails(.promiseRejected(promise.batch))
            }
        }
        return .holds
    }

    /// How many batches a turn gives up: a chain of thousands must not stop the engine.
    static let giveUpCountMax = 100

    /// Whether the turn may give up another batch; if not, the engine goes on in a turn of its own.
    func mayGiveUp(_ turn: inout Turn) -> Bool {
        if turn.givenUpCount < Self.giveUpCountMax { return true }
        turn.effects.actions.append(.schedule(.filling, after: .zero))
        return false
    }

    /// Puts a batch whose condition cannot hold among the dead letters, instead of sending it.
    mutating func giveUp(
        _ queued: QueuedBatch, _ error: HearthError, _ turn: inout Turn
    ) throws(StoreError) {
        turn.givenUpCount += 1
        _ = pipeline.removeUnsendable(queued.batch.id)
        try reject(queued, error, mayHaveBeenApplied: queued.isInDoubt, &turn)
        try topUpPipeline(&turn)
    }

    /// Writes whose preconditions name only times of the backend.
    func translated(
        _ mutations: [Mutation], _ turn: inout Turn
    ) throws(StoreError) -> [Mutation] {
        guard mutations.contains(where: { $0.namedPromise != nil }) else { return mutations }
        var translated: [Mutation] = []
        for mutation in mutations {
            guard let time = mutation.namedPromise,
                let version = try turn.store.promise(time)?.version(of: mutation.key)
            else {
                translated.append(mutation)
                continue
            }
            translated.append(
                Mutation(
                    key: mutation.key, kind: mutation.kind, precondition: .updateTime(version),
                    transforms: mutation.transforms))
        }
        return translated
    }
}

extension HearthError {
    /// A write past the queue names what a write in the queue will be.
    fileprivate static let promiseWaits = HearthError(
        code: .failedPrecondition,
        message: "The required base version is promised by a write that still waits for the "
            + "backend. Write again when that write has been committed.")
}

extension Mutation {
    /// The promised time that the precondition names; `nil` if it names none.
    fileprivate var namedPromise: Timestamp? {
        guard case .updateTime(let version) = precondition, version.timestamp.isPromise else {
            return nil
        }
        return version.timestamp
    }
}

extension FirestoreTransaction {
    /// Puts the letter of a batch whose writer heard nothing after all among the waiting letters.
    fileprivate func markUntold(_ batch: BatchID) throws(StoreError) {
        guard let letter = try deadLetter(batch), letter.wasTold else { return }
        try appendDeadLetter(letter.untold)
    }
}
