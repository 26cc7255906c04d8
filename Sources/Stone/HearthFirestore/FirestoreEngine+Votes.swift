import HashTreeCollections
import HearthEngine
import HearthModel

/// Every session may vote for or against the use of the network.
///
/// The engine is offline only if all sessions that want something of the backend vote against the
/// network, and may administer the engine. Any other session withholds only its own listens and
/// reads from the backend, since the queue of all programs cannot wait for a single program.
///
/// - Source: the SDKs' promise for several tabs: one tab's `disableNetwork` leaves the others
///   online.
extension FirestoreEngine {
    /// A session is for or against the use of the network.
    mutating func vote(
        _ id: RequestID, isEnabled: Bool, _ turn: inout Turn
    ) throws(StoreError) {
        votes[id.session] = isEnabled
        try countVotes(&turn)
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
            if withheld.insert(id.session).inserted {
                try removeVote(of: id.session, &turn)
                setListeners(of: id.session, isWithheld: true, &turn.effects)
            }
        } else {
            if withheld.remove(id.session) != nil, !stopped.contains(id.session) {
                setListeners(of: id.session, isWithheld: false, &turn.effects)
            }
            try noteUse(by: id.session, &turn)
        }
        turn.effects.actions.append(.complete(id))
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
