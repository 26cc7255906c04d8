import HashTreeCollections
import HearthModel

/// Every session may let the network be used or not; the engine is offline for them only if all
/// that want something of the backend are against it.
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
        turn.actions.append(.complete(id))
    }

    /// A session wants something of the backend: unless it said otherwise, it is for the network.
    mutating func noteUse(by session: UInt64, _ turn: inout Turn) throws(StoreError) {
        guard session != 0, votes[session] == nil else { return }  // 0 is the daemon itself.
        votes[session] = true
        try countVotes(&turn)
    }

    /// A session is gone, and its vote with it.
    mutating func removeVote(of session: UInt64, _ turn: inout Turn) throws(StoreError) {
        guard votes.removeValue(forKey: session) != nil else { return }
        try countVotes(&turn)
    }

    /// Goes online or offline as the votes say.
    mutating func countVotes(_ turn: inout Turn) throws(StoreError) {
        if !votes.isEmpty, !votes.values.contains(true) {
            guard offlineCauses.insert(.votes).inserted else { return }
            stopStreams(&turn)
            try apply(online.set(.offline), &turn)
        } else if offlineCauses.remove(.votes) != nil {
            try goOnline(&turn)
        }
    }
}
