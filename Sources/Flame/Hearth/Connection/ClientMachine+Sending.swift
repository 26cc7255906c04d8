import HearthModel
import HearthWire

extension ClientMachine {
    mutating func begin(
        _ id: OperationID, _ operation: Operation, at now: Duration
    ) -> [Action] {
        entries[id] = Entry(operation: operation, waitingSince: state == .open ? nil : now)
        if operation.changesDocuments {
            entries[id]?.isChange = true
            changeCount += 1
        }
        guard state == .open else { return [] }
        backlog.append(id)
        return sendBacklog()
    }

    /// Sends the operations that wait, in order, until the daemon owes as many answers as it
    /// allows.
    mutating func sendBacklog() -> [Action] {
        guard state == .open else { return [] }
        var actions: [Action] = []
        while let id = backlog.first {
            if let entry = entries[id] {
                if entry.operation.isOwedAnAnswer, owedCount >= owedCountMax { break }
                actions += send(id)
            }
            backlog.removeFirst()
        }
        return actions
    }

    mutating func send(_ id: OperationID) -> [Action] {
        guard var entry = entries[id] else { preconditionFailure("Sending what is not there") }
        let request: Request
        switch entry.operation {
        case .read(let read, _):
            request = filledIn(read)
            entry.operation = .read(read, begun: nil)
            entry.bundle = []
            entry.list = nil
            entry.nodes = nil
        case .listen(let query, let options, _):
            request = .firestore(.listen(query, options))
        case .sync:
            request = .firestore(.listenToSync)
        case .status(let scope):
            request = .session(.listenToStatus(scope))
        case .write(var write):
            request = self.request(for: write)
            if write.sentTo == nil { write.sentTo = storeGeneration }
            entry.operation = .write(write)
        case .observe(let target, let kind):
            request = .realtime(.listen(target, kind))
        case .transaction(let transaction):
            entry.operation = .transaction(
                PendingTransaction(
                    path: transaction.path, showsEstimate: transaction.showsEstimate))
            request = .realtime(
                .runTransaction(transaction.path, showsEstimate: transaction.showsEstimate))
        }
        let number = nextNumber()
        do throws(WireError) {
            let frames = try codec.frames(of: request, number: number)
            entry.number = number
            entry.waitingSince = nil
            numbers[number] = id
            if entry.operation.isOwedAnAnswer {
                entry.isOwed = true
                owedCount += 1
            }
            entries[id] = entry
            return frames.map { .send($0) }
        } catch {
            remove(id)
            return [.fail(id, FirestoreError(error.hearthError))]
        }
    }

    /// The request; if it asks for the last write, with the last write filled in.
    private func filledIn(_ request: Request) -> Request {
        switch request {
        case .firestore(.waitForOwnWrites): .firestore(.waitForOwnWrites(last: lastBatch))
        case .realtime(.waitForOwnWrites): .realtime(.waitForOwnWrites(last: lastBatch))
        default: request
        }
    }

    private func request(for write: PendingWrite) -> Request {
        switch write.content {
        case .mutations(let mutations, let conditions):
            .firestore(
                .write(
                    FirestoreRequest.Write(
                        sequence: write.sequence, answeredBelow: answeredBelow,
                        mutations: mutations, terms: conditions.terms,
                        isJudgedAtOnce: conditions.isJudgedAtOnce, sentTo: write.sentTo ?? 0)))
        case .change(let change):
            .realtime(
                .write(
                    InstanceRequest.Write(
                        sequence: write.sequence, answeredBelow: answeredBelow, change: change,
                        sentTo: write.sentTo ?? 0)))
        }
    }

    mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    func deadline(_ entry: Entry) -> Duration? {
        guard let since = entry.waitingSince else { return nil }
        switch entry.operation {
        case .read, .transaction: return since + configuration.connectTimeout
        case .write(let write):
            return write.accepted == nil ? since + configuration.connectTimeout : nil
        case .listen, .sync, .status, .observe: return nil
        }
    }

    mutating func remove(_ id: OperationID) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        if let number = entry.number { numbers[number] = nil }
        if entry.isOwed { owedCount -= 1 }
        if entry.isChange { changeCount -= 1 }
        if case .listen(let query, _, _) = entry.operation { forgetListener(id, of: query) }
        if case .status = entry.operation { pulse.unwatched() }
        if case .write(let write) = entry.operation {
            openSequences.remove(write.sequence)
            while answeredBelow <= lastSequence, !openSequences.contains(answeredBelow) {
                answeredBelow += 1
            }
        }
    }

    /// Asks for the memory file once the program has shown that it reads from the cache.
    mutating func askForSharedReads() -> [Action] {
        guard state == .open, sharingNumber == nil,
            cachedGetCount >= SharedReadLimits.askCountMin
        else { return [] }
        let number = nextNumber()
        guard let frame = try? codec.frame(of: .session(.shareReads), number: number) else {
            return []
        }
        sharingNumber = number
        return [.send(frame)]
    }

    /// Tells the daemon which documents the program has read from the cache. Nobody waits for the
    /// answer; without a session the names are dropped, since they are worth little.
    ///
    /// The daemon counts the answer as owed, so the answer counts here too: otherwise a request of the program's would
    /// be one too many.
    mutating func tellReads(of keys: [DocumentKey], at now: Duration) -> [Action] {
        guard state == .open else { return [] }
        return begin(nextOperation(), .firestore(.noteReads(keys)), at: now)
    }

    mutating func failAll(_ error: FirestoreError) -> [Action] {
        let all = entries.keys.sorted()
        for id in all { remove(id) }
        return all.map { .fail($0, error) }
    }
}

extension ClientMachine.Operation {
    /// Whether the operation tells the daemon what to do when the program is gone.
    var isOrder: Bool {
        if case .read(.realtime(.onDisconnect), _) = self { true } else { false }
    }

    /// Whether the operation may change documents before the daemon answers it.
    var changesDocuments: Bool {
        switch self {
        case .write(let write): write.accepted == nil
        case .read(.firestore(.loadBundle), _): true
        case .read, .listen, .sync, .status, .observe, .transaction: false
        }
    }

    /// Whether the operation counts among the answers that the daemon owes.
    var isOwedAnAnswer: Bool {
        switch self {
        case .read, .write, .transaction: true
        case .listen, .sync, .status, .observe: false
        }
    }
}
