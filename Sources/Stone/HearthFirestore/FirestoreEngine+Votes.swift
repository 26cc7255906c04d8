import HashTreeCollections
import HearthEngine
import HearthModel

/// Every session may vote for or against the use of the network.
///
/// A session that votes against the network withholds its own listens and reads from the backend,
/// even if other sessions want the network. The engine is offline only if all sessions that want
/// something of the backend vote against the network, and may administer the engine. The vote of
/// any other session counts for its own listens and reads alone, since the queue of all programs
/// cannot wait for a single program.
///
/// - Source: the SDKs' promises: while a program has switched its network off, its listeners and
///   reads get their results from the cache; one tab's `disableNetwork` leaves the others online.
extension FirestoreEngine {
    /// A session is for or against the use of the network.
    mutating func vote(
        _ id: RequestID, isEnabled: Bool, _ turn: inout Turn
    ) throws(StoreError) {
        votes[id.session] = isEnabled
        try countVotes(&turn)
        setWithheld(id.session, !isEnabled, &turn.effects)
        turn.effects.actions.append(.complete(id))
    }

    /// A session wants something of the backend: unless it said otherwise, it is for the network.
    mutating func noteUse(by session: UInt64, _ turn: inout Turn) throws(StoreError) {
        guard session != 0, votes[session] == nil else { return }  // 0 is the daemon itself.
        votes[session] = true
        try countVotes(&turn)
    }

    /// A session is gone, and its vote with it.
    mutating func removeVote(of session: UInt64, _ turn: inout Turn) throws(StoreError) {
        if applyVotes(without: session, &turn.effects) { try fillPipeline(&turn) }
    }

    /// A session is gone: the streams follow the votes of the others.
    ///
    /// - Returns: Whether the votes allow the network again, so that the queue can go on.
    mutating func applyVotes(without session: UInt64, _ effects: inout Effects) -> Bool {
        votes.removeValue(forKey: session) != nil && applyVotes(&effects)
    }

    /// A session withholds its own listens and reads from the backend, or ends the withholding.
    ///
    /// Meanwhile the session's listeners see the cache, marked as from the cache. The engine sends
    /// the session's writes as always.
    mutating func withhold(
        _ id: RequestID, isWithheld: Bool, _ turn: inout Turn
    ) throws(StoreError) {
        if isWithheld {
            // Later writes may have voted for the network again: said twice, the wish takes no vote.
            if !withheld.contains(id.session) { try removeVote(of: id.session, &turn) }
        } else {
            // Also if it voted against when it had the right to administer.
            votes[id.session] = true
            try countVotes(&turn)
        }
        setWithheld(id.session, isWithheld, &turn.effects)
        turn.effects.actions.append(.complete(id))
    }

    /// Notes whether a session withholds its own listens and reads from the backend.
    private mutating func setWithheld(
        _ session: UInt64, _ isWithheld: Bool, _ effects: inout Effects
    ) {
        let hasChanged =
            isWithheld
            ? withheld.insert(session).inserted : withheld.remove(session) != nil
        guard hasChanged, !stopped.contains(session) else { return }
        setListeners(of: session, isWithheld: isWithheld, &effects)
    }

    /// A session wants to read from the backend, unless it keeps itself from it.
    mutating func noteReading(by session: UInt64, _ turn: inout Turn) throws(StoreError) {
        if !withheld.contains(session) { try noteUse(by: session, &turn) }
    }

    /// Keeps the listeners of a session from the backend, or no longer.
    mutating func setListeners(
        of session: UInt64, isWithheld: Bool, _ effects: inout Effects
    ) {
        for recipient in listeners.recipients(ofSession: session) {
            guard let query = listeners.query(of: recipient) else { continue }
            if isWithheld { leaveLedger(recipient, query, effects) }
            defer { if !isWithheld { joinLedger(recipient, query, effects) } }
            switch listeners.setWithheld(recipient, isWithheld) {
            case .startWatching: _ = startWatching(query, &effects)
            case .stopWatching:
                if let row = views[query] { unwatchIfUnwanted(row.targetID, &effects) }
            case .open, .close, .none: break
            }
            tell(listeners.deliverAgain(to: recipient, online.state), &effects)
        }
    }

    /// Goes online or offline as the votes say.
    mutating func countVotes(_ turn: inout Turn) throws(StoreError) {
        if applyVotes(&turn.effects) { try fillPipeline(&turn) }
    }

    private mutating func applyVotes(_ effects: inout Effects) -> Bool {
        if !votes.isEmpty, !votes.values.contains(true) {
            if !offlineCauses.contains(.votes) { goOffline(because: .votes, &effects) }
            return false
        }
        guard offlineCauses.remove(.votes) != nil else { return false }
        goOnlineToWatch(&effects)
        return true
    }
}
