import HearthModel
import NIOCore
import Synchronization

/// Which Unix user began each transaction at a backend, of all connections of a daemon.
///
/// The backend knows nobody but the daemon, and lets every caller that names a transaction read in the
/// transaction, commit the transaction and end the transaction. So the gateway lets a transaction's name
/// pass only from the user whose program began the transaction, in the same database.
///
///     begun --committed, rolled back--> over --more begin--> forgotten
///       \--older than any transaction of the backend--> forgotten
final class BegunTransactions: Sendable {
    private struct Name: Hashable {
        let database: DatabaseID
        let id: [UInt8]
    }

    private struct Begun {
        let at: NIODeadline
        /// The name of a transaction that is over stays its user's: the backend refuses it in its
        /// own words, or takes it as the first try of the next transaction.
        var isOver = false
    }

    private let users = Mutex<[UInt32: [Name: Begun]]>([:])
    private let countMax: Int

    /// Nothing has begun.
    ///
    /// - Parameter countMax: The most names of one user that are kept.
    init(countMax: Int = GatewayLimits.transactionCountMax) {
        self.countMax = countMax
    }

    /// The backend has begun a transaction for a user's program.
    func begun(
        _ id: [UInt8], in database: DatabaseID, by uid: UInt32, at now: NIODeadline = .now()
    ) {
        users.withLock { users in
            var own = users.removeValue(forKey: uid) ?? [:]
            if own.count >= countMax { Self.makeRoom(in: &own, at: now, countMax: countMax) }
            own[Name(database: database, id: id)] = Begun(at: now)
            users[uid] = own
        }
    }

    /// Whether a user's program has begun a transaction of this name.
    func isKnown(
        _ id: [UInt8], in database: DatabaseID, to uid: UInt32, at now: NIODeadline = .now()
    ) -> Bool {
        users.withLock { users in
            guard let begun = users[uid]?[Name(database: database, id: id)] else { return false }
            return begun.at + GatewayLimits.transactionAgeMax > now
        }
    }

    /// The backend has ended a transaction of a user's.
    func ended(_ id: [UInt8], in database: DatabaseID, by uid: UInt32) {
        let name = Name(database: database, id: id)
        users.withLock { users in
            guard users[uid]?[name] != nil else { return }
            users[uid]?[name]?.isOver = true
        }
    }

    /// How many names are kept of a user's transactions.
    func count(of uid: UInt32) -> Int { users.withLock { $0[uid]?.count ?? 0 } }

    /// Forgets what can be of no use any more; and the older half if all could be of use.
    private static func makeRoom(
        in own: inout [Name: Begun], at now: NIODeadline, countMax: Int
    ) {
        own = own.filter { !$0.value.isOver && $0.value.at + GatewayLimits.transactionAgeMax > now }
        guard own.count >= countMax else { return }
        let oldest = own.sorted { $0.value.at < $1.value.at }.prefix((countMax + 1) / 2)
        for (name, _) in oldest { own[name] = nil }
    }
}
