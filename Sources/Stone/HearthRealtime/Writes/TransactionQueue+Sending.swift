import HashTreeCollections
import HearthEngine
package import HearthModel

/// What goes to the backend, and what the backend's answers mean.
extension TransactionQueue {
    /// Joins what may be sent.
    ///
    /// - Parameters:
    ///   - countMax: How many puts there may be at most.
    ///   - isBlocked: Whether an ordinary write at, above or below a place is still to be sent: the
    ///     results there build on it.
    /// - Returns: The puts in the order of sending. Each must be sent, or `linkClosed` be told.
    package mutating func takePuts(
        countMax: Int, on ground: inout TransactionGround,
        isBlocked: (RealtimePath) -> Bool
    ) -> (puts: [TransactionPut], actions: [Action]) {
        var puts: [TransactionPut] = []
        for candidate in candidates.sorted() {
            guard puts.count < countMax else { break }
            candidates.remove(candidate)
            for place in topResults(touching: candidate) {
                if isBlocked(place) {
                    candidates.insert(place)
                } else if !isOnTheWay(atOrBelow: place) {
                    if let put = makePut(at: place, on: ground) { puts.append(put) }
                }
                // A put on its way makes its place a candidate when the answer comes.
            }
        }
        return (puts, advance(on: &ground))
    }

    private func isOnTheWay(atOrBelow place: RealtimePath) -> Bool {
        var isFound = false
        results.subtree(at: place)?.walkDown { ids, _ in
            isFound = isFound || ids.contains { transactions[$0]?.state == .sent }
            return !isFound
        }
        return isFound
    }

    private mutating func makePut(
        at place: RealtimePath, on ground: TransactionGround
    ) -> TransactionPut? {
        let (base, valid) = review(at: place, on: ground)
        var node = UnresolvedNode(base)
        var sent: [PendingTransaction] = []
        for var transaction in valid {
            guard let output = transaction.output, let rest = place.relative(transaction.path)
            else { continue }
            if transaction.goesAlone, !sent.isEmpty { break }
            // The server would add to what was there before the put. The rest goes later.
            let builds = sent.contains { $0.path.overlaps(transaction.path) }
            if builds, output.node.addsToWhatIsThere { break }
            node = node.setting(rest, to: output.node)
            transaction.state = .sent
            transaction.sendCount += 1
            unsent.remove(output.write)
            transactions[transaction.id] = transaction
            sent.append(transaction)
            if transaction.goesAlone { break }
        }
        guard let first = sent.first else { return nil }
        lastPut += 1
        let number = TransactionPut.Number(rawValue: lastPut)
        // One alone asks for no right but to its own place.
        let put =
            sent.count == 1
            ? TransactionPut(first, number)
            : TransactionPut(
                number: number, path: place, node: node, hash: NodeHash.hash(of: base),
                transactions: sent.map(\.id))
        puts[put.number] = put
        return put
    }

    /// The backend has answered a put. What the answer says of the data has come before.
    ///
    /// - Parameters:
    ///   - number: The put. A put whose transactions were given up changes nothing.
    ///   - status: `ok`, `datastale`, or why the backend refused.
    ///   - error: How a refusal other than `datastale` is told.
    ///   - ground: The views, and the pending writes over them.
    package mutating func answered(
        _ number: TransactionPut.Number, _ status: RealtimeStatus, _ error: HearthError,
        on ground: inout TransactionGround
    ) -> [Action] {
        // A race: the put's transactions were given up while the answer was on the way.
        guard let put = puts.removeValue(forKey: number) else { return [] }
        var actions: [Action] = []
        for id in put.transactions {
            guard let transaction = transactions[id] else { continue }
            switch status {
            case .ok: actions += committed(transaction, on: &ground)
            case .dataStale: actions += foundStale(transaction, on: &ground)
            default:
                if put.transactions.count > 1, transaction.mayGoAgain {
                    sendAlone(transaction)
                } else {
                    actions += fail(id, transaction.doom ?? error, on: &ground)
                }
            }
        }
        candidates.insert(put.path)
        return actions + moved(at: [put.path], on: &ground)
    }

    /// The backend has refused a transaction together with others, and perhaps only one of these
    /// transactions was the reason: it stands again, and goes alone.
    private mutating func sendAlone(_ transaction: PendingTransaction) {
        var transaction = transaction
        transaction.state = .standing
        transaction.goesAlone = true
        transactions[transaction.id] = transaction
        if let output = transaction.output { unsent.insert(output.write) }
    }

    private mutating func committed(
        _ transaction: PendingTransaction, on ground: inout TransactionGround
    ) -> [Action] {
        guard let output = transaction.output else { return [] }
        ground.settle(output, isReverted: false)
        // The server has told the result of values that were left to the server: to whoever may see
        // it.
        let isTold = output.node.node == nil && !transaction.isBlind
        let known = isTold ? ground.tree.completeServerNode(at: transaction.path) : nil
        return forget(transaction, .committed(known ?? output.estimate))
    }

    private mutating func foundStale(
        _ transaction: PendingTransaction, on ground: inout TransactionGround
    ) -> [Action] {
        if let doom = transaction.doom { return fail(transaction.id, doom, on: &ground) }
        if transaction.isOrphan {
            return end(transaction.id, .aborted(transaction.input), on: &ground)
        }
        guard transaction.sendCount < PendingTransaction.sendCountMax else {
            return fail(transaction.id, TransactionError.retriedTooOften.error, on: &ground)
        }
        runAgain(transaction)
        return []
    }

    /// The connection has ended: what is on the way will not be answered. The rest waits.
    package mutating func linkClosed(on ground: inout TransactionGround) -> [Action] {
        var actions: [Action] = []
        let lost = puts.values.sorted { $0.number.rawValue < $1.number.rawValue }
        puts = [:]
        for put in lost {
            for id in put.transactions {
                // Whatever would have doomed it: the backend may have taken it as it was sent.
                actions += fail(id, TransactionError.disconnected.error, on: &ground)
            }
        }
        for put in lost { candidates.insert(put.path) }
        return actions + moved(at: lost.map(\.path), on: &ground)
    }
}

extension RealtimePath {
    /// Whether two places are equal, or one lies below the other.
    func overlaps(_ other: RealtimePath) -> Bool { contains(other) || other.contains(self) }
}
