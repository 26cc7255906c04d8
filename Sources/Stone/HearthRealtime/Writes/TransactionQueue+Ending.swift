import HashTreeCollections
package import HearthEngine
package import HearthModel

/// What ends transactions before the backend has them.
extension TransactionQueue {
    /// Ends a transaction with an error, and tells the state of its place without the transaction.
    mutating func fail(
        _ id: RequestID, _ error: HearthError, on ground: inout TransactionGround
    ) -> [Action] {
        guard let transaction = transactions[id] else { return [] }
        let rest = end(id, .failed(error, .empty), on: &ground)
        guard !transaction.isBlind else { return rest }
        return rest.map { action in
            guard case .tell(id, .failed) = action else { return action }
            return .tell(id, .failed(error, ground.node(at: transaction.path, without: [])))
        }
    }

    /// The rules of this machine allow a transaction no more.
    ///
    /// A transaction on its way may still succeed, and its program hears the backend's word.
    ///
    /// - Parameters:
    ///   - id: The transaction. A transaction that has ended changes nothing.
    ///   - error: What the program hears if the transaction fails.
    ///   - ground: The views, and the pending writes over them.
    package mutating func deny(
        _ id: RequestID, because error: HearthError, on ground: inout TransactionGround
    ) -> [Action] {
        guard let transaction = transactions[id] else { return [] }
        transactions[id]?.isBlind = true
        if transaction.state == .sent {
            transactions[id]?.doom = error
            return []
        }
        return fail(id, error, on: &ground) + moved(at: [transaction.path], on: &ground)
    }

    /// A program's ordinary write was laid over places: transactions at, above and below end.
    ///
    /// One that is on the way may still succeed. If the backend does not take the sent transaction,
    /// the transaction does not run again.
    package mutating func overridden(
        at paths: [RealtimePath], on ground: inout TransactionGround
    ) -> [Action] {
        guard !isEmpty else { return [] }
        let touched = ids(touching: paths)
        return fail(all: touched, TransactionError.overridden.error, on: &ground)
            + moved(at: paths, on: &ground)
    }

    /// A program takes back what the backend has not answered.
    ///
    /// A transaction that is on the way may still succeed, as an overridden transaction may.
    ///
    /// - Parameters:
    ///   - session: The program's session.
    ///   - error: What the program hears of each transaction.
    ///   - ground: The views, and the pending writes over them.
    package mutating func takenBack(
        ofSession session: UInt64, because error: HearthError, on ground: inout TransactionGround
    ) -> [Action] {
        let own = ids(of: session)
        let paths = own.compactMap { transactions[$0]?.path }
        return fail(all: own, error, on: &ground) + moved(at: paths, on: &ground)
    }

    /// Ends transactions with an error, those on the way only if the backend does not take them.
    private mutating func fail(
        all ids: [RequestID], _ error: HearthError, on ground: inout TransactionGround
    ) -> [Action] {
        var actions: [Action] = []
        for id in ids {
            if transactions[id]?.state == .sent {
                transactions[id]?.doom = error
            } else {
                actions += fail(id, error, on: &ground)
            }
        }
        return actions
    }

    /// The transactions at, above and below some places, in the order of coming.
    private func ids(touching paths: [RealtimePath]) -> [RequestID] {
        var found: Set<RequestID> = []
        var walked: Set<RealtimePath> = []
        for path in paths {
            places.walk(to: path) { ids, depth in
                // The places of one write mostly lie below the same.
                if walked.insert(RealtimePath(path.keys[..<depth])).inserted {
                    found.formUnion(ids)
                }
                return true
            }
            places.subtree(at: path)?.walkDown { ids, _ in
                found.formUnion(ids)
                return true
            }
        }
        return found.sorted { (transactions[$0]?.number ?? 0) < (transactions[$1]?.number ?? 0) }
    }

    /// The backend does not tell what is at a place: transactions there end.
    ///
    /// - Parameters:
    ///   - path: The place.
    ///   - error: What the programs hear.
    ///   - ground: The views, and the pending writes over them.
    package mutating func fail(
        at path: RealtimePath, _ error: HearthError, on ground: inout TransactionGround
    ) -> [Action] {
        let ended = (places[path] ?? []).sorted()
        return fail(all: ended, error, on: &ground) + moved(at: [path], on: &ground)
    }

    /// A program is gone. What is on the way ends in silence; the rest never was.
    package mutating func sessionEnded(
        _ session: UInt64, on ground: inout TransactionGround
    ) -> [Action] {
        var actions: [Action] = []
        var paths: TreeSet<RealtimePath> = []
        for id in ids(of: session) {
            guard let transaction = transactions[id] else { continue }
            transactions[id]?.isOrphan = true
            guard transaction.state != .sent else { continue }
            if transaction.output != nil { paths.insert(transaction.path) }
            actions += end(id, .aborted(transaction.input), on: &ground)
        }
        return actions + moved(at: paths, on: &ground)
    }

    /// Ends all transactions, those on the way too.
    package mutating func failAll(
        _ error: HearthError, on ground: inout TransactionGround
    ) -> [Action] {
        puts = [:]
        let all = transactions.values.sorted { $0.number < $1.number }.map(\.id)
        return all.flatMap { fail($0, error, on: &ground) }
    }
}
