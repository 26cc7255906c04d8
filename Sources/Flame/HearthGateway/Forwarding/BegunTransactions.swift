import HearthModel
import HearthServer
import NIOCore
import Synchronization

/// Which Unix user began each transaction at a backend, of all connections of a daemon.
///
/// The backend knows nobody but the daemon, and lets every caller that names a transaction read in the
/// transaction, commit the transaction and end the transaction. So the gateway lets a transaction's name
/// pass only from the user whose program began the transaction, in the same database.
///
/// Whoever pays for a user has so many names; past these the payer's oldest name goes, and first the names that can
/// be of no use any more.
///
///     begun --committed, rolled back--> over --more begin--> forgotten
///       |--older than any transaction of the backend--> forgotten
///       \--oldest when more begin than there may be--> forgotten
final class BegunTransactions: Sendable {
    private struct Name: Hashable {
        let uid: UInt32
        let database: DatabaseID
        let id: [UInt8]
    }

    private struct Begun {
        let at: NIODeadline
        /// The name of a transaction that is over stays its user's: the backend refuses it in its
        /// own words, or takes it as the first try of the next transaction.
        var isOver = false

        func isExpired(at now: NIODeadline) -> Bool {
            at + GatewayLimits.transactionAgeMax <= now
        }
    }

    private let payers = Mutex<[UInt32: [Name: Begun]]>([:])
    private let countMax: Int

    /// Nothing has begun.
    ///
    /// - Parameter countMax: The most names of one payer that are kept.
    init(countMax: Int = GatewayLimits.transactionCountMax) {
        self.countMax = countMax
    }

    /// The backend has begun a transaction for a program. O(names of the payer) if the payer has as many names
    /// as there may be, else O(1); O(all names) for a payer who had none.
    func begun(
        _ id: [UInt8], in database: DatabaseID, by peer: Peer, at now: NIODeadline = .now()
    ) {
        payers.withLock { payers in
            if payers[peer.payer] == nil { Self.forgetExpired(in: &payers, at: now) }
            var own = payers.removeValue(forKey: peer.payer) ?? [:]
            if own.count >= countMax { Self.makeRoom(in: &own, at: now) }
            own[Name(uid: peer.uid, database: database, id: id)] = Begun(at: now)
            payers[peer.payer] = own
        }
    }

    /// Whether a program of the peer's user has begun a transaction of this name.
    func isKnown(
        _ id: [UInt8], in database: DatabaseID, to peer: Peer, at now: NIODeadline = .now()
    ) -> Bool {
        let name = Name(uid: peer.uid, database: database, id: id)
        return payers.withLock { $0[peer.payer]?[name]?.isExpired(at: now) == false }
    }

    /// The backend has ended a transaction of the peer's user.
    func ended(_ id: [UInt8], in database: DatabaseID, by peer: Peer) {
        let name = Name(uid: peer.uid, database: database, id: id)
        payers.withLock { payers in
            guard payers[peer.payer]?[name] != nil else { return }
            payers[peer.payer]?[name]?.isOver = true
        }
    }

    /// How many names are kept, by their payers.
    var counts: [UInt32: Int] { payers.withLock { $0.mapValues(\.count) } }

    /// Forgets what can be of no use any more; else the oldest name.
    private static func makeRoom(
        in own: inout [Name: Begun], at now: NIODeadline
    ) {
        let useful = own.filter { !$0.value.isOver && !$0.value.isExpired(at: now) }
        guard useful.count == own.count else { return own = useful }
        guard let oldest = own.min(by: { $0.value.at < $1.value.at }) else { return }
        own[oldest.key] = nil
    }

    /// Forgets the names of users who have long been gone.
    private static func forgetExpired(
        in payers: inout [UInt32: [Name: Begun]], at now: NIODeadline
    ) {
        for (payer, own) in payers {
            let rest = own.filter { !$0.value.isExpired(at: now) }
            payers[payer] = rest.isEmpty ? nil : rest
        }
    }
}
