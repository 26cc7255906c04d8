import HashTreeCollections
import HearthEngine
import HearthModel

/// Writes that are worth something only for a while, or only now; and writers that take writes back.
///
/// Only a batch that was never sent is given up. The backend may have applied a batch that was sent
/// without an answer, so such a batch goes on in spite of its terms. A batch leaves the queue as by the
/// order of an administrator: the engine computes the batches behind anew, and tells the writer and the
/// listeners why.
extension FirestoreEngine {
    /// Whether the backend is known not to be there: a stream failed, and nothing was answered since.
    var isKnownOffline: Bool {
        !canUseNetwork || online.state == .offline || hasConnectionFailed
    }

    /// Why writes must not be accepted under their terms; `nil` if they may.
    func refusal(of terms: SendingTerms, at now: Timestamp) -> HearthError? {
        if let expiresAt = terms.expiresAt, expiresAt <= now { return .expired(expiresAt) }
        return terms.isOnlineOnly && isKnownOffline ? .onlyOnline : nil
    }

    /// Reads the terms of the waiting batches.
    mutating func loadTerms(_ turn: inout Turn) throws(StoreError) {
        terms = TermTable()
        for (batch, found) in try turn.store.terms() { terms.set(found, of: batch) }
        scheduleTerms(&turn.effects)
    }

    /// Notes the terms of a batch that is accepted.
    mutating func note(
        _ terms: SendingTerms, of batch: BatchID, _ turn: inout Turn
    ) throws(StoreError) {
        guard !terms.areNone else { return }
        try turn.store.setTerms(terms, of: batch)
        self.terms.set(terms, of: batch)
        scheduleTerms(&turn.effects)
    }

    /// Forgets the terms of a batch that leaves the queue, or that was sent.
    mutating func forgetTerms(of batch: BatchID, _ turn: inout Turn) throws(StoreError) {
        guard terms[batch] != nil else { return }
        try turn.store.setTerms(nil, of: batch)
        terms.remove(batch)
    }

    /// Sets the timer of the first batch that expires.
    func scheduleTerms(_ effects: inout Effects) {
        guard let expiry = terms.firstExpiry else { return }
        let delay = expiry > effects.now ? expiry.since(effects.now) : .zero
        effects.actions.append(.schedule(.terms, after: delay))
    }

    /// The backend is not there: what is only for now is looked through in a turn of its own.
    func endOnlineOnlySoon(_ effects: inout Effects) {
        guard !terms.onlineOnly.isEmpty else { return }
        effects.actions.append(.schedule(.terms, after: .zero))
    }

    /// Gives up what has expired, and without a backend what is only for now.
    ///
    /// - Returns: Whether that is all; if not, the engine goes on in a turn of its own.
    mutating func giveUpOverdue(_ turn: inout Turn) throws(StoreError) -> Bool {
        while let batch = terms.firstExpired(by: turn.now), mayGiveUp(&turn) {
            try giveUp(batch, .expired(terms[batch]?.expiresAt ?? turn.now), &turn)
        }
        while isKnownOffline, let batch = terms.onlineOnly.first, mayGiveUp(&turn) {
            try giveUp(batch, .onlyOnline, &turn)
        }
        return terms.firstExpired(by: turn.now) == nil
            && (terms.onlineOnly.isEmpty || !isKnownOffline)
    }

    /// The timer of terms has run out.
    mutating func termsFired(_ turn: inout Turn) throws(StoreError) {
        if try giveUpOverdue(&turn) { scheduleTerms(&turn.effects) }
        try fillPipeline(&turn)
    }

    private mutating func giveUp(
        _ batch: BatchID, _ error: HearthError, _ turn: inout Turn
    ) throws(StoreError) {
        turn.givenUpCount += 1
        guard case .success(let batches) = try turn.store.steerable([batch]) else {
            try forgetTerms(of: batch, &turn)  // It was sent, or it is gone.
            return
        }
        for queued in batches {
            try takeOut(queued, error, isKept: true, &turn)
            turn.effects.actions.append(.note(.batchRejected(batch, error)))
        }
    }

    // MARK: Taking back

    /// A client takes back a write of its own that was not sent.
    mutating func cancelWrite(
        _ id: RequestID, _ batch: BatchID, _ identity: WriteIdentity, _ turn: inout Turn
    ) throws(StoreError) {
        try turn.store.enter(.steerQueue)
        guard try turn.store.identity(of: batch) == identity else {
            turn.effects.actions.append(.refuse(id, .notOwn(batch)))
            return
        }
        switch try turn.store.steerable([batch]) {
        case .failure(let error): turn.effects.actions.append(.refuse(id, error))
        case .success(let batches):
            for queued in batches { try takeOut(queued, .takenBack, isKept: false, &turn) }
            try fillPipeline(&turn)
            turn.effects.actions.append(.complete(id))
        }
    }
}

extension HearthError {
    /// A write was not sent in its time.
    fileprivate static func expired(_ at: Timestamp) -> HearthError {
        HearthError(
            code: .deadlineExceeded,
            message: "The write expired at \(at), before it was sent to the backend.")
    }

    /// A write that is only for now, and there is no backend.
    fileprivate static let onlyOnline = HearthError(
        code: .unavailable,
        message: "The write is only for a machine that is online, and the backend is not there.")

    fileprivate static let takenBack = HearthError(
        code: .cancelled, message: "The program took the write back before it was sent.")

    fileprivate static func notOwn(_ batch: BatchID) -> HearthError {
        HearthError(
            code: .permissionDenied,
            message: "Batch \(batch) is no write of this program. An administrator may cancel it: "
                + "`hearth queue cancel \(batch)`.")
    }
}
